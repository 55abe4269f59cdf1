#include "middleware/cli/fleet_state.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "middleware/backend/catalog_loader.hpp"
#include "middleware/backend/control_connection.hpp"
#include "middleware/cli/targets.hpp"

namespace shardway::cli {

namespace {

struct NodeAnswer {
    std::string version, sql_mode;
    bool is_mariadb = false;
    std::size_t packet_bytes_max = 0;
    std::optional<protocol::SqlError> error;
};

NodeAnswer ask_node(const backend::ControlTarget& target) {
    NodeAnswer answer;
    auto connected = backend::ControlConnection::connect(target);
    if (connected.has_error()) {
        answer.error = connected.error();
        return answer;
    }
    answer.version = connected.value().server_version();
    answer.is_mariadb = connected.value().is_mariadb();
    auto rows = connected.value().query("SELECT @@GLOBAL.sql_mode, @@GLOBAL.max_allowed_packet");
    if (rows.has_error()) {
        answer.error = rows.error();
    } else if (rows.value().rows.size() == 1 && rows.value().rows[0][0]) {
        answer.sql_mode = *rows.value().rows[0][0];
        answer.packet_bytes_max = std::stoull(rows.value().rows[0][1].value_or("0"));
    }
    return answer;
}

// "10.11.14-MariaDB-0+deb12u2" is 101114, "9.7.4" is 90704.
std::uint32_t number_of_version(std::string_view version) {
    std::uint32_t parts[3] = {0, 0, 0};
    std::size_t part = 0;
    for (const char c : version) {
        if (c == '.' && part < 2) {
            ++part;
        } else if (c >= '0' && c <= '9') {
            parts[part] = parts[part] * 10 + static_cast<std::uint32_t>(c - '0');
        } else {
            break;
        }
    }
    return parts[0] * 10000 + parts[1] * 100 + parts[2];
}

std::string announced_version(std::string_view version, bool is_mariadb) {
    const auto digits = version.find_first_not_of("0123456789.");
    return fmt::format("{}{}-shardway", version.substr(0, digits), is_mariadb ? "-MariaDB" : "");
}

}  // namespace

FleetState ask_fleet(const rules::Rules& rules) {
    std::vector<NodeAnswer> answers(rules.nodes.size());
    {
        std::vector<std::jthread> asking;
        for (std::size_t node = 0; node < answers.size(); ++node)
            asking.emplace_back(
                [&, node] { answers[node] = ask_node(control_target(rules, rules::NodeId{node})); });
    }
    FleetState state;
    const NodeAnswer* lowest = nullptr;
    state.identity.packet_bytes_max = SIZE_MAX;
    for (const NodeAnswer& answer : answers) {
        if (answer.error) {
            state.warnings.push_back(answer.error->message);
            continue;
        }
        state.identity.packet_bytes_max = std::min(state.identity.packet_bytes_max, answer.packet_bytes_max);
        if (lowest && answer.is_mariadb != lowest->is_mariadb)
            throw std::runtime_error{fmt::format(
                "the nodes run {} and {}: one rules file takes MySQL nodes or MariaDB nodes, not both",
                lowest->version, answer.version)};
        if (lowest && answer.sql_mode != lowest->sql_mode)
            state.warnings.push_back(fmt::format(
                "the nodes differ in sql_mode ('{}' and '{}'): statements will behave differently by the "
                "node they run on; set one value on all",
                lowest->sql_mode, answer.sql_mode));
        if (!lowest || number_of_version(answer.version) < number_of_version(lowest->version))
            lowest = &answer;
    }
    if (!lowest)
        throw std::runtime_error{
            fmt::format("no node answers; the first says: {}", answers.front().error->message)};
    state.identity.kind = lowest->is_mariadb ? protocol::ServerKind::mariadb : protocol::ServerKind::mysql;
    state.identity.version = announced_version(lowest->version, lowest->is_mariadb);
    state.identity.version_number = number_of_version(lowest->version);
    state.identity.sql_mode = lowest->sql_mode;

    auto loaded = backend::load_catalog(catalog_sources(rules));
    if (loaded.has_error())
        throw std::runtime_error{fmt::format("the tables cannot be read: {}", loaded.error().message)};
    state.catalog = loaded.value().catalog;
    for (const std::string& database : loaded.value().empty)
        state.warnings.push_back(fmt::format(
            "database {} has no tables yet: create them with shardway apply, then start again", database));
    return state;
}

}  // namespace shardway::cli
