// The tree, second part: queries and what stands in FROM.
#pragma once

#include "sqlparse/ast_expr.hpp"

namespace shardway::sqlparse {

struct Select;
struct SetOperation;
struct ValuesTable;
struct TableQuery;

// A term of a query: SELECT …, a set operation, VALUES ROW(…), TABLE t, or a query in parentheses.
using QueryTerm = std::variant<std::monostate, const Select*, const SetOperation*, const ValuesTable*,
                               const TableQuery*, const Query*>;

struct CommonTable {
    Name name;
    List<Name> columns;
    const Query* query;
    Span body;  // the query with its parentheses
    // MariaDB: CYCLE a, b RESTRICT
    List<Name> cycle;
};

struct With {
    bool recursive = false;
    List<CommonTable> tables;
    Span span;
};

enum class LockStrength : std::uint8_t { update, share, share_mode };    // share_mode is LOCK IN SHARE MODE
enum class LockWait : std::uint8_t { none, nowait, skip_locked, wait };  // WAIT n is MariaDB's

struct Locking {
    LockStrength strength;
    List<Name>
        of;  // tables or aliases; qualified ones only by their last part in `of`, their span covers all
    LockWait wait = LockWait::none;
    Expr seconds;  // of WAIT n
    Span span;
};

enum class IntoKind : std::uint8_t { variables, outfile, dumpfile };

// FIELDS and LINES of INTO OUTFILE and LOAD DATA. Each an absent expression when not written.
struct FileFormat {
    Expr fields_terminated;
    Expr enclosed;
    bool optionally = false;
    Expr escaped;
    Expr lines_starting;
    Expr lines_terminated;
};

struct Into {
    IntoKind kind;
    List<Expr> variables;  // UserVariable, or Column for a stored program's
    Expr file;
    Name charset;
    FileFormat format;
    Span span;
};

// A query expression: a statement, a subquery, a derived table, a CTE's body. Its span counts no parentheses
// around it. ORDER BY, LIMIT, locking and INTO of a plain SELECT are here, not in the Select.
struct Query {
    Span span;
    const With* with = nullptr;
    QueryTerm term;
    List<OrderItem> order_by;
    Span order_by_span;  // from ORDER to its end
    const Limit* limit = nullptr;
    List<Locking> locking;
    const Into* into = nullptr;

    // The SELECT, where it is just one; else null.
    const Select* select() const {
        const auto* found = std::get_if<const Select*>(&term);
        return found ? *found : nullptr;
    }
};

enum class SetOp : std::uint8_t { none, union_, except_, intersect };
enum class SetQuantifier : std::uint8_t { none, distinct, all };

// The first operand has no operator. INTERSECT binds tighter: a chain of them is one operand, itself a
// SetOperation.
struct SetOperand {
    SetOp op = SetOp::none;
    SetQuantifier quantifier = SetQuantifier::none;
    QueryTerm term;
    Span span;  // of the term, with its parentheses
};

struct SetOperation {
    List<SetOperand> operands;
};

struct ValuesRow {
    Span span;
    List<Expr> values;
};

// VALUES ROW(1, 2), ROW(3, 4)
struct ValuesTable {
    List<ValuesRow> rows;
    bool row_keyword = true;  // MariaDB's VALUES (1, 2) has none
};

// TABLE t
struct TableQuery {
    QualifiedName table;
};

struct SelectItem {
    Expr expr;
    Name alias;
    // From the expression's first byte, with any parentheses, to its last: the text that MySQL makes the
    // label when there is no alias.
    Span label;
    Span span;  // with the alias
};

enum class SelectOption : std::uint16_t {
    none = 0,
    all = 1,
    distinct = 2,
    high_priority = 4,
    straight_join = 8,
    sql_small_result = 16,
    sql_big_result = 32,
    sql_buffer_result = 64,
    sql_no_cache = 128,
    sql_calc_found_rows = 256,
    sql_cache = 512,
};

struct NamedWindow {
    Name name;
    WindowSpec spec;
};

struct TableRef;

struct Select {
    Span span;                  // from SELECT to the end of HAVING or WINDOW
    std::uint16_t options = 0;  // SelectOption, or-ed
    Raw hint;                   // /*+ … */ or empty
    List<SelectItem> items;
    Span items_span;
    List<TableRef> from;  // empty without FROM; DUAL is `dual`
    bool dual = false;
    Span from_span;  // from FROM to its end
    Expr where;
    List<OrderItem> group_by;
    bool rollup = false;
    bool rollup_call = false;  // GROUP BY ROLLUP (…)
    Raw grouping_sets;         // CUBE (…) or GROUPING SETS (…), unread
    Span group_by_span;
    Expr having;
    List<NamedWindow> windows;
    Expr qualify;

    bool has(SelectOption option) const { return (options & static_cast<std::uint16_t>(option)) != 0; }
};

enum class IndexHintKind : std::uint8_t { use, force, ignore };
enum class IndexHintFor : std::uint8_t { all, join, order_by, group_by };

struct IndexHint {
    IndexHintKind kind;
    IndexHintFor purpose = IndexHintFor::all;
    List<Name> indexes;
    Span span;
};

// MariaDB: FOR SYSTEM_TIME AS OF x, BETWEEN x AND y, FROM x TO y, ALL.
enum class SystemTimeKind : std::uint8_t { none, as_of, between, from_to, all };
enum class SystemTimeUnit : std::uint8_t { none, timestamp, transaction };

struct SystemTime {
    SystemTimeKind kind = SystemTimeKind::none;
    SystemTimeUnit unit = SystemTimeUnit::none;
    Expr from;
    Expr to;
};

struct TableName {
    QualifiedName name;
    List<Name> partitions;
    Name alias;
    List<IndexHint> hints;
    const SystemTime* system_time = nullptr;
    Expr sample;  // TABLESAMPLE … (n): the percentage
    Name sample_method;
};

struct DerivedTable {
    const Query* query;
    Span body;  // the query with its parentheses
    Name alias;
    List<Name> columns;
    bool lateral = false;
};

struct JsonTableColumn;

enum class JsonTableColumnKind : std::uint8_t { ordinality, path, exists, nested };

struct JsonTableColumn {
    JsonTableColumnKind kind;
    Name name;
    const DataType* type = nullptr;
    Name collation;
    Expr path;
    JsonOn on_empty;
    JsonOn on_error;
    List<JsonTableColumn> nested;
};

struct JsonTable {
    Expr document;
    Expr path;
    List<JsonTableColumn> columns;
    Name alias;
};

enum class JoinKind : std::uint8_t {
    inner,
    cross,
    straight,
    left,
    right,
    natural,
    natural_left,
    natural_right
};

struct Join;

// Tables in parentheses, (a, b) or (a JOIN b), and ODBC's {oj …}.
struct TableGroup {
    List<TableRef> tables;
    bool odbc = false;
};

struct TableRef {
    Span span;
    std::variant<std::monostate, const TableName*, const DerivedTable*, const JsonTable*, const Join*,
                 const TableGroup*>
        node;

    template <class T>
    const T* as() const {
        const auto* found = std::get_if<const T*>(&node);
        return found ? *found : nullptr;
    }
};

struct Join {
    JoinKind kind;
    bool keyword_outer = false;  // LEFT OUTER JOIN
    bool keyword_inner = false;
    TableRef left;
    TableRef right;
    Expr on;
    List<Name> using_columns;
};

}  // namespace shardway::sqlparse
