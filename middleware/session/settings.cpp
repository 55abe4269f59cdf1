#include "middleware/session/settings.hpp"

#include <algorithm>
#include <array>

#include <strings.h>

#include "middleware/protocol/errors.hpp"
#include "sqlparse/literal.hpp"
#include "sqlparse/walk.hpp"

namespace shardway::session {

using protocol::Result;

namespace {

std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += '\'';
        out += c;
    }
    return out + "'";
}

std::string_view unquoted(std::string_view literal) {
    const bool quotes = literal.size() >= 2 && literal.front() == '\'';
    return quotes ? literal.substr(1, literal.size() - 2) : literal;
}

// "+02:00", "-11:30". Nothing for a named zone.
std::optional<int> offset_minutes(std::string_view zone) {
    if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
    for (const std::size_t at : {1, 2, 4, 5})
        if (zone[at] < '0' || zone[at] > '9') return std::nullopt;
    const int minutes = (zone[1] - '0') * 600 + (zone[2] - '0') * 60 + (zone[4] - '0') * 10 + (zone[5] - '0');
    return zone[0] == '-' ? -minutes : minutes;
}

// Character sets that no client can speak: their letters are not bytes.
bool may_be_clients(std::string_view charset) {
    return charset != "ucs2" && charset != "utf16" && charset != "utf16le" && charset != "utf32";
}

std::string_view default_collation_of(const ServerIdentity& identity, std::string_view charset) {
    const auto collation = protocol::default_collation(identity.kind, charset);
    return collation ? collation->name : std::string_view{"utf8mb4_general_ci"};
}

}  // namespace

Settings Settings::after_login(const ServerIdentity& identity, std::uint16_t collation, bool found_rows) {
    auto asked = protocol::find_collation(identity.kind, collation);
    if (!asked || !may_be_clients(asked->charset))
        asked = protocol::default_collation(identity.kind, "utf8mb4");
    Settings settings;
    settings.state = backend::SessionState::after_login(asked->charset, asked->name, found_rows);
    settings.parse_options.dialect = identity.kind == protocol::ServerKind::mariadb
                                         ? sqlparse::Dialect::mariadb
                                         : sqlparse::Dialect::mysql;
    settings.parse_options.server_version = identity.version_number;
    settings.follow_state(identity);
    return settings;
}

Result<void> Settings::set_names(const ServerIdentity& identity, std::string_view charset,
                                 std::string_view collation) {
    const auto found = protocol::find_charset(identity.kind, charset);
    if (!found) return protocol::unknown_charset(charset);
    if (!may_be_clients(found->name)) return protocol::wrong_variable_value("character_set_client", charset);
    std::string_view wanted = default_collation_of(identity, found->name);
    if (!collation.empty()) {
        const auto named = protocol::find_collation(identity.kind, collation);
        if (!named) return protocol::unknown_collation(collation);
        if (named->charset != found->name)
            return protocol::collation_charset_mismatch(named->name, found->name);
        wanted = named->name;
    }
    const std::string name{found->name};
    state = state->with("character_set_client", name)
                ->with("character_set_results", name)
                ->with("collation_connection", std::string{wanted});
    follow_state(identity);
    return {};
}

Result<void> Settings::set_client_charset(const ServerIdentity& identity, std::string_view charset) {
    const auto found = protocol::find_charset(identity.kind, charset);
    if (!found) return protocol::unknown_charset(charset);
    if (!may_be_clients(found->name)) return protocol::wrong_variable_value("character_set_client", charset);
    state = state->with("character_set_client", std::string{found->name});
    follow_state(identity);
    return {};
}

void Settings::follow_state(const ServerIdentity& identity) {
    const std::string* literal = state->find("sql_mode");
    const std::string_view mode = literal ? unquoted(*literal) : std::string_view{identity.sql_mode};
    const bool ignore_space = parse_options.modes.ignore_space;  // the client may have asked for it at login
    parse_options.modes = sqlparse::SqlModes::from_text(mode);
    parse_options.modes.ignore_space |= ignore_space;
    client_charset = *state->find("character_set_client");
    parse_options.charset = sqlparse::charset_class(client_charset);
    keys.strict =
        mode.find("STRICT_TRANS_TABLES") != mode.npos || mode.find("STRICT_ALL_TABLES") != mode.npos;
    zero_is_a_value = mode.find("NO_AUTO_VALUE_ON_ZERO") != mode.npos;
    const std::string* zone = state->find("time_zone");
    keys.utc_offset_minutes = zone ? offset_minutes(unquoted(*zone)) : std::nullopt;
}

VariableClass class_of(std::string_view name) {
    if (name == "autocommit") return VariableClass::autocommit;
    if (local_default(name)) return VariableClass::local;
    static constexpr std::array charsets{"character_set_client", "character_set_connection",
                                         "character_set_results", "collation_connection"};
    if (std::find(charsets.begin(), charsets.end(), name) != charsets.end()) return VariableClass::charset;
    static constexpr std::array isolation{"transaction_isolation", "tx_isolation", "transaction_read_only",
                                          "tx_read_only"};
    if (std::find(isolation.begin(), isolation.end(), name) != isolation.end())
        return VariableClass::isolation;
    static constexpr std::array refused{"timestamp",
                                        "insert_id",
                                        "last_insert_id",
                                        "identity",
                                        "rand_seed1",
                                        "rand_seed2",
                                        "pseudo_thread_id",
                                        "pseudo_slave_mode",
                                        "pseudo_replica_mode",
                                        "gtid_next",
                                        "gtid_domain_id",
                                        "gtid_seq_no",
                                        "server_id",
                                        "sql_log_bin",
                                        "sql_log_off",
                                        "session_track_gtids",
                                        "skip_parallel_replication",
                                        "skip_replication",
                                        "max_prepared_stmt_count",
                                        "binlog_format",
                                        "character_set_database",
                                        "collation_database",
                                        "completion_type",
                                        "profiling"};
    if (std::find(refused.begin(), refused.end(), name) != refused.end()) return VariableClass::refused;
    return VariableClass::carried;
}

const std::string* local_default(std::string_view name) {
    static const std::map<std::string, std::string, std::less<>> defaults{
        {"wait_timeout", "28800"},   {"interactive_timeout", "28800"}, {"net_read_timeout", "30"},
        {"net_write_timeout", "60"}, {"net_buffer_length", "16384"},   {"net_retry_count", "10"}};
    const auto found = defaults.find(name);
    return found == defaults.end() ? nullptr : &found->second;
}

std::optional<std::string> own_variable(const ServerIdentity& identity, const Settings& settings,
                                        std::string_view scope, std::string_view name) {
    const auto text = [&](std::string_view value) {
        return std::optional{sqlparse::quote_string(value, settings.parse_options)};
    };
    if (name == "version") return text(identity.version);
    if (name == "version_comment") return text("Shardway");
    if (name == "hostname") return text(identity.hostname);
    if (name == "port") return std::to_string(identity.port);
    if (name == "server_id") return "0";
    if (name == "max_allowed_packet") return std::to_string(identity.packet_bytes_max);
    if (scope == "global") return std::nullopt;
    if (name == "autocommit") return settings.autocommit ? "1" : "0";
    const auto local = settings.local.find(name);
    if (local != settings.local.end()) return local->second;
    if (const std::string* value = local_default(name)) return *value;
    return std::nullopt;
}

plan::PlanContext planning_context(const rules::Topology& topology, const plan::SessionView& session,
                                   const Settings& settings, std::string_view user,
                                   std::string_view account) {
    plan::PlanContext context{.topology = topology,
                              .session = session,
                              .options = settings.parse_options,
                              .database = settings.database,
                              .user = user,
                              .current_user = account,
                              .charset = settings.client_charset,
                              .keys = settings.keys,
                              .preferred_node = std::nullopt};
    context.row_count = 0;
    context.zero_is_a_value = settings.zero_is_a_value;
    context.state_hash = settings.state->signature();
    return context;
}

std::string literal_of(const std::optional<std::string>& value) {
    if (!value) return "NULL";
    std::string_view digits = *value;
    if (digits.starts_with('-')) digits.remove_prefix(1);
    const bool number = !digits.empty() && digits.find_first_not_of("0123456789.") == digits.npos &&
                        digits.front() != '.' && std::count(digits.begin(), digits.end(), '.') <= 1;
    return number ? *value : quoted(*value);
}

bool may_evaluate_elsewhere(const sqlparse::Expr& expr) {
    bool may = true;
    auto enter = [&](const sqlparse::Expr& each) {
        if (each.as<sqlparse::UserVariable>() || each.as<sqlparse::Subquery>() ||
            each.as<sqlparse::Exists>() || each.as<sqlparse::InQuery>() || each.as<sqlparse::Quantified>() ||
            each.as<sqlparse::Parameter>())
            may = false;
        if (const auto* function = each.as<sqlparse::Function>()) {
            static constexpr std::array known{"concat", "replace", "concat_ws", "lower", "upper",
                                              "trim",   "ifnull",  "coalesce",  "if"};
            may = may && !function->name.database &&
                  std::any_of(known.begin(), known.end(), [&](const char* name) {
                      const std::string_view text = function->name.name.text;
                      return text.size() == std::string_view{name}.size() &&
                             strncasecmp(text.data(), name, text.size()) == 0;
                  });
        }
        return may;
    };
    sqlparse::for_each_expr(expr, enter);
    return may;
}

}  // namespace shardway::session
