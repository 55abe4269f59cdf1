// The one table of errors that Shardway raises, and a function for each. A row has a stable name (that of its
// function), MySQL's number and SQLSTATE or one of ours (9000-9999, HY000), the wording, and what the user
// can do. The reference in the documentation is printed from error_table(). Errors of a node are not here:
// they pass with their own three fields.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "middleware/protocol/sql_error.hpp"

namespace shardway::protocol {

struct ErrorRow {  // static text
    std::string_view name;
    std::uint16_t code;
    std::string_view sqlstate;
    std::string_view wording;  // {} stands for an argument, in the order of the function's
    std::string_view advice;   // what to do; part of the message where the number is ours
};

std::span<const ErrorRow> error_table();

// Messages are cut to this many bytes, at a character of UTF-8: MySQL's own limit (MYSQL_ERRMSG_SIZE, less
// its NUL).
constexpr std::size_t message_bytes_max = 511;

// An error as MySQL words it, for a number that the caller got from a table of its own; cuts the message.
SqlError make_error(std::uint16_t code, std::string_view sqlstate, std::string_view message);

// Connections and logins
SqlError too_many_connections();
SqlError bad_handshake();
// `with_password` is MySQL's "using password: YES"; host is the peer's address.
SqlError access_denied(std::string_view user, std::string_view host, bool with_password);
SqlError database_access_denied(std::string_view user, std::string_view host, std::string_view database);
SqlError privilege_needed(std::string_view privileges);  // "SUPER", "PROCESS"
SqlError command_denied(std::string_view command, std::string_view user, std::string_view host,
                        std::string_view table);
SqlError auth_mode_unsupported();
SqlError auth_plugin_unknown(std::string_view plugin);
SqlError secure_transport_required();
SqlError connection_idle_timeout();
SqlError server_shutting_down();
SqlError user_connections_exceeded(std::string_view user, std::string_view resource, std::uint64_t limit);
// A host that was refused before its login; MySQL sends no SQLSTATE there.
SqlError host_not_allowed(std::string_view host);

// Packets and commands
SqlError unknown_command();
SqlError malformed_packet();
SqlError packet_too_large();
SqlError packets_out_of_order();
SqlError read_failed();
SqlError read_timed_out();
SqlError write_failed();
SqlError write_timed_out();
SqlError unknown_statement_handle(std::uint32_t id,
                                  std::string_view command);  // command: "mysqld_stmt_execute"
SqlError unknown_prepared_statement(std::string_view name, std::string_view command);  // command: "EXECUTE"
SqlError wrong_arguments(std::string_view command);  // "EXECUTE", "mysqld_stmt_execute"
SqlError too_many_placeholders();
SqlError too_many_prepared_statements(std::uint64_t limit);
SqlError unsupported_in_prepared_statement();
SqlError local_infile_disabled();

// Sessions, variables, KILL
SqlError no_database_selected();
SqlError unknown_thread(std::uint64_t id);
SqlError not_owner_of_thread(std::uint64_t id);
SqlError query_interrupted();
SqlError statement_timed_out();  // max_execution_time
SqlError unknown_variable(std::string_view name);
SqlError wrong_variable_value(std::string_view name, std::string_view value);
SqlError wrong_variable_type(std::string_view name);
SqlError read_only_variable(std::string_view name);
SqlError variable_is_session_only(std::string_view name, std::string_view kind);  // kind: "SESSION"
SqlError variable_is_global_only(std::string_view name);
SqlError variable_has_no_default(std::string_view name);
SqlError unknown_charset(std::string_view name);
SqlError unknown_collation(std::string_view name);
SqlError collation_charset_mismatch(std::string_view collation, std::string_view charset);
SqlError unknown_time_zone(std::string_view name);

// Statements and names
SqlError syntax_error(std::string_view near, std::uint32_t line);
// The parser's: `problem` says what was expected; the column counts characters from 1.
SqlError parse_error(std::string_view problem, std::string_view near, std::uint32_t line,
                     std::uint32_t column);
SqlError empty_query();
SqlError unknown_database(std::string_view database);
SqlError database_exists(std::string_view database);
SqlError no_such_table(std::string_view database, std::string_view table);
SqlError table_exists(std::string_view table);
SqlError unknown_table(std::string_view table, std::string_view place);  // `t.*` whose t is not in FROM
SqlError unknown_column(std::string_view column,
                        std::string_view clause);  // clause: "field list", "where clause"
SqlError ambiguous_column(std::string_view column, std::string_view clause);
SqlError duplicate_alias(std::string_view alias);
SqlError duplicate_column(std::string_view column);
SqlError column_given_twice(std::string_view column);
SqlError derived_table_needs_alias();
SqlError column_list_mismatch();  // a view's, a CTE's or a derived table's names and its columns
SqlError column_count_mismatch(std::uint64_t row);  // INSERT … VALUES, row from 1
SqlError union_columns_mismatch();
SqlError operand_columns(std::uint64_t columns);
SqlError subquery_returns_more_rows();
SqlError invalid_group_function();
SqlError mixed_aggregation();
SqlError wrong_group_field(std::string_view column);
SqlError not_grouped(std::string_view clause, std::uint64_t position,
                     std::string_view column);                 // only_full_group_by
SqlError wrong_usage(std::string_view a, std::string_view b);  // "UNION" and "ORDER BY"
SqlError no_tables_used();
SqlError column_cannot_be_null(std::string_view column);
SqlError no_default_for_column(std::string_view column);
SqlError out_of_range(std::string_view column, std::uint64_t row);
SqlError data_too_long(std::string_view column, std::uint64_t row);
SqlError incorrect_value(std::string_view type, std::string_view value, std::string_view column,
                         std::uint64_t row);
SqlError value_out_of_range(std::string_view type,
                            std::string_view expression);  // BIGINT value is out of range in '…'
SqlError duplicate_entry(std::string_view entry, std::string_view key);
SqlError unknown_function(std::string_view function);
SqlError wrong_parameter_count(std::string_view function);
SqlError nesting_too_deep(std::uint64_t limit);
SqlError not_supported(std::string_view what);       // "This version of Shardway doesn't yet support 'what'"
SqlError read_only_option(std::string_view option);  // "running with the {} option"
SqlError out_of_sort_memory();
SqlError internal_error(std::string_view what);

// Transactions
SqlError lock_wait_timeout();
SqlError deadlock();
SqlError lock_not_available();  // NOWAIT
SqlError unknown_savepoint(std::string_view name);
SqlError transaction_in_progress();  // SET TRANSACTION inside one
SqlError read_only_transaction();
SqlError xa_wrong_state(std::string_view state);
// A write to a second node inside a transaction, where that is not allowed.
SqlError second_node_refused(std::string_view first_node, std::string_view second_node);

// Ours: nodes (9000-9019)
SqlError node_unreachable(std::string_view node, std::string_view reason);
SqlError node_connect_timeout(std::string_view node, std::chrono::milliseconds waited);
// One of those two: nothing was sent, another node may do as well.
bool is_node_unavailable(const SqlError& error);
SqlError node_login_refused(std::string_view node, const SqlError& answer);
SqlError connections_exhausted(std::string_view node, std::uint64_t cap, std::chrono::milliseconds waited);
SqlError connection_lost(std::string_view node);  // nothing was changed: a read, or nothing had left
SqlError outcome_unknown(std::string_view node);  // a write had left, its answer never came
SqlError node_protocol_violation(std::string_view node, std::string_view what);
SqlError node_read_only(std::string_view node);
SqlError node_charset_unknown(std::string_view node, std::string_view charset);
SqlError tls_unavailable();  // the node offers none, and the rules want it
SqlError no_replica_available(std::string_view node, std::string_view why);

// Ours: transactions (9020-9039)
SqlError transaction_node_lost(std::string_view node);
// Names of the nodes, committed and not; the error of the first that did not.
SqlError partial_commit(std::span<const std::string_view> committed, std::span<const std::string_view> failed,
                        std::string_view reason);
SqlError commit_undecided(std::string_view transaction);

// Ours: limits (9040-9059)
SqlError statement_budget_exceeded(std::uint64_t limit_bytes);
SqlError process_budget_exceeded(std::uint64_t limit_bytes);
SqlError fan_out_exceeded(std::uint64_t shards, std::uint64_t limit);
SqlError result_rows_exceeded(std::uint64_t limit);
SqlError node_statement_too_large(std::string_view node, std::uint64_t bytes, std::uint64_t limit);
SqlError statement_queue_full(std::uint64_t limit);

// Ours: routing and merging (9060-9079)
SqlError merge_order_violated(std::string_view shard);
SqlError shard_columns_differ(std::string_view first_shard, std::string_view other_shard);
SqlError shard_key_missing(std::string_view table, std::string_view column);
SqlError shard_key_null(std::string_view table, std::string_view column);
SqlError shard_key_not_constant(std::string_view table, std::string_view column);
SqlError shard_key_value_invalid(std::string_view table, std::string_view column, std::string_view why);
SqlError no_shard_for_value(std::string_view table, std::string_view column, std::string_view value);
SqlError id_clock_went_back(std::string_view database, std::string_view table, std::string_view why);
// In a moment there may be one.
SqlError id_not_ready(std::string_view database, std::string_view table, std::string_view why);
bool is_id_not_ready(const SqlError& error);
SqlError ids_exhausted(std::string_view database, std::string_view table, std::string_view why);
SqlError id_gene_differs(std::string_view column, std::uint64_t id, std::uint64_t carried,
                         std::uint64_t slot);
SqlError shard_key_update_refused(std::string_view table, std::string_view column);
SqlError not_distributable(std::string_view what,
                           std::string_view why);  // refused although MySQL would run it
SqlError hint_invalid(std::string_view hint, std::string_view why);

// Ours: shards and operation (9080-9099)
SqlError shard_fenced(std::string_view shard);
SqlError topology_changed();
SqlError rules_invalid(std::string_view why);
SqlError admin_command_failed(std::string_view command, std::string_view why);
SqlError feature_disabled(std::string_view feature, std::string_view setting);

}  // namespace shardway::protocol
