#include "rules/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shardway::rules {

std::string Address::text() const {
    if (is_unix()) return "unix:" + path;
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

bool User::may_use(std::string_view database) const {
    return all_databases || std::find(databases.begin(), databases.end(), database) != databases.end();
}

std::optional<NodeId> Rules::find_node(std::string_view name) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].name == name) return NodeId{i};
    return std::nullopt;
}

const Database* Rules::find_database(std::string_view name) const {
    const auto found = databases.find(name);
    return found == databases.end() ? nullptr : &found->second;
}

}  // namespace shardway::rules
