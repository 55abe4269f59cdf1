#include "middleware/protocol/errors.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardway::protocol {

namespace {

constexpr ErrorRow rows[] = {
    // Connections and logins
    {"too_many_connections", 1040, "08004", "Too many connections",
     "Close idle connections, or raise max_connections in the rules."},
    {"bad_handshake", 1043, "08S01", "Bad handshake",
     "The peer does not speak MySQL's protocol 4.1 or newer."},
    {"access_denied", 1045, "28000", "Access denied for user '{}'@'{}' (using password: {})",
     "Check the user and password against the users in the rules."},
    {"database_access_denied", 1044, "42000", "Access denied for user '{}'@'{}' to database '{}'",
     "Grant the database to the user in the rules."},
    {"privilege_needed", 1227, "42000",
     "Access denied; you need (at least one of) the {} privilege(s) for this operation",
     "Log in as a user who has the privilege."},
    {"command_denied", 1142, "42000", "{} command denied to user '{}'@'{}' for table '{}'",
     "Grant the right to the user in the rules."},
    {"auth_mode_unsupported", 1251, "08004",
     "Client does not support authentication protocol requested by server; consider upgrading MySQL client",
     "Use a client with mysql_native_password or caching_sha2_password."},
    {"auth_plugin_unknown", 1524, "HY000", "Plugin '{}' is not loaded",
     "Give the account mysql_native_password or caching_sha2_password."},
    {"secure_transport_required", 3159, "HY000",
     "Connections using insecure transport are prohibited while --require_secure_transport=ON.",
     "Connect with TLS, or drop require_tls from the listener or user."},
    {"connection_idle_timeout", 4031, "HY000",
     "The client was disconnected by the server because of inactivity. See wait_timeout and "
     "interactive_timeout for "
     "configuring this behavior.",
     "Reconnect, or raise wait_timeout."},
    {"server_shutting_down", 1053, "08S01", "Server shutdown in progress",
     "Reconnect; Shardway is being stopped."},
    {"user_connections_exceeded", 1226, "42000",
     "User '{}' has exceeded the '{}' resource (current value: {})",
     "Close connections of this user, or raise its limit."},
    {"host_not_allowed", 1130, "HY000", "Host '{}' is not allowed to connect to this MySQL server",
     "Add the host to the user in the rules."},

    // Packets and commands
    {"unknown_command", 1047, "08S01", "Unknown command", "The command is no part of the protocol offered."},
    {"malformed_packet", 1835, "HY000", "Malformed communication packet.", "The peer's driver is at fault."},
    {"packet_too_large", 1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes",
     "Send smaller statements, or raise max_allowed_packet."},
    {"packets_out_of_order", 1156, "08S01", "Got packets out of order",
     "Two threads may be using one connection; else the driver is at fault."},
    {"read_failed", 1158, "08S01", "Got an error reading communication packets",
     "Look at the network and the peer."},
    {"read_timed_out", 1159, "08S01", "Got timeout reading communication packets",
     "Look at the network and the peer."},
    {"write_failed", 1160, "08S01", "Got an error writing communication packets",
     "Look at the network and the peer."},
    {"write_timed_out", 1161, "08S01", "Got timeout writing communication packets",
     "The client reads too slowly; raise net_write_timeout."},
    {"unknown_statement_handle", 1243, "HY000", "Unknown prepared statement handler ({}) given to {}",
     "The statement was closed, or belongs to another connection."},
    {"unknown_prepared_statement", 1243, "HY000", "Unknown prepared statement handler ({}) given to {}",
     "PREPARE it first, in the same session."},
    {"wrong_arguments", 1210, "HY000", "Incorrect arguments to {}",
     "The number or form of the arguments does not fit the statement."},
    {"too_many_placeholders", 1390, "HY000", "Prepared statement contains too many placeholders",
     "A statement holds at most 65,535 placeholders."},
    {"too_many_prepared_statements", 1461, "42000",
     "Can't create more than max_prepared_stmt_count statements (current value: {})",
     "Close prepared statements that are no longer used."},
    {"unsupported_in_prepared_statement", 1295, "HY000",
     "This command is not supported in the prepared statement protocol yet", "Send it as plain text."},
    {"local_infile_disabled", 3948, "42000",
     "Loading local data is disabled; this must be enabled on both the client and server sides",
     "Set local_infile in the rules, and allow it in the client."},

    // Sessions, variables, KILL
    {"no_database_selected", 1046, "3D000", "No database selected", "USE a database, or qualify the names."},
    {"unknown_thread", 1094, "HY000", "Unknown thread id: {}", "See SHOW PROCESSLIST for the ids there are."},
    {"not_owner_of_thread", 1095, "HY000", "You are not owner of thread {}",
     "Only an administrator ends others' sessions."},
    {"query_interrupted", 1317, "70100", "Query execution was interrupted", "The statement was killed."},
    {"statement_timed_out", 3024, "HY000",
     "Query execution was interrupted, maximum statement execution time exceeded",
     "Make the statement cheaper, or raise max_execution_time."},
    {"unknown_variable", 1193, "HY000", "Unknown system variable '{}'", "Check the name."},
    {"wrong_variable_value", 1231, "42000", "Variable '{}' can't be set to the value of '{}'",
     "Check the value."},
    {"wrong_variable_type", 1232, "42000", "Incorrect argument type to variable '{}'",
     "Check the value's type."},
    {"read_only_variable", 1238, "HY000", "Variable '{}' is a read only variable", "It cannot be set."},
    {"variable_is_session_only", 1228, "HY000",
     "Variable '{}' is a {} variable and can't be used with SET GLOBAL", "Use SET SESSION."},
    {"variable_is_global_only", 1229, "HY000",
     "Variable '{}' is a GLOBAL variable and should be set with SET GLOBAL",
     "Global variables are set on the nodes, by their administrator."},
    {"variable_has_no_default", 1230, "42000", "Variable '{}' doesn't have a default value", "Name a value."},
    {"unknown_charset", 1115, "42000", "Unknown character set: '{}'",
     "Check the name; SHOW CHARACTER SET lists them."},
    {"unknown_collation", 1273, "HY000", "Unknown collation: '{}'",
     "Check the name; SHOW COLLATION lists them."},
    {"collation_charset_mismatch", 1253, "42000", "COLLATION '{}' is not valid for CHARACTER SET '{}'",
     "Choose a collation of that character set."},
    {"unknown_time_zone", 1298, "HY000", "Unknown or incorrect time zone: '{}'",
     "Use an offset, or load the time zone tables on the nodes."},

    // Statements and names
    {"syntax_error", 1064, "42000",
     "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version "
     "for the "
     "right syntax to use near '{}' at line {}",
     "Correct the statement."},
    {"parse_error", 1064, "42000", "You have an error in your SQL syntax; {} near '{}' at line {}, column {}",
     "Correct the statement."},
    {"empty_query", 1065, "42000", "Query was empty", "Send a statement."},
    {"unknown_database", 1049, "42000", "Unknown database '{}'", "SHOW DATABASES lists those of the rules."},
    {"database_exists", 1007, "HY000", "Can't create database '{}'; database exists", "Choose another name."},
    {"no_such_table", 1146, "42S02", "Table '{}.{}' doesn't exist", "Check the name and the database."},
    {"table_exists", 1050, "42S01", "Table '{}' already exists",
     "Choose another name, or use IF NOT EXISTS."},
    {"unknown_table", 1109, "42S02", "Unknown table '{}' in {}", "Name a table of the FROM clause."},
    {"unknown_column", 1054, "42S22", "Unknown column '{}' in '{}'", "Check the name."},
    {"ambiguous_column", 1052, "23000", "Column '{}' in {} is ambiguous", "Qualify the column."},
    {"duplicate_alias", 1066, "42000", "Not unique table/alias: '{}'", "Give one of them another alias."},
    {"duplicate_column", 1060, "42S21", "Duplicate column name '{}'", "Give one of them another name."},
    {"column_given_twice", 1110, "42000", "Column '{}' specified twice", "Name it once."},
    {"derived_table_needs_alias", 1248, "42000", "Every derived table must have its own alias",
     "Add an alias."},
    {"column_list_mismatch", 1353, "HY000",
     "In definition of view, derived table or common table expression, SELECT list and column names list "
     "have "
     "different column counts",
     "Name as many columns as the SELECT has."},
    {"column_count_mismatch", 1136, "21S01", "Column count doesn't match value count at row {}",
     "Give each row one value per column."},
    {"union_columns_mismatch", 1222, "21000", "The used SELECT statements have a different number of columns",
     "Select equally many columns on each side."},
    {"operand_columns", 1241, "21000", "Operand should contain {} column(s)", "Correct the operand."},
    {"subquery_returns_more_rows", 1242, "21000", "Subquery returns more than 1 row", "Limit it, or use IN."},
    {"invalid_group_function", 1111, "HY000", "Invalid use of group function",
     "Aggregates stand in the select list, HAVING and ORDER BY."},
    {"mixed_aggregation", 1140, "42000",
     "Mixing of GROUP columns (MIN(),MAX(),COUNT(),...) with no GROUP columns is illegal if there is no "
     "GROUP BY "
     "clause",
     "Add GROUP BY, or aggregate the column."},
    {"wrong_group_field", 1056, "42000", "Can't group on '{}'", "An aggregate cannot be grouped on."},
    {"not_grouped", 1055, "42000",
     "Expression #{1} of {0} is not in GROUP BY clause and contains nonaggregated column '{2}' which is not "
     "functionally dependent on columns in GROUP BY clause; this is incompatible with "
     "sql_mode=only_full_group_by",
     "Group by the column, or wrap it in ANY_VALUE()."},
    {"wrong_usage", 1221, "HY000", "Incorrect usage of {} and {}", "The two cannot be combined."},
    {"no_tables_used", 1096, "HY000", "No tables used", "Add a FROM clause."},
    {"column_cannot_be_null", 1048, "23000", "Column '{}' cannot be null", "Give it a value."},
    {"no_default_for_column", 1364, "HY000", "Field '{}' doesn't have a default value", "Give it a value."},
    {"out_of_range", 1264, "22003", "Out of range value for column '{}' at row {}", "Check the value."},
    {"data_too_long", 1406, "22001", "Data too long for column '{}' at row {}", "Shorten the value."},
    {"incorrect_value", 1366, "HY000", "Incorrect {} value: '{}' for column '{}' at row {}",
     "Check the value."},
    {"value_out_of_range", 1690, "22003", "{} value is out of range in '{}'", "Cast, or use DECIMAL."},
    {"duplicate_entry", 1062, "23000", "Duplicate entry '{}' for key '{}'", "The row is there already."},
    {"unknown_function", 1305, "42000", "FUNCTION {} does not exist", "Check the name."},
    {"wrong_parameter_count", 1582, "42000", "Incorrect parameter count in the call to native function '{}'",
     "Check the function's arguments."},
    {"nesting_too_deep", 1436, "HY000", "Statement is nested deeper than {} levels",
     "Flatten the statement."},
    {"not_supported", 1235, "42000", "This version of Shardway doesn't yet support '{}'",
     "See the README for what is supported."},
    {"read_only_option", 1290, "HY000",
     "The MySQL server is running with the {} option so it cannot execute this statement",
     "Remove the option, or do without the statement."},
    {"out_of_sort_memory", 1038, "HY001", "Out of sort memory, consider increasing server sort buffer size",
     "Raise the budget in the rules."},
    {"internal_error", 1105, "HY000", "Shardway failed: {}",
     "This is a bug; please report it with the statement."},

    // Transactions
    {"lock_wait_timeout", 1205, "HY000", "Lock wait timeout exceeded; try restarting transaction",
     "Try the statement again."},
    {"deadlock", 1213, "40001", "Deadlock found when trying to get lock; try restarting transaction",
     "Run the transaction again."},
    {"lock_not_available", 3572, "HY000",
     "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.",
     "Try again later."},
    {"unknown_savepoint", 1305, "42000", "SAVEPOINT {} does not exist",
     "Set it first, in the same transaction."},
    {"transaction_in_progress", 1568, "25001",
     "Transaction characteristics can't be changed while a transaction is in progress",
     "COMMIT or ROLLBACK first."},
    {"read_only_transaction", 1792, "25006", "Cannot execute statement in a READ ONLY transaction.",
     "Start a read-write transaction."},
    {"xa_wrong_state", 1399, "XAE07",
     "XAER_RMFAIL: The command cannot be executed when global transaction is in the  {} state",
     "See MySQL's XA states."},
    {"second_node_refused", 1235, "42000",
     "This version of Shardway doesn't yet support 'a transaction that writes to more than one node' (it "
     "wrote to "
     "'{}', this statement writes to '{}')",
     "Keep the rows of a transaction on one node, or commit in between."},

    // Ours: nodes
    {"node_unreachable", 9000, "HY000", "Node '{}' cannot be reached: {}",
     "Check that it runs and that its address in the rules is right."},
    {"node_connect_timeout", 9001, "HY000", "Node '{}' did not complete a connection within {} ms",
     "Check its load and the network, or raise connect_timeout."},
    {"node_login_refused", 9002, "HY000", "Node '{}' refused Shardway's own login: {} ({}) {}",
     "Check the account in the rules; this is not about the client's user."},
    {"connections_exhausted", 9003, "HY000", "All {1} connections to node '{0}' stayed busy for {2} ms",
     "Shorten transactions, or raise the node's connections in the rules."},
    {"connection_lost", 9004, "HY000", "The connection to node '{}' was lost; nothing was changed",
     "Send the statement again."},
    {"outcome_unknown", 9005, "HY000",
     "The connection to node '{}' was lost while a write was under way; whether it took place is unknown",
     "Read the rows before writing again."},
    {"node_protocol_violation", 9006, "HY000", "Node '{}' sent what the protocol does not allow: {}",
     "Check that the address is a MySQL server, and report it if so."},
    {"node_read_only", 9007, "HY000", "Node '{}' is read-only", "A failover may be under way; try again."},
    {"node_charset_unknown", 9008, "HY000", "Node '{}' does not know the character set '{}'",
     "Use a character set that all nodes know."},
    {"no_replica_available", 9009, "HY000", "Node '{}' has no replica to read from: {}",
     "Read from the primary, or mend the replicas."},
    {"tls_unavailable", 9010, "HY000", "The node offers no TLS",
     "Configure it there, or set its tls to preferred in the rules."},

    // Ours: transactions
    {"transaction_node_lost", 9020, "HY000",
     "The transaction lost its connection to node '{}' and was rolled back",
     "ROLLBACK, then run the transaction again."},
    {"partial_commit", 9021, "HY000", "Committed on {}, but not on {}: {}",
     "Compare the rows on these nodes and complete the write or undo it by hand."},
    {"commit_undecided", 9022, "HY000", "The outcome of transaction '{}' is not known yet",
     "Recovery will finish it the same way on all nodes; read the rows before writing again."},

    // Ours: limits
    {"statement_budget_exceeded", 9040, "HY000", "The statement would buffer more than its {} bytes",
     "Select fewer rows or columns, or raise the statement's budget in the rules."},
    {"process_budget_exceeded", 9041, "HY000", "All statements together would buffer more than {} bytes",
     "Try again later, or raise the process's budget in the rules."},
    {"fan_out_exceeded", 9042, "HY000", "The statement goes to {} shards, more than the {} allowed",
     "Add a condition on the shard key, or raise the limit in the rules."},
    {"result_rows_exceeded", 9043, "HY000", "The result has more than the {} rows allowed",
     "Add conditions or a LIMIT, or raise the limit in the rules."},
    {"node_statement_too_large", 9044, "HY000",
     "The statement for node '{}' has {} bytes, more than its max_allowed_packet of {}",
     "Send less in one statement, or raise max_allowed_packet on the node."},
    {"statement_queue_full", 9045, "HY000", "More than {} statements wait for their turn",
     "Lower the load, or add capacity."},

    // Ours: routing and merging
    {"merge_order_violated", 9060, "HY000", "Shard '{}' sent rows in another order than was asked for",
     "Check that collations and server versions of the nodes are the same, and report it if so."},
    {"shard_columns_differ", 9061, "HY000", "Shards '{}' and '{}' answered with different columns",
     "Bring the tables on the nodes to one definition; `shardway check` shows where they differ."},
    {"shard_key_missing", 9062, "HY000", "A row for '{}' has no value for its shard key '{}'",
     "Name the column and give it a value."},
    {"shard_key_null", 9063, "HY000", "A row for '{}' has NULL as its shard key '{}'", "Give it a value."},
    {"shard_key_not_constant", 9064, "HY000",
     "A row for '{}' has a shard key '{}' that only the node could compute",
     "Give a literal or a parameter."},
    {"shard_key_value_invalid", 9065, "HY000",
     "A row for '{}' has a shard key '{}' that does not fit its type: {}",
     "Give a value of the column's type."},
    {"no_shard_for_value", 9066, "HY000", "Table '{}' has no shard for {} = {}",
     "Extend the ranges or lists of the rules."},
    {"shard_key_update_refused", 9067, "HY000",
     "The shard key of '{}', '{}', cannot be changed by this statement",
     "Delete the row and insert it anew."},
    {"not_distributable", 9068, "HY000", "{} cannot run over several shards: {}",
     "Add a condition on the shard key, or split the statement."},
    {"hint_invalid", 9069, "HY000", "Hint '{}' cannot be followed: {}", "Correct or remove the hint."},

    // Ours: ids
    {"id_clock_went_back", 9070, "HY000", "No id for a row of '{}.{}': {}",
     "Let the clock catch up, or mend it; nothing was written."},
    {"id_not_ready", 9071, "HY000", "No id for a row of '{}.{}': {}",
     "Send the statement again; if it persists look after the metadata store."},
    {"ids_exhausted", 9072, "HY000", "No id for a row of '{}.{}': {}",
     "Use a larger type for the column, or another generator."},
    {"id_gene_differs", 9073, "HY000",
     "Id {1} of column '{0}' carries slot {2} in its low bits, but its row lies in slot {3}",
     "Leave the id to the generator, or give one that carries the slot."},

    // Ours: shards and operation
    {"shard_fenced", 9080, "HY000", "Shard '{}' is being moved and takes no writes",
     "Try again in a moment."},
    {"topology_changed", 9081, "HY000", "The rules or the slot map changed while the statement ran",
     "Send the statement again."},
    {"rules_invalid", 9082, "HY000", "The rules cannot be used: {}",
     "Correct them; `shardway check` shows all faults."},
    {"admin_command_failed", 9083, "HY000", "{} failed: {}", "See the log for details."},
    {"feature_disabled", 9084, "HY000", "{} is off", "Turn it on by {}."},
};

// Names its row at compile time; a name that is none does not compile.
class Row {
public:
    consteval Row(const char* name) : row_{nullptr} {
        for (const ErrorRow& row : rows)
            if (row.name == name) row_ = &row;
        if (!row_) throw "no such row";
    }
    const ErrorRow& operator*() const { return *row_; }

private:
    const ErrorRow* row_;
};

// `text` cut to at most `limit` bytes, between two characters.
std::string_view cut_text(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) --limit;
    return text.substr(0, limit);
}

template <class... Args>
SqlError raise(Row row, const Args&... args) {
    std::string message;
    if ((*row).code >= 9000) {
        // The advice comes after whatever the arguments left room for, for it is what the reader needs most.
        const std::string template_text = fmt::format("{}. {}", (*row).wording, (*row).advice);
        message = fmt::format(fmt::runtime(template_text), args...);
    } else {
        message = fmt::format(fmt::runtime((*row).wording), args...);
    }
    return make_error((*row).code, (*row).sqlstate, message);
}

// MySQL shows at most 80 bytes of a statement's rest.
constexpr std::size_t near_bytes_max = 80;
// Other users' text inside a message: long enough for any identifier (64 characters of 4 bytes).
constexpr std::size_t argument_bytes_max = 256;

std::string_view cut(std::string_view argument) { return cut_text(argument, argument_bytes_max); }

}  // namespace

std::span<const ErrorRow> error_table() { return rows; }

SqlError make_error(std::uint16_t code, std::string_view sqlstate, std::string_view message) {
    return {code, std::string{sqlstate}, std::string{cut_text(message, message_bytes_max)}};
}

SqlError too_many_connections() { return raise("too_many_connections"); }
SqlError bad_handshake() { return raise("bad_handshake"); }
SqlError access_denied(std::string_view user, std::string_view host, bool with_password) {
    return raise("access_denied", cut(user), cut(host), with_password ? "YES" : "NO");
}
SqlError database_access_denied(std::string_view user, std::string_view host, std::string_view database) {
    return raise("database_access_denied", cut_text(user, 128), cut_text(host, 128), cut_text(database, 128));
}
SqlError privilege_needed(std::string_view privileges) { return raise("privilege_needed", cut(privileges)); }
SqlError command_denied(std::string_view command, std::string_view user, std::string_view host,
                        std::string_view table) {
    return raise("command_denied", cut_text(command, 128), cut_text(user, 128), cut_text(host, 128),
                 cut_text(table, 128));
}
SqlError auth_mode_unsupported() { return raise("auth_mode_unsupported"); }
SqlError auth_plugin_unknown(std::string_view plugin) { return raise("auth_plugin_unknown", cut(plugin)); }
SqlError tls_unavailable() { return raise("tls_unavailable"); }
SqlError secure_transport_required() { return raise("secure_transport_required"); }
SqlError connection_idle_timeout() { return raise("connection_idle_timeout"); }
SqlError server_shutting_down() { return raise("server_shutting_down"); }
SqlError user_connections_exceeded(std::string_view user, std::string_view resource, std::uint64_t limit) {
    return raise("user_connections_exceeded", cut_text(user, 128), cut_text(resource, 128), limit);
}
SqlError host_not_allowed(std::string_view host) { return raise("host_not_allowed", cut(host)); }
SqlError unknown_command() { return raise("unknown_command"); }
SqlError malformed_packet() { return raise("malformed_packet"); }
SqlError packet_too_large() { return raise("packet_too_large"); }
SqlError packets_out_of_order() { return raise("packets_out_of_order"); }
SqlError read_failed() { return raise("read_failed"); }
SqlError read_timed_out() { return raise("read_timed_out"); }
SqlError write_failed() { return raise("write_failed"); }
SqlError write_timed_out() { return raise("write_timed_out"); }
SqlError unknown_statement_handle(std::uint32_t id, std::string_view command) {
    return raise("unknown_statement_handle", id, cut(command));
}
SqlError unknown_prepared_statement(std::string_view name, std::string_view command) {
    return raise("unknown_prepared_statement", cut_text(name, 128), cut_text(command, 128));
}
SqlError wrong_arguments(std::string_view command) { return raise("wrong_arguments", cut(command)); }
SqlError too_many_placeholders() { return raise("too_many_placeholders"); }
SqlError too_many_prepared_statements(std::uint64_t limit) {
    return raise("too_many_prepared_statements", limit);
}
SqlError unsupported_in_prepared_statement() { return raise("unsupported_in_prepared_statement"); }
SqlError local_infile_disabled() { return raise("local_infile_disabled"); }
SqlError no_database_selected() { return raise("no_database_selected"); }
SqlError unknown_thread(std::uint64_t id) { return raise("unknown_thread", id); }
SqlError not_owner_of_thread(std::uint64_t id) { return raise("not_owner_of_thread", id); }
SqlError query_interrupted() { return raise("query_interrupted"); }
SqlError statement_timed_out() { return raise("statement_timed_out"); }
SqlError unknown_variable(std::string_view name) { return raise("unknown_variable", cut(name)); }
SqlError wrong_variable_value(std::string_view name, std::string_view value) {
    return raise("wrong_variable_value", cut_text(name, 128), cut_text(value, 128));
}
SqlError wrong_variable_type(std::string_view name) { return raise("wrong_variable_type", cut(name)); }
SqlError read_only_variable(std::string_view name) { return raise("read_only_variable", cut(name)); }
SqlError variable_is_session_only(std::string_view name, std::string_view kind) {
    return raise("variable_is_session_only", cut_text(name, 128), cut_text(kind, 128));
}
SqlError variable_is_global_only(std::string_view name) {
    return raise("variable_is_global_only", cut(name));
}
SqlError variable_has_no_default(std::string_view name) {
    return raise("variable_has_no_default", cut(name));
}
SqlError unknown_charset(std::string_view name) { return raise("unknown_charset", cut(name)); }
SqlError unknown_collation(std::string_view name) { return raise("unknown_collation", cut(name)); }
SqlError collation_charset_mismatch(std::string_view collation, std::string_view charset) {
    return raise("collation_charset_mismatch", cut_text(collation, 128), cut_text(charset, 128));
}
SqlError unknown_time_zone(std::string_view name) { return raise("unknown_time_zone", cut(name)); }
SqlError syntax_error(std::string_view near, std::uint32_t line) {
    return raise("syntax_error", cut_text(near, near_bytes_max), line);
}
SqlError parse_error(std::string_view problem, std::string_view near, std::uint32_t line,
                     std::uint32_t column) {
    return raise("parse_error", cut(problem), cut_text(near, near_bytes_max), line, column);
}
SqlError empty_query() { return raise("empty_query"); }
SqlError unknown_database(std::string_view database) { return raise("unknown_database", cut(database)); }
SqlError database_exists(std::string_view database) { return raise("database_exists", cut(database)); }
SqlError no_such_table(std::string_view database, std::string_view table) {
    return raise("no_such_table", cut_text(database, 128), cut_text(table, 128));
}
SqlError table_exists(std::string_view table) { return raise("table_exists", cut(table)); }
SqlError unknown_table(std::string_view table, std::string_view place) {
    return raise("unknown_table", cut_text(table, 128), cut_text(place, 128));
}
SqlError unknown_column(std::string_view column, std::string_view clause) {
    return raise("unknown_column", cut_text(column, 128), cut_text(clause, 128));
}
SqlError ambiguous_column(std::string_view column, std::string_view clause) {
    return raise("ambiguous_column", cut_text(column, 128), cut_text(clause, 128));
}
SqlError duplicate_alias(std::string_view alias) { return raise("duplicate_alias", cut(alias)); }
SqlError duplicate_column(std::string_view column) { return raise("duplicate_column", cut(column)); }
SqlError column_given_twice(std::string_view column) { return raise("column_given_twice", cut(column)); }
SqlError derived_table_needs_alias() { return raise("derived_table_needs_alias"); }
SqlError column_list_mismatch() { return raise("column_list_mismatch"); }
SqlError column_count_mismatch(std::uint64_t row) { return raise("column_count_mismatch", row); }
SqlError union_columns_mismatch() { return raise("union_columns_mismatch"); }
SqlError operand_columns(std::uint64_t columns) { return raise("operand_columns", columns); }
SqlError subquery_returns_more_rows() { return raise("subquery_returns_more_rows"); }
SqlError invalid_group_function() { return raise("invalid_group_function"); }
SqlError mixed_aggregation() { return raise("mixed_aggregation"); }
SqlError wrong_group_field(std::string_view column) { return raise("wrong_group_field", cut(column)); }
SqlError not_grouped(std::string_view clause, std::uint64_t position, std::string_view column) {
    return raise("not_grouped", cut_text(clause, 128), position, cut_text(column, 128));
}
SqlError wrong_usage(std::string_view a, std::string_view b) {
    return raise("wrong_usage", cut_text(a, 128), cut_text(b, 128));
}
SqlError no_tables_used() { return raise("no_tables_used"); }
SqlError column_cannot_be_null(std::string_view column) {
    return raise("column_cannot_be_null", cut(column));
}
SqlError no_default_for_column(std::string_view column) {
    return raise("no_default_for_column", cut(column));
}
SqlError out_of_range(std::string_view column, std::uint64_t row) {
    return raise("out_of_range", cut(column), row);
}
SqlError data_too_long(std::string_view column, std::uint64_t row) {
    return raise("data_too_long", cut(column), row);
}
SqlError incorrect_value(std::string_view type, std::string_view value, std::string_view column,
                         std::uint64_t row) {
    return raise("incorrect_value", cut_text(type, 128), cut_text(value, 128), cut_text(column, 128), row);
}
SqlError value_out_of_range(std::string_view type, std::string_view expression) {
    return raise("value_out_of_range", cut_text(type, 128), cut_text(expression, 128));
}
SqlError duplicate_entry(std::string_view entry, std::string_view key) {
    return raise("duplicate_entry", cut_text(entry, 128), cut_text(key, 128));
}
SqlError unknown_function(std::string_view function) { return raise("unknown_function", cut(function)); }
SqlError wrong_parameter_count(std::string_view function) {
    return raise("wrong_parameter_count", cut(function));
}
SqlError nesting_too_deep(std::uint64_t limit) { return raise("nesting_too_deep", limit); }
SqlError not_supported(std::string_view what) { return raise("not_supported", cut(what)); }
SqlError read_only_option(std::string_view option) { return raise("read_only_option", cut(option)); }
SqlError out_of_sort_memory() { return raise("out_of_sort_memory"); }
SqlError internal_error(std::string_view what) { return raise("internal_error", cut(what)); }
SqlError lock_wait_timeout() { return raise("lock_wait_timeout"); }
SqlError deadlock() { return raise("deadlock"); }
SqlError lock_not_available() { return raise("lock_not_available"); }
SqlError unknown_savepoint(std::string_view name) { return raise("unknown_savepoint", cut(name)); }
SqlError transaction_in_progress() { return raise("transaction_in_progress"); }
SqlError read_only_transaction() { return raise("read_only_transaction"); }
SqlError xa_wrong_state(std::string_view state) { return raise("xa_wrong_state", cut(state)); }
SqlError second_node_refused(std::string_view first_node, std::string_view second_node) {
    return raise("second_node_refused", cut_text(first_node, 128), cut_text(second_node, 128));
}
SqlError node_unreachable(std::string_view node, std::string_view reason) {
    return raise("node_unreachable", cut_text(node, 128), cut_text(reason, 128));
}
SqlError node_connect_timeout(std::string_view node, std::chrono::milliseconds waited) {
    return raise("node_connect_timeout", cut(node), waited.count());
}
bool is_node_unavailable(const SqlError& error) {
    return error.code == node_unreachable("", "").code || error.code == node_connect_timeout("", {}).code;
}
SqlError node_login_refused(std::string_view node, const SqlError& answer) {
    return raise("node_login_refused", cut_text(node, 64), answer.code, answer.sqlstate, cut(answer.message));
}
SqlError connections_exhausted(std::string_view node, std::uint64_t cap, std::chrono::milliseconds waited) {
    return raise("connections_exhausted", cut(node), cap, waited.count());
}
SqlError connection_lost(std::string_view node) { return raise("connection_lost", cut(node)); }
SqlError outcome_unknown(std::string_view node) { return raise("outcome_unknown", cut(node)); }
SqlError node_protocol_violation(std::string_view node, std::string_view what) {
    return raise("node_protocol_violation", cut_text(node, 128), cut_text(what, 128));
}
SqlError node_read_only(std::string_view node) { return raise("node_read_only", cut(node)); }
SqlError node_charset_unknown(std::string_view node, std::string_view charset) {
    return raise("node_charset_unknown", cut_text(node, 128), cut_text(charset, 128));
}
SqlError no_replica_available(std::string_view node, std::string_view why) {
    return raise("no_replica_available", cut_text(node, 128), cut_text(why, 128));
}
SqlError transaction_node_lost(std::string_view node) { return raise("transaction_node_lost", cut(node)); }
SqlError partial_commit(std::span<const std::string_view> committed, std::span<const std::string_view> failed,
                        std::string_view reason) {
    const std::string done = fmt::format("'{}'", fmt::join(committed, "', '"));
    const std::string open = fmt::format("'{}'", fmt::join(failed, "', '"));
    return raise("partial_commit", cut_text(done, 128), cut_text(open, 128), cut_text(reason, 128));
}
SqlError commit_undecided(std::string_view transaction) {
    return raise("commit_undecided", cut(transaction));
}
SqlError statement_budget_exceeded(std::uint64_t limit_bytes) {
    return raise("statement_budget_exceeded", limit_bytes);
}
SqlError process_budget_exceeded(std::uint64_t limit_bytes) {
    return raise("process_budget_exceeded", limit_bytes);
}
SqlError fan_out_exceeded(std::uint64_t shards, std::uint64_t limit) {
    return raise("fan_out_exceeded", shards, limit);
}
SqlError result_rows_exceeded(std::uint64_t limit) { return raise("result_rows_exceeded", limit); }
SqlError node_statement_too_large(std::string_view node, std::uint64_t bytes, std::uint64_t limit) {
    return raise("node_statement_too_large", cut(node), bytes, limit);
}
SqlError statement_queue_full(std::uint64_t limit) { return raise("statement_queue_full", limit); }
SqlError merge_order_violated(std::string_view shard) { return raise("merge_order_violated", cut(shard)); }
SqlError shard_columns_differ(std::string_view first_shard, std::string_view other_shard) {
    return raise("shard_columns_differ", cut_text(first_shard, 128), cut_text(other_shard, 128));
}
SqlError shard_key_missing(std::string_view table, std::string_view column) {
    return raise("shard_key_missing", cut_text(table, 128), cut_text(column, 128));
}
SqlError shard_key_null(std::string_view table, std::string_view column) {
    return raise("shard_key_null", cut_text(table, 128), cut_text(column, 128));
}
SqlError shard_key_not_constant(std::string_view table, std::string_view column) {
    return raise("shard_key_not_constant", cut_text(table, 128), cut_text(column, 128));
}
SqlError shard_key_value_invalid(std::string_view table, std::string_view column, std::string_view why) {
    return raise("shard_key_value_invalid", cut_text(table, 128), cut_text(column, 128), cut_text(why, 128));
}
SqlError no_shard_for_value(std::string_view table, std::string_view column, std::string_view value) {
    return raise("no_shard_for_value", cut_text(table, 128), cut_text(column, 128), cut_text(value, 128));
}
SqlError id_clock_went_back(std::string_view database, std::string_view table, std::string_view why) {
    return raise("id_clock_went_back", cut_text(database, 128), cut_text(table, 128), why);
}
SqlError id_not_ready(std::string_view database, std::string_view table, std::string_view why) {
    return raise("id_not_ready", cut_text(database, 128), cut_text(table, 128), why);
}
bool is_id_not_ready(const SqlError& error) { return error.code == id_not_ready("", "", "").code; }
SqlError ids_exhausted(std::string_view database, std::string_view table, std::string_view why) {
    return raise("ids_exhausted", cut_text(database, 128), cut_text(table, 128), why);
}
SqlError id_gene_differs(std::string_view column, std::uint64_t id, std::uint64_t carried,
                         std::uint64_t slot) {
    return raise("id_gene_differs", cut_text(column, 128), id, carried, slot);
}
SqlError shard_key_update_refused(std::string_view table, std::string_view column) {
    return raise("shard_key_update_refused", cut_text(table, 128), cut_text(column, 128));
}
SqlError not_distributable(std::string_view what, std::string_view why) {
    return raise("not_distributable", cut_text(what, 128), cut_text(why, 128));
}
SqlError hint_invalid(std::string_view hint, std::string_view why) {
    return raise("hint_invalid", cut_text(hint, 128), cut_text(why, 128));
}
SqlError shard_fenced(std::string_view shard) { return raise("shard_fenced", cut(shard)); }
SqlError topology_changed() { return raise("topology_changed"); }
SqlError rules_invalid(std::string_view why) { return raise("rules_invalid", cut(why)); }
SqlError admin_command_failed(std::string_view command, std::string_view why) {
    return raise("admin_command_failed", cut_text(command, 128), cut_text(why, 128));
}
SqlError feature_disabled(std::string_view feature, std::string_view setting) {
    return raise("feature_disabled", cut_text(feature, 128), cut_text(setting, 128));
}

}  // namespace shardway::protocol
