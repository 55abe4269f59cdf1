// Session, third part: SET, and what the planner asks about variables.
#include <algorithm>
#include <cctype>

#include <strings.h>

#include "middleware/protocol/errors.hpp"
#include "middleware/session/session.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::session {

using protocol::Result;
using sqlparse::SetKind;
using sqlparse::VariableScope;

namespace {

std::string lower_case(std::string_view text) {
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

// ON, OFF, 1, 0, TRUE, FALSE, 'ON', … as autocommit takes them.
std::optional<bool> boolean_of(const sqlparse::Expr& value, std::string_view text) {
    if (value.as<sqlparse::DefaultOf>()) return true;  // of autocommit, which is all that this is used for
    if (const auto* literal = value.as<sqlparse::Literal>()) {
        if (literal->kind == sqlparse::LiteralKind::true_value) return true;
        if (literal->kind == sqlparse::LiteralKind::false_value) return false;
    }
    std::string word{value.span.of(text)};
    if (word.size() >= 2 && (word.front() == '\'' || word.front() == '"'))
        word = word.substr(1, word.size() - 2);
    word = lower_case(word);
    if (word == "1" || word == "on" || word == "true") return true;
    if (word == "0" || word == "off" || word == "false") return false;
    return std::nullopt;
}

// The word or string that names a character set or collation.
std::string name_value(const sqlparse::Expr& value, std::string_view text,
                       const sqlparse::ParseOptions& options) {
    if (const auto* column = value.as<sqlparse::Column>()) return std::string{column->name.text};
    if (const auto* literal = value.as<sqlparse::Literal>())
        return sqlparse::literal_bytes(literal->kind, value.span.of(text), options);
    return std::string{value.span.of(text)};
}

std::string_view level_name(sqlparse::IsolationLevel level) {
    switch (level) {
    case sqlparse::IsolationLevel::read_uncommitted: return "READ-UNCOMMITTED";
    case sqlparse::IsolationLevel::read_committed: return "READ-COMMITTED";
    case sqlparse::IsolationLevel::repeatable_read: return "REPEATABLE-READ";
    case sqlparse::IsolationLevel::serializable: return "SERIALIZABLE";
    case sqlparse::IsolationLevel::none: break;
    }
    return "";
}

}  // namespace

// All parts of a SET take effect, or none.
net::Task<Session::Answer> Session::set(const sqlparse::Set& set, std::string_view text) {
    if (set.statement) co_return protocol::not_supported("SET STATEMENT");
    Settings changed = settings_;
    for (const sqlparse::SetItem& item : set.items) {
        auto done = co_await set_item(item, text, changed);
        if (done.has_error()) co_return std::move(done).error();
    }
    const bool commits = changed.autocommit && !settings_.autocommit;
    settings_ = std::move(changed);
    if (commits && transaction_.is_open()) {
        auto committed = co_await transaction_.commit();
        if (committed.has_error()) co_return std::move(committed).error();
    }
    co_return std::optional{exec::Outcome{}};
}

net::Task<Result<void>> Session::set_item(const sqlparse::SetItem& item, std::string_view text,
                                          Settings& changed) {
    switch (item.kind) {
    case SetKind::variable: co_return co_await set_variable(item, text, changed);
    case SetKind::names: {
        const std::string_view charset = item.charset ? item.charset.text : std::string_view{"utf8mb4"};
        co_return changed.set_names(identity(), charset,
                                    item.collation ? item.collation.text : std::string_view{});
    }
    case SetKind::charset: {
        const std::string_view charset = item.charset ? item.charset.text : std::string_view{"utf8mb4"};
        auto named = changed.set_names(identity(), charset, {});
        if (named.has_error()) co_return named;
        // The connection takes the character set of the database, not the named one.
        auto collation = co_await evaluate("@@collation_database", changed, changed.database);
        if (collation.has_error()) co_return std::move(collation).error();
        if (collation.value())
            changed.state = changed.state->with("collation_connection", *collation.value());
        co_return Result<void>{};
    }
    case SetKind::transaction: co_return set_transaction(item, changed);
    case SetKind::user_variable: co_return protocol::not_supported("user variables");
    case SetKind::password: co_return protocol::not_supported("SET PASSWORD");
    case SetKind::role: co_return protocol::not_supported("SET ROLE");
    case SetKind::resource_group: co_return protocol::not_supported("SET RESOURCE GROUP");
    case SetKind::statement: break;
    }
    co_return protocol::not_supported("SET STATEMENT");
}

Result<void> Session::set_transaction(const sqlparse::SetItem& item, Settings& changed) {
    if (item.scope == VariableScope::global) return protocol::not_supported("SET GLOBAL");
    const bool read_only = item.access == sqlparse::TransactionAccess::read_only;
    if (item.scope == VariableScope::none) {
        if (transaction_.is_open()) return protocol::transaction_in_progress();
        std::string level{level_name(item.isolation)};
        std::replace(level.begin(), level.end(), '-', ' ');
        if (!level.empty()) changed.next_transaction.push_back("SET TRANSACTION ISOLATION LEVEL " + level);
        if (item.access != sqlparse::TransactionAccess::none)
            changed.next_transaction.push_back(read_only ? "SET TRANSACTION READ ONLY"
                                                         : "SET TRANSACTION READ WRITE");
        return {};
    }
    const bool mariadb = identity().kind == protocol::ServerKind::mariadb;
    if (item.isolation != sqlparse::IsolationLevel::none)
        changed.state = changed.state->with(mariadb ? "tx_isolation" : "transaction_isolation",
                                            "'" + std::string{level_name(item.isolation)} + "'");
    if (item.access != sqlparse::TransactionAccess::none)
        changed.state =
            changed.state->with(mariadb ? "tx_read_only" : "transaction_read_only", read_only ? "1" : "0");
    return {};
}

net::Task<Result<void>> Session::set_variable(const sqlparse::SetItem& item, std::string_view text,
                                              Settings& changed) {
    const std::string name = lower_case(item.name.text);
    const bool global = item.scope == VariableScope::global || item.scope == VariableScope::persist ||
                        item.scope == VariableScope::persist_only;
    if (global) co_return protocol::not_supported("SET GLOBAL");
    if (name == "max_allowed_packet") co_return protocol::read_only_variable(name);
    if (item.base) co_return protocol::not_supported("structured variables");
    if (!may_evaluate_elsewhere(item.value)) co_return protocol::not_supported("this expression in SET");
    const std::string value{item.value.span.of(text)};
    switch (class_of(name)) {
    case VariableClass::autocommit: {
        const auto on = boolean_of(item.value, text);
        if (!on)
            co_return protocol::wrong_variable_value(name,
                                                     name_value(item.value, text, changed.parse_options));
        changed.autocommit = *on;
        co_return Result<void>{};
    }
    case VariableClass::charset: co_return co_await set_charset_variable(item, text, changed);
    case VariableClass::refused: co_return protocol::not_supported("SET " + name);
    case VariableClass::local: {
        if (item.value.as<sqlparse::DefaultOf>()) {
            changed.local.erase(name);
            co_return Result<void>{};
        }
        if (name == "max_allowed_packet" || name == "net_buffer_length")
            co_return protocol::read_only_variable(name);
        auto evaluated = co_await evaluate(value, changed, {});
        if (evaluated.has_error()) co_return std::move(evaluated).error();
        const std::string number = evaluated.value().value_or("");
        if (number.empty() || number.size() > 8 || number.find_first_not_of("0123456789") != number.npos)
            co_return protocol::wrong_variable_type(name);
        changed.local.insert_or_assign(name, number == "0" ? "1" : number);
        co_return Result<void>{};
    }
    case VariableClass::isolation:
        // Without a scope, @@transaction_isolation is that of the next transaction only.
        if (item.scope == VariableScope::none && item.at_at)
            co_return protocol::not_supported("SET @@" + name + " without SESSION");
        break;
    case VariableClass::carried: break;
    }
    co_return co_await set_carried(name, value, changed);
}

// The server says whether the variable exists and the value fits, and what it makes of it: an expression,
// DEFAULT, a list of modes. What it shows afterwards is what connections get from then on.
net::Task<Result<void>> Session::set_carried(std::string name, std::string value, Settings& changed) {
    auto lease = co_await any_connection(changed);
    if (lease.has_error()) co_return std::move(lease).error();
    backend::Connection& connection = *lease.value();
    backend::FetchSetting setting;
    setting.state = changed.state;
    setting.before.push_back("SET SESSION " + name + "=" + value);
    auto rows = co_await backend::fetch_rows(connection, "SELECT @@SESSION." + name, std::move(setting));
    if (rows.has_error()) co_return std::move(rows).error();
    if (rows.value().size() != 1 || rows.value()[0].size() != 1)
        co_return protocol::internal_error("SET was not answered");
    changed.state = changed.state->with(name, literal_of(rows.value()[0][0]));
    changed.follow_state(identity());
    connection.assume_state(changed.state);
    co_return Result<void>{};
}

net::Task<Result<void>> Session::set_charset_variable(const sqlparse::SetItem& item, std::string_view text,
                                                      Settings& changed) {
    const std::string name = lower_case(item.name.text);
    const auto& kind = identity().kind;
    const auto* literal = item.value.as<sqlparse::Literal>();
    const bool is_null = literal && literal->kind == sqlparse::LiteralKind::null_value;
    if (is_null) {
        if (name != "character_set_results") co_return protocol::wrong_variable_value(name, "NULL");
        changed.state = changed.state->with(name, "NULL");
        co_return Result<void>{};
    }
    std::string value = name_value(item.value, text, changed.parse_options);
    if (item.value.as<sqlparse::DefaultOf>()) {
        value = "utf8mb4";
    } else if (item.value.as<sqlparse::SystemVariable>() || item.value.as<sqlparse::Function>()) {
        auto evaluated = co_await evaluate(value, changed, changed.database);
        if (evaluated.has_error()) co_return std::move(evaluated).error();
        value = evaluated.value().value_or("");
    }
    if (name == "collation_connection") {
        const auto collation = item.value.as<sqlparse::DefaultOf>() ? protocol::default_collation(kind, value)
                                                                    : protocol::find_collation(kind, value);
        if (!collation) co_return protocol::unknown_collation(value);
        changed.state = changed.state->with(name, std::string{collation->name});
        co_return Result<void>{};
    }
    if (name == "character_set_client") co_return changed.set_client_charset(identity(), value);
    const auto charset = protocol::find_charset(kind, value);
    if (!charset) co_return protocol::unknown_charset(value);
    if (name == "character_set_results") {
        changed.state = changed.state->with(name, std::string{charset->name});
    } else {
        const auto collation = protocol::default_collation(kind, charset->name);
        changed.state = changed.state->with("collation_connection", std::string{collation->name});
    }
    co_return Result<void>{};
}

// A connection to a node that answers: where the transaction is, else the database's own node, else any.
net::Task<Result<backend::Lease>> Session::any_connection(const Settings& settings) {
    std::vector<backend::NodeIndex> candidates;
    if (const auto* database = services_.topology->database(settings.database))
        candidates.push_back(database->rule->default_node.value);
    for (backend::NodeIndex node = 0; node < services_.shared.fleet.size(); ++node)
        candidates.push_back(node);
    std::optional<protocol::SqlError> failure;
    for (const backend::NodeIndex node : candidates) {
        if (backend::Lease lease = services_.pool.try_acquire(node, settings.state.get())) co_return lease;
        std::vector<backend::NodeIndex> wanted{node};
        auto acquired =
            co_await services_.pool.acquire(std::move(wanted), settings.state.get(), base::SteadyTime::max());
        if (!acquired.has_error()) co_return std::move(acquired.value().front());
        if (!failure) failure = std::move(acquired).error();
    }
    co_return std::move(*failure);
}

net::Task<Result<std::optional<std::string>>> Session::evaluate(std::string expression,
                                                                const Settings& settings,
                                                                std::string_view database) {
    auto lease = co_await any_connection(settings);
    if (lease.has_error()) co_return std::move(lease).error();
    backend::FetchSetting setting;
    setting.state = settings.state;
    setting.database = database;
    auto rows = co_await backend::fetch_rows(*lease.value(), "SELECT " + expression, std::move(setting));
    if (rows.has_error()) co_return std::move(rows).error();
    if (rows.value().size() != 1 || rows.value()[0].size() != 1)
        co_return protocol::internal_error("a value was not answered");
    co_return rows.value()[0][0];
}

std::optional<std::string> Session::variable(std::string_view scope, std::string_view name) const {
    if (name == "pseudo_thread_id") return std::to_string(id_);
    if (scope != "global") {
        if (name == "warning_count") return std::to_string(diagnostics_.count());
        if (name == "error_count") {
            const auto& kept = diagnostics_.kept();
            return std::to_string(std::count_if(
                kept.begin(), kept.end(),
                [](const backend::Diagnostic& each) { return each.level == backend::Level::error; }));
        }
        if (name == "last_insert_id" || name == "identity") return std::to_string(last_insert_id_);
    }
    return own_variable(identity(), settings_, scope, name);
}

// The columns of a table, as mysql's command line asks for them at its start. The template knows them, under
// logical names.
net::Task<void> Session::field_list(protocol::Bytes body) {
    protocol::Reader in{body};
    const std::string table{in.nul_string()};
    const std::string pattern{in.rest()};
    if (!in.ok()) co_return writer_.error(protocol::malformed_packet());
    if (settings_.database.empty()) co_return writer_.error(protocol::no_database_selected());
    const auto topology = services_.topology;
    const rules::DatabaseState* database = topology->database(settings_.database);
    if (!database || (!database->is_single_node() && !database->find(table)))
        co_return writer_.error(protocol::no_such_table(settings_.database, table));
    const rules::TableState* known = database->find(table);
    const rules::NodeId node = known && known->is_single() ? known->node : database->rule->default_node;
    std::vector<backend::NodeIndex> wanted{node.value};
    auto leases =
        co_await services_.pool.acquire(std::move(wanted), settings_.state.get(), base::SteadyTime::max());
    if (leases.has_error()) co_return writer_.error(leases.error());
    backend::Connection& connection = *leases.value().front();
    auto definitions =
        co_await backend::fetch_columns(connection, settings_.state, settings_.database, table, pattern);
    if (definitions.has_error()) co_return writer_.error(definitions.error());
    for (const protocol::Buffer& definition : definitions.value()) writer_.packet(definition.view());
    writer_.result_end({0, status()});
}

}  // namespace shardway::session
