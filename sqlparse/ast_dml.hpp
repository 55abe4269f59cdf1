// The tree, third part: statements that change rows, and those around them.
#pragma once

#include "sqlparse/ast_select.hpp"

namespace shardway::sqlparse {

// column = value, in UPDATE, INSERT … SET, ON DUPLICATE KEY UPDATE and LOAD DATA. `target` is a Column, or a
// UserVariable in LOAD DATA's column list.
struct Assignment {
    Expr target;
    Expr value;
    Span span;
};

enum class Priority : std::uint8_t { none, low, high, delayed };

struct InsertRow {
    Span span;  // with the parentheses (and ROW)
    List<Expr> values;
};

enum class InsertSource : std::uint8_t { values, set, query };

struct Insert {
    bool replace = false;
    Priority priority = Priority::none;
    bool ignore = false;
    bool into = false;  // INTO was written
    Raw hint;
    QualifiedName table;
    List<Name> partitions;
    bool has_columns = false;  // a list was written, perhaps an empty one
    List<Expr> columns;        // Column nodes
    Span
        columns_span;  // the list with its parentheses; empty, at the place where it would stand, without one
    InsertSource source = InsertSource::values;
    List<InsertRow> rows;  // of values
    Span rows_span;        // from VALUES to the end of the last row
    bool row_keyword =
        false;  // VALUES ROW(1), ROW(2): MySQL reads it as a query, the rows are here all the same
    bool value_keyword = false;  // VALUE was written
    List<Assignment> set;
    Span set_span;
    const Query* query = nullptr;
    bool query_parenthesized = false;
    Name row_alias;  // AS new (a, b)
    List<Name> column_aliases;
    List<Assignment> on_duplicate;
    Span on_duplicate_span;      // from ON to its end
    List<SelectItem> returning;  // MariaDB
};

struct Update {
    const With* with = nullptr;
    Raw hint;
    bool low_priority = false;
    bool ignore = false;
    List<TableRef> tables;  // more than one, or a join: multi-table
    List<Assignment> set;
    Span set_span;  // from SET to its end
    Expr where;
    List<OrderItem> order_by;
    const Limit* limit = nullptr;
    const struct Period* portion = nullptr;  // MariaDB: FOR PORTION OF

    bool multi_table() const { return tables.size() > 1 || !tables[0].as<TableName>(); }
};

enum class DeleteForm : std::uint8_t {
    single,      // DELETE FROM t [AS a] …
    from,        // DELETE a, b FROM …
    from_using,  // DELETE FROM a, b USING …
};

struct DeleteTarget {
    QualifiedName name;
    bool dot_star = false;  // t.*
    Span span;
};

struct Delete {
    const With* with = nullptr;
    Raw hint;
    bool low_priority = false;
    bool quick = false;
    bool ignore = false;
    DeleteForm form = DeleteForm::single;
    List<DeleteTarget> targets;  // of the multi-table forms
    List<TableRef> from;         // one TableName in the single form
    Expr where;
    List<OrderItem> order_by;
    const Limit* limit = nullptr;
    List<SelectItem> returning;              // MariaDB
    const struct Period* portion = nullptr;  // MariaDB: FOR PORTION OF
    bool history = false;                    // MariaDB: DELETE HISTORY FROM t BEFORE SYSTEM_TIME …
    Expr before;
};

// MariaDB: FOR PORTION OF name FROM x TO y
struct Period {
    Name name;
    Expr from;
    Expr to;
};

enum class DuplicateRows : std::uint8_t { error, replace, ignore };

struct LoadData {
    bool xml = false;
    Priority priority = Priority::none;
    bool concurrent = false;
    bool local = false;
    Raw bulk;       // MySQL's bulk load: FROM, URL, S3
    Raw bulk_rest;  // COUNT n, IN PRIMARY KEY ORDER
    Expr file;
    Span local_span;
    DuplicateRows duplicates = DuplicateRows::error;
    QualifiedName table;
    List<Name> partitions;
    Name charset;
    Expr rows_identified;
    FileFormat format;
    Span format_span;
    Expr ignore_lines;
    bool ignore_rows_word = false;
    List<Expr> columns;  // Column or UserVariable
    Span columns_span;
    List<Assignment> set;
    Span set_span;
};

struct Call {
    QualifiedName procedure;
    List<Expr> arguments;
    bool parentheses = false;
};

struct Do {
    List<SelectItem> expressions;
};

enum class HandlerForm : std::uint8_t { open, close, read };

struct Handler {
    HandlerForm form;
    QualifiedName table;
    Name alias;
    Name index;
    Name direction;  // FIRST, NEXT, PREV, LAST
    bool has_values = false;
    BinaryOp compare = BinaryOp::equal;
    List<Expr> values;
    Expr where;
    const Limit* limit = nullptr;
};

// Transactions.

enum class TransactionAccess : std::uint8_t { none, read_write, read_only };

struct Begin {
    bool start_transaction = false;  // START TRANSACTION, else BEGIN [WORK]
    bool work = false;
    bool consistent_snapshot = false;
    TransactionAccess access = TransactionAccess::none;
};

enum class Tristate : std::uint8_t { unset, no, yes };

struct Commit {
    bool work = false;
    Tristate chain = Tristate::unset;
    Tristate release = Tristate::unset;
};

struct Rollback {
    bool work = false;
    Tristate chain = Tristate::unset;
    Tristate release = Tristate::unset;
    Name savepoint;  // ROLLBACK TO
};

struct Savepoint {
    Name name;
};

struct ReleaseSavepoint {
    Name name;
};

enum class XaForm : std::uint8_t { start, end, prepare, commit, rollback, recover };

struct Xa {
    XaForm form;
    bool begin_word = false;
    Expr gtrid;
    Expr bqual;
    Expr format_id;
    bool join = false;
    bool resume = false;
    bool suspend = false;
    bool for_migrate = false;
    bool one_phase = false;
    bool convert_xid = false;
};

enum class LockKind : std::uint8_t { read, read_local, write, low_priority_write, write_concurrent };

struct LockedTable {
    QualifiedName table;
    Name alias;
    LockKind kind;
    Span span;
};

struct LockTables {
    List<LockedTable> tables;
};

enum class InstanceForm : std::uint8_t { none, lock_instance, unlock_instance };

// UNLOCK TABLES; LOCK INSTANCE FOR BACKUP and UNLOCK INSTANCE.
struct UnlockTables {
    InstanceForm instance = InstanceForm::none;
};

// Sessions.

enum class SetKind : std::uint8_t {
    variable,       // [scope] name = value, @@scope.name = value
    user_variable,  // @name = value
    names,          // NAMES charset [COLLATE collation], NAMES DEFAULT
    charset,        // CHARACTER SET charset
    transaction,    // [scope] TRANSACTION characteristics
    password,       // PASSWORD [FOR account] = …
    role,           // ROLE …, DEFAULT ROLE …
    resource_group,
    statement,  // MariaDB: SET STATEMENT a = b FOR …
};

enum class IsolationLevel : std::uint8_t {
    none,
    read_uncommitted,
    read_committed,
    repeatable_read,
    serializable
};

struct SetItem {
    SetKind kind;
    Span span;
    VariableScope scope = VariableScope::none;
    bool at_at = false;  // the name was written @@name
    Name base;
    Name name;     // of the variable, without @ and scope
    Expr value;    // DEFAULT is a DefaultOf; a bare word (ON, utf8mb4) a Column with only a name
    Name charset;  // of names and charset: a word or a string; empty for DEFAULT
    Name collation;
    IsolationLevel isolation = IsolationLevel::none;
    TransactionAccess access = TransactionAccess::none;
    Raw rest;  // of password, role and resource_group: what follows, unread
};

struct Set {
    List<SetItem> items;
    const struct Statement* statement = nullptr;  // of SET STATEMENT … FOR
};

struct Use {
    Name database;
};

enum class KillKind : std::uint8_t { connection, query };

struct Kill {
    KillKind kind = KillKind::connection;
    bool keyword = false;  // CONNECTION was written
    Expr id;
    bool hard = false;  // MariaDB: HARD, SOFT
    bool soft = false;
    bool query_id = false;  // MariaDB: KILL QUERY ID n
    Raw user;               // MariaDB: KILL USER account
};

struct Prepare {
    Name name;
    Expr from;  // a string literal or a UserVariable
};

struct Execute {
    Name name;
    List<Expr> arguments;  // USING
    Expr immediate;        // MariaDB: EXECUTE IMMEDIATE expr; `name` is empty then
};

struct Deallocate {
    Name name;
    bool drop = false;  // DROP PREPARE
};

}  // namespace shardway::sqlparse
