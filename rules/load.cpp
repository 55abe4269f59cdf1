#include "rules/load.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "rules/load_parts.hpp"

namespace shardway::rules {

namespace {

constexpr std::string_view tls_modes[] = {"disabled", "preferred", "required"};
constexpr std::string_view log_levels[] = {"trace", "debug", "info", "warn", "error"};
constexpr std::string_view auth_plugins[] = {"caching_sha2_password", "mysql_native_password"};

class RulesReader {
public:
    RulesReader(std::string_view text, const std::string& file) : in_{file} {
        rules_.file = file;
        if (text.size() > rules_bytes_max) {
            in_.report_at({}, "", fmt::format("{} bytes", text.size()),
                          fmt::format("at most {}", rules_bytes_max));
            return;
        }
        try {
            const YAML::Node root = YAML::Load(std::string{text});
            read_root({root, "", root.Mark()});
        } catch (const YAML::ParserException& error) {
            in_.report_at(error.mark, "", error.msg, "YAML");
        } catch (const YAML::Exception& error) {
            in_.report_at({}, "", error.what(), "YAML");
        }
    }

    LoadResult result() {
        LoadResult result;
        result.findings = in_.take_findings();
        result.places = in_.take_places();
        if (result.findings.empty()) result.rules = std::make_shared<const Rules>(std::move(rules_));
        return result;
    }

private:
    void read_root(const At& root) {
        if (!root.node.IsMap()) {
            in_.report(root, root.node.IsNull() ? "an empty file" : "no map",
                       "the keys version, nodes, databases, …");
            return;
        }
        MapReader map{in_, root};
        if (const auto version = map.need("version", "version: 1")) in_.integer(*version, 1, 1);
        if (const auto at = map.find("listen")) read_listen(*at);
        if (rules_.listen.mysql.empty()) rules_.listen.mysql.push_back({"127.0.0.1", 3306, {}});
        if (const auto at = map.need("users", "who may log in")) read_users(*at);
        if (const auto at = map.need("backend", "user and password of Shardway on the nodes"))
            read_backend(*at);
        if (const auto at = map.find("threads"))
            rules_.threads = static_cast<std::uint32_t>(in_.count(*at, 1024).value_or(0));
        if (const auto at = map.need("nodes", "at least one node")) read_nodes(*at);
        if (const auto at = map.need("databases", "at least one database")) read_databases(in_, *at, rules_);
        if (const auto at = map.find("limits")) read_limits(*at);
        rules_.meta.sqlite = absolute("shardway-meta.db");
        if (const auto at = map.find("meta")) read_meta(*at);
        if (const auto at = map.find("log")) read_log(*at);
        map.finish();
        check_user_databases(map);
    }

    std::string absolute(const std::string& path) const {
        return (std::filesystem::absolute(rules_.file).parent_path() / path).lexically_normal().string();
    }

    std::optional<Address> read_address(const At& at) {
        const auto text = in_.text(at);
        if (!text) return std::nullopt;
        if (text->starts_with("unix:") && text->size() > 5) return Address{{}, 0, absolute(text->substr(5))};
        const std::size_t colon = text->rfind(':');
        if (colon != std::string::npos && colon > 0) {
            std::string host = text->substr(0, colon);
            const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
            if (bracketed) host = host.substr(1, host.size() - 2);
            const std::string digits = text->substr(colon + 1);
            const bool is_number = !digits.empty() && digits.size() <= 5 &&
                                   digits.find_first_not_of("0123456789") == std::string::npos;
            const int port = is_number ? std::stoi(digits) : 0;
            const bool host_is_good = !host.empty() && (bracketed || host.find(':') == std::string::npos);
            if (host_is_good && port >= 1 && port <= 65535)
                return Address{host, static_cast<std::uint16_t>(port), {}};
        }
        in_.report(at, fmt::format("'{}'", *text), "host:port, [v6]:port or unix:/path");
        return std::nullopt;
    }

    void read_listen(const At& at) {
        MapReader map{in_, at};
        auto& listen = rules_.listen;
        if (const auto mysql = map.find("mysql"))
            for (const auto& item : in_.one_or_list(*mysql))
                if (const auto address = read_address(item)) listen.mysql.push_back(*address);
        if (const auto admin = map.find("admin")) listen.admin = read_address(*admin);
        if (const auto tls = map.find("tls")) {
            MapReader keys{in_, *tls};
            if (const auto mode = keys.find("mode")) read_word(*mode, tls_modes, listen.tls.mode);
            for (const auto& [key, path] :
                 {std::pair{"cert", &listen.tls.cert}, {"key", &listen.tls.key}, {"ca", &listen.tls.ca}})
                if (const auto value = keys.find(key))
                    if (const auto text = in_.text(*value)) *path = absolute(*text);
            if (listen.tls.cert.empty() != listen.tls.key.empty())
                in_.report(*tls, listen.tls.cert.empty() ? "a key without cert" : "a cert without key",
                           "both or none");
            keys.finish();
        }
        map.finish();
    }

    template <class Enum>
    void read_word(const At& at, std::span<const std::string_view> words, Enum& target) {
        if (const auto which = in_.one_of(at, words)) target = static_cast<Enum>(*which);
    }

    void read_users(const At& at) {
        const auto pairs = in_.pairs(at);
        if (pairs.empty() && at.node.IsMap()) in_.report(at, "no user", "at least one user");
        for (const auto& pair : pairs) {
            MapReader map{in_, pair.value};
            User user;
            user.name = pair.name;
            if (user.name.empty() || user.name.size() > 32)
                in_.report_at(pair.key_mark, pair.value.path,
                              fmt::format("a name of {} bytes", user.name.size()), "1 to 32");
            if (const auto password = map.need("password", "a password"))
                if (const auto text = in_.text(*password)) user.password = *text;
            const auto databases = map.find("databases");
            user.all_databases = !databases;
            if (databases)
                for (const auto& item : in_.one_or_list(*databases))
                    if (const auto name = in_.text(item)) {
                        user.databases.push_back(*name);
                        named_databases_.push_back(item);
                    }
            if (const auto admin = map.find("admin")) user.admin = in_.boolean(*admin).value_or(false);
            if (const auto auth = map.find("auth")) read_word(*auth, auth_plugins, user.auth);
            map.finish();
            rules_.users.emplace(user.name, std::move(user));
        }
    }

    // The users stand before the databases in the file.
    void check_user_databases(const MapReader& root) {
        if (!root.has("databases") || rules_.databases.empty()) return;
        std::vector<std::string> names;
        for (const auto& [name, database] : rules_.databases) names.push_back(name);
        for (const auto& at : named_databases_) {
            const std::string name = at.node.Scalar();
            if (rules_.databases.contains(name)) continue;
            const auto meant = nearest(name, names);
            in_.report(at, fmt::format("'{}'", name),
                       meant ? fmt::format("'{}'?", *meant) : "a database of these rules");
        }
    }

    void read_backend(const At& at) {
        MapReader map{in_, at};
        auto& backend = rules_.backend;
        if (const auto user = map.need("user", "the user of Shardway on the nodes"))
            if (const auto text = in_.text(*user)) backend.user = *text;
        if (const auto password = map.need("password", "its password"))
            if (const auto text = in_.text(*password)) backend.password = *text;
        if (const auto tls = map.find("tls")) read_word(*tls, tls_modes, backend.tls);
        if (const auto ca = map.find("tls_ca"))
            if (const auto text = in_.text(*ca)) backend.tls_ca = absolute(*text);
        if (const auto connections = map.find("connections"))
            backend.connections =
                static_cast<std::uint32_t>(in_.integer(*connections, 1, 100'000).value_or(1));
        if (const auto timeout = map.find("connect_timeout"))
            backend.connect_timeout = read_wait(*timeout).value_or(backend.connect_timeout);
        if (const auto timeout = map.find("wait_timeout"))
            backend.wait_timeout = read_wait(*timeout).value_or(backend.wait_timeout);
        if (const auto depth = map.find("depth"))
            backend.depth = static_cast<std::uint32_t>(in_.integer(*depth, 1, 64).value_or(1));
        map.finish();
    }

    // A wait has an end.
    std::optional<Millis> read_wait(const At& at) {
        const auto wait = in_.duration(at);
        if (!wait || wait->count() > 0) return wait;
        in_.report(at, "0", "more than nothing");
        return std::nullopt;
    }

    void read_nodes(const At& at) {
        const auto pairs = in_.pairs(at);
        if (pairs.empty() && at.node.IsMap()) in_.report(at, "no node", "at least one node");
        if (pairs.size() > nodes_max) {
            in_.report(at, fmt::format("{} nodes", pairs.size()), fmt::format("at most {}", nodes_max));
            return;
        }
        std::vector<Address> primaries;
        for (const auto& pair : pairs) {
            Node node;
            node.name = pair.name;
            if (const auto problem = name_problem(node.name); !problem.empty())
                in_.report_at(pair.key_mark, pair.value.path, problem, "a name");
            MapReader map{in_, pair.value};
            if (const auto primary = map.need("primary", "host:port of the primary"))
                if (const auto address = read_address(*primary)) {
                    node.primary = *address;
                    const auto same = std::find(primaries.begin(), primaries.end(), *address);
                    if (same != primaries.end())
                        in_.report(*primary, fmt::format("{}, which another node has", address->text()),
                                   "one node per server");
                    primaries.push_back(*address);
                }
            if (const auto replicas = map.find("replicas"))
                for (const auto& item : in_.one_or_list(*replicas))
                    if (const auto address = read_address(item)) node.replicas.push_back(*address);
            map.finish();
            rules_.nodes.push_back(std::move(node));
        }
    }

    void read_limits(const At& at) {
        MapReader map{in_, at};
        auto& limits = rules_.limits;
        constexpr std::uint64_t rows_max = std::uint64_t{1} << 48;
        for (const auto& [key, target] : {std::pair{"query_memory", &limits.query_memory},
                                          {"total_memory", &limits.total_memory},
                                          {"gather_bytes", &limits.gather_bytes}})
            if (const auto value = map.find(key)) *target = in_.bytes(*value).value_or(*target);
        if (const auto rows = map.find("merge_rows"))
            limits.merge_rows = in_.count(*rows, rows_max).value_or(0);
        if (const auto time = map.find("query_time"))
            limits.query_time = in_.duration(*time).value_or(Millis{0});
        if (const auto fanout = map.find("fanout"))
            limits.fanout = static_cast<std::uint32_t>(in_.count(*fanout, slots_max).value_or(0));
        map.finish();
        if (limits.query_memory > limits.total_memory)
            in_.report(at, "a query_memory above total_memory", "at most that");
    }

    void read_meta(const At& at) {
        MapReader map{in_, at};
        const bool both = map.has("sqlite") && map.has("etcd");
        if (both || (!map.has("sqlite") && !map.has("etcd") && at.node.IsMap()))
            in_.report(at, both ? "both sqlite and etcd" : "neither sqlite nor etcd", "one of them");
        if (const auto sqlite = map.find("sqlite"))
            if (const auto path = in_.text(*sqlite)) rules_.meta.sqlite = absolute(*path);
        if (const auto etcd = map.find("etcd")) {
            rules_.meta.sqlite.clear();
            for (const auto& item : in_.one_or_list(*etcd))
                if (const auto url = in_.text(item)) rules_.meta.etcd.push_back(*url);
        }
        map.finish();
    }

    void read_log(const At& at) {
        MapReader map{in_, at};
        if (const auto level = map.find("level")) read_word(*level, log_levels, rules_.log.level);
        if (const auto slow = map.find("slow"))
            rules_.log.slow = in_.duration(*slow).value_or(rules_.log.slow);
        map.finish();
    }

    YamlReader in_;
    Rules rules_;
    std::vector<At> named_databases_;  // by users; checked once the databases are known
};

}  // namespace

std::string Finding::text() const {
    std::string place = file.empty() ? "rules" : file;
    if (line > 0) place += fmt::format(":{}:{}", line, column);
    return fmt::format("{}: {}{}{}; expected {}", place, key, key.empty() ? "" : ": found ", found, expected);
}

LoadResult load_rules(std::string_view text, const std::string& file) {
    return RulesReader{text, file}.result();
}

LoadResult load_rules_file(const std::string& file) {
    std::ifstream stream{file, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{stream}, {}};
    if (!stream.is_open() || stream.bad())
        return {nullptr, {{file, 0, 0, "", "a file that cannot be read", "the rules"}}, {}};
    return load_rules(text, file);
}

}  // namespace shardway::rules
