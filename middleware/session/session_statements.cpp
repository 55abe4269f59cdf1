// Session, second part: statements it acts on itself, but for SET.
#include <algorithm>

#include <strings.h>

#include "middleware/protocol/errors.hpp"
#include "middleware/session/like.hpp"
#include "middleware/session/session.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::session {

using protocol::ColumnDefinition;
using protocol::ColumnType;

namespace {

constexpr std::uint16_t utf8mb4_collation = 45;

ColumnDefinition text_column(std::string_view name, std::uint32_t characters) {
    ColumnDefinition column;
    column.name = name;
    column.collation = utf8mb4_collation;
    column.length = characters * 4;
    column.type = ColumnType::var_string;
    column.flags = protocol::column_flag::not_null;
    column.decimals = 31;
    return column;
}

ColumnDefinition number_column(std::string_view name, ColumnType type, std::uint32_t length) {
    ColumnDefinition column;
    column.name = name;
    column.collation = protocol::binary_collation;
    column.length = length;
    column.type = type;
    column.flags =
        protocol::column_flag::not_null | protocol::column_flag::is_unsigned | protocol::column_flag::binary;
    return column;
}

std::string_view level_word(backend::Level level) {
    switch (level) {
    case backend::Level::note: return "Note";
    case backend::Level::warning: return "Warning";
    case backend::Level::error: break;
    }
    return "Error";
}

exec::Outcome rows_outcome(std::uint64_t rows) {
    exec::Outcome outcome;
    outcome.has_rows = true;
    outcome.row_count = rows;
    return outcome;
}

std::optional<std::uint64_t> number_of(const sqlparse::Expr& expr, std::string_view text) {
    const auto* literal = expr.as<sqlparse::Literal>();
    if (!literal || literal->kind != sqlparse::LiteralKind::integer) return std::nullopt;
    return sqlparse::integer_value(expr.span.of(text));
}

std::string quoted_savepoint(const sqlparse::Name& name) { return sqlparse::quote_name(name.text); }

}  // namespace

net::Task<Session::Answer> Session::run_session_statement(const sqlparse::Statement& statement,
                                                          std::string_view text) {
    const auto* shown = statement.as<sqlparse::Show>();
    if (!shown) diagnostics_.clear();
    const bool by_handler = shown && (shown->kind == sqlparse::ShowKind::processlist ||
                                      shown->kind == sqlparse::ShowKind::status);
    if (by_handler) co_return co_await show_by_handler(*shown, text);
    if (shown) co_return show(*shown, text);
    if (const auto* node = statement.as<sqlparse::Set>()) co_return co_await set(*node, text);
    if (const auto* node = statement.as<sqlparse::Use>()) co_return use(node->database.text);
    // It closes tables that no statement uses, which changes no answer; nothing of a node needs it.
    if (statement.as<sqlparse::Flush>()) co_return std::optional{exec::Outcome{}};
    if (const auto* node = statement.as<sqlparse::Begin>()) co_return co_await begin(*node);
    if (const auto* node = statement.as<sqlparse::Commit>()) co_return co_await commit(*node);
    if (const auto* node = statement.as<sqlparse::Rollback>()) co_return co_await rollback(*node);
    if (const auto* node = statement.as<sqlparse::Kill>()) co_return kill(*node, text);
    if (const auto* node = statement.as<sqlparse::Savepoint>()) {
        // Outside a transaction a savepoint is gone with its statement.
        if (!transaction_.is_open() && settings_.autocommit) co_return std::optional{exec::Outcome{}};
        if (!transaction_.is_open())
            transaction_.open("BEGIN", std::exchange(settings_.next_transaction, {}));
        const auto done = co_await transaction_.savepoint(quoted_savepoint(node->name));
        if (done.has_error()) co_return done.error();
        co_return std::optional{exec::Outcome{}};
    }
    if (const auto* node = statement.as<sqlparse::ReleaseSavepoint>()) {
        const auto done = co_await transaction_.release(quoted_savepoint(node->name));
        if (done.has_error()) co_return done.error();
        co_return std::optional{exec::Outcome{}};
    }
    co_return protocol::not_supported(sqlparse::kind_of(statement));
}

net::Task<Session::Answer> Session::begin(const sqlparse::Begin& begin) {
    if (transaction_.is_open()) {
        const auto committed = co_await transaction_.commit();
        if (committed.has_error()) co_return committed.error();
    }
    if (begin.consistent_snapshot) co_return protocol::not_supported("WITH CONSISTENT SNAPSHOT");
    transaction_start_ = "BEGIN";
    if (begin.access == sqlparse::TransactionAccess::read_only)
        transaction_start_ = "START TRANSACTION READ ONLY";
    if (begin.access == sqlparse::TransactionAccess::read_write)
        transaction_start_ = "START TRANSACTION READ WRITE";
    transaction_.open(transaction_start_, std::exchange(settings_.next_transaction, {}));
    transaction_is_explicit_ = true;
    co_return std::optional{exec::Outcome{}};
}

net::Task<Session::Answer> Session::commit(const sqlparse::Commit& commit) {
    co_return co_await end_transaction(true, commit.chain, commit.release);
}

net::Task<Session::Answer> Session::rollback(const sqlparse::Rollback& rollback) {
    if (rollback.savepoint) {
        const auto done = co_await transaction_.rollback_to(quoted_savepoint(rollback.savepoint));
        if (done.has_error()) co_return done.error();
        co_return std::optional{exec::Outcome{}};
    }
    co_return co_await end_transaction(false, rollback.chain, rollback.release);
}

net::Task<Session::Answer> Session::end_transaction(bool commit, sqlparse::Tristate chain,
                                                    sqlparse::Tristate release) {
    if (transaction_.is_open()) {
        const auto ended = commit ? co_await transaction_.commit() : co_await transaction_.rollback();
        if (ended.has_error()) co_return ended.error();
    }
    // SET TRANSACTION was for the transaction that has just ended, were it even empty.
    settings_.next_transaction.clear();
    if (chain == sqlparse::Tristate::yes)
        transaction_.open(transaction_is_explicit_ && !transaction_start_.empty() ? transaction_start_
                                                                                  : "BEGIN");
    if (release == sqlparse::Tristate::yes) ending_ = true;
    co_return std::optional{exec::Outcome{}};
}

Session::Answer Session::use(std::string_view database) {
    if (database.empty()) return protocol::no_database_selected();
    const auto* known = services_.topology->database(database);
    const bool is_schema = strncasecmp(database.data(), "information_schema", database.size()) == 0 &&
                           database.size() == std::string_view{"information_schema"}.size();
    if (!known && !is_schema) return protocol::unknown_database(database);
    if (known && !may_use(database)) return protocol::database_access_denied(user_name_, host_, database);
    settings_.database = is_schema ? "information_schema" : std::string{database};
    return std::optional{exec::Outcome{}};
}

Session::Answer Session::kill(const sqlparse::Kill& kill, std::string_view text) {
    const auto id = number_of(kill.id, text);
    if (!id || kill.query_id) return protocol::not_supported("KILL with an expression");
    const auto kind =
        kill.kind == sqlparse::KillKind::query ? Registry::Kill::query : Registry::Kill::connection;
    const auto killed = services_.shared.registry.kill(*id, kind, user_name_, user_rule().admin);
    if (killed.has_error()) return killed.error();
    return std::optional{exec::Outcome{}};
}

Session::Answer Session::show(const sqlparse::Show& show, std::string_view text) {
    switch (show.kind) {
    case sqlparse::ShowKind::databases: return show_databases(show, text);
    case sqlparse::ShowKind::warnings:
    case sqlparse::ShowKind::errors:
    case sqlparse::ShowKind::count_warnings:
    case sqlparse::ShowKind::count_errors: return show_warnings(show, text);
    default: return protocol::not_supported("SHOW of this kind");
    }
}

net::Task<Session::Answer> Session::ask_handler(std::string_view text,
                                                const backend::StatementContext& context) {
    diagnostics_.clear();
    writer_.set_status(status());
    const plan::PlanContext planning = plan_context(*context.topology);
    const Asker asker{planning, services_, user_rule(), channel_->is_tls()};
    const auto result = co_await services_.shared.handler->answer(text, asker);
    co_return write_own(result);
}

net::Task<Session::Answer> Session::show_by_handler(const sqlparse::Show& show, std::string_view text) {
    diagnostics_.clear();
    if (!services_.shared.handler) co_return protocol::not_supported("SHOW of this kind");
    if (show.where) co_return protocol::not_supported("WHERE in this SHOW");
    const auto topology = services_.topology;
    const plan::PlanContext planning = plan_context(*topology);
    const Asker asker{planning, services_, user_rule(), channel_->is_tls()};
    if (show.kind == sqlparse::ShowKind::processlist) {
        const auto list = co_await services_.shared.handler->show_processlist(show.full, asker);
        co_return write_own(list);
    }
    std::optional<std::string> pattern;
    if (const auto* literal = show.like.as<sqlparse::Literal>())
        pattern = sqlparse::literal_bytes(literal->kind, show.like.span.of(text), settings_.parse_options);
    const auto shown = co_await services_.shared.handler->show_status(std::move(pattern), asker);
    co_return write_own(shown);
}

Session::Answer Session::write_own(const protocol::Result<OwnResult>& result) {
    if (result.has_error()) return result.error();
    std::vector<ColumnDefinition> columns;
    for (const OwnColumn& column : result.value().columns) {
        ColumnDefinition& definition =
            columns.emplace_back(column.is_number ? number_column(column.name, ColumnType::int64, 21)
                                                  : text_column(column.name, column.characters));
        if (column.is_nullable)
            definition.flags &= static_cast<std::uint16_t>(~protocol::column_flag::not_null);
    }
    writer_.columns(columns);
    std::vector<protocol::Value> row;
    for (const auto& values : result.value().rows) {
        row.assign(values.begin(), values.end());
        writer_.row(row);
    }
    return std::optional{rows_outcome(result.value().rows.size())};
}

Session::Answer Session::show_databases(const sqlparse::Show& show, std::string_view text) {
    diagnostics_.clear();
    if (show.where) return protocol::not_supported("WHERE in SHOW DATABASES");
    std::string label = "Database";
    std::optional<std::string> pattern;
    if (const auto* literal = show.like.as<sqlparse::Literal>()) {
        const auto raw = show.like.span.of(text);
        pattern = sqlparse::literal_bytes(literal->kind, raw, settings_.parse_options);
        label += " (" + *pattern + ")";
    }
    std::vector<std::string> names{"information_schema"};
    // MySQL shows it to everybody, MariaDB to who has rights in it.
    if (identity().kind == protocol::ServerKind::mysql) names.emplace_back("performance_schema");
    for (const auto& [name, database] : services_.topology->databases())
        if (may_use(name)) names.push_back(name);
    std::sort(names.begin(), names.end());
    const std::array columns{text_column(label, 64)};
    writer_.columns(columns);
    std::uint64_t rows = 0;
    for (const std::string& name : names) {
        if (pattern && !is_like(name, *pattern)) continue;
        const std::array<protocol::Value, 1> row{name};
        writer_.row(row);
        ++rows;
    }
    return std::optional{rows_outcome(rows)};
}

Session::Answer Session::show_warnings(const sqlparse::Show& show, std::string_view text) {
    const bool errors_only =
        show.kind == sqlparse::ShowKind::errors || show.kind == sqlparse::ShowKind::count_errors;
    std::vector<const backend::Diagnostic*> wanted;
    for (const backend::Diagnostic& each : diagnostics_.kept())
        if (!errors_only || each.level == backend::Level::error) wanted.push_back(&each);
    if (show.kind == sqlparse::ShowKind::count_warnings || show.kind == sqlparse::ShowKind::count_errors) {
        const std::array columns{number_column(
            errors_only ? "@@session.error_count" : "@@session.warning_count", ColumnType::int64, 21)};
        const std::string count = std::to_string(errors_only ? wanted.size() : diagnostics_.count());
        writer_.columns(columns);
        const std::array<protocol::Value, 1> row{count};
        writer_.row(row);
        return std::optional{rows_outcome(1)};
    }
    std::uint64_t offset = 0, limit = UINT64_MAX;
    if (show.limit) {
        const auto count = number_of(show.limit->count, text);
        const auto skipped =
            show.limit->offset ? number_of(show.limit->offset, text) : std::optional<std::uint64_t>{0};
        if (!count || !skipped) return protocol::not_supported("LIMIT with an expression");
        limit = *count;
        offset = *skipped;
    }
    const std::array columns{text_column("Level", 7), number_column("Code", ColumnType::int32, 4),
                             text_column("Message", 512)};
    writer_.columns(columns);
    std::uint64_t rows = 0;
    for (std::size_t index = offset; index < wanted.size() && rows < limit; ++index, ++rows) {
        const std::string code = std::to_string(wanted[index]->code);
        const std::array<protocol::Value, 3> row{level_word(wanted[index]->level), code,
                                                 wanted[index]->message};
        writer_.row(row);
    }
    return std::optional{rows_outcome(rows)};
}

}  // namespace shardway::session
