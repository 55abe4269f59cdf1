// The tree, fifth part: SHOW, EXPLAIN and administration.
#pragma once

#include "sqlparse/ast_ddl.hpp"

namespace shardway::sqlparse {

enum class ShowKind : std::uint8_t {
    databases,
    tables,
    full_tables,
    table_status,
    columns,
    index,
    create_table,
    create_view,
    create_database,
    create_other,  // EVENT, FUNCTION, PROCEDURE, TRIGGER, USER, SEQUENCE, …: `word`
    variables,
    status,
    warnings,
    errors,
    count_warnings,
    count_errors,
    processlist,
    engines,
    engine,  // ENGINE name STATUS|MUTEX|LOGS
    character_set,
    collation,
    privileges,
    grants,
    plugins,
    profiles,
    profile,
    open_tables,
    triggers,
    events,
    function_status,
    procedure_status,
    library_status,
    function_code,
    procedure_code,
    binary_logs,
    binary_log_status,
    master_status,
    replica_status,
    replicas,
    binlog_events,
    relaylog_events,
    other,  // MariaDB's rarer ones, whole in `rest`
};

struct Show {
    ShowKind kind;
    bool full = false;
    bool extended = false;
    bool storage_word = false;
    VariableScope scope = VariableScope::none;
    bool if_not_exists = false;
    Name word;            // the word that chose the kind where several do: SCHEMAS, KEYS, FIELDS, …
    QualifiedName table;  // of columns, index, create_…
    Name database;        // FROM or IN database, alone or after the table
    Span database_span;   // from FROM to its end
    Expr like;
    Expr where;
    const Limit* limit = nullptr;
    Raw rest;  // what has no member of its own
};

// DESCRIBE t, DESC t column, EXPLAIN t.
struct Describe {
    Name word;
    QualifiedName table;
    Name column;  // a column, or a pattern in quotes
};

enum class ExplainFormat : std::uint8_t { none, traditional, tree, json, other };

struct Explain {
    Name word;
    bool analyze = false;
    bool extended = false;    // MariaDB
    bool partitions = false;  // MariaDB
    ExplainFormat format = ExplainFormat::none;
    Name format_word;
    Name into;        // INTO @variable, with the @ in its span
    Name schema;      // FOR SCHEMA name, FOR DATABASE name
    Expr connection;  // FOR CONNECTION n
    const struct Statement* statement = nullptr;
};

// FLUSH …
struct Flush {
    bool no_write_to_binlog = false;
    bool local = false;
    bool tables = false;  // TABLE, TABLES
    List<QualifiedName> names;
    bool read_lock = false;
    bool for_export = false;
    Raw rest;  // the other things to flush
};

enum class MaintainKind : std::uint8_t {
    analyze,
    check,
    optimize,
    repair,
    checksum,
    cache_index,
    load_index
};

// ANALYZE, CHECK, OPTIMIZE, REPAIR, CHECKSUM TABLE.
struct Maintain {
    MaintainKind kind;
    bool no_write_to_binlog = false;
    bool local = false;
    bool tables_word = false;
    List<QualifiedName> tables;
    Raw rest;
};

// A statement of a kind whose inside is not read (CREATE PROCEDURE, GRANT, CREATE USER, RESET, …). Its tokens
// were lexed, its parentheses balance, nothing more. `kind` is its first words in lower case, such as "create
// procedure".
struct Unread {
    std::string_view kind;
};

}  // namespace shardway::sqlparse
