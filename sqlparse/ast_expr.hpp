// The tree of a statement, first part: names, literals, expressions.
//
// Nodes lie in the parser's Arena and are views into the statement's text: both must outlive them. They are
// plain and never change. A sum of kinds is a std::variant, whose alternatives are small values or pointers
// into the arena.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "sqlparse/arena.hpp"
#include "sqlparse/token.hpp"

namespace shardway::sqlparse {

struct Query;
struct WindowSpec;
struct DataType;

// An identifier. `text` is what it names: without quotes, doubled quotes made one (then a copy in the arena).
// `span` is what stands in the statement, with its quotes.
struct Name {
    std::string_view text;
    Span span;

    bool empty() const { return span.empty(); }
    explicit operator bool() const { return !span.empty(); }
    bool quoted() const { return span.length != text.size(); }
};

// `name`, or `database.name`. `span` covers all of it.
struct QualifiedName {
    Name database;
    Name name;

    Span span() const { return database ? cover(database.span, name.span) : name.span; }
};

inline constexpr std::uint32_t no_hole = UINT32_MAX;

enum class LiteralKind : std::uint8_t {
    integer,
    decimal,
    floating,
    string,           // also with a charset introducer
    national_string,  // N'…'
    hex,              // also with a charset introducer
    bit,
    null_value,
    true_value,
    false_value,
    date,  // DATE '…'
    time,
    timestamp,
    parameter,  // only in Scan: the tree has Parameter
};

// The expression's span covers all of it, with introducer, DATE, and the adjacent strings that make one ('a'
// 'b'). literal.hpp gives the value.
struct Literal {
    LiteralKind kind = LiteralKind::null_value;
    bool introduced = false;  // _charset before it
    bool pieces = false;      // several adjacent strings
    // The literal's parameter hole in the plan key (scan.hpp); no_hole when parsed without a Scan, and for
    // NULL, TRUE, FALSE, which have none.
    std::uint32_t hole = no_hole;
};

// A `?`; `ordinal` counts them from 0.
struct Parameter {
    std::uint32_t ordinal = 0;
    std::uint32_t hole = no_hole;
};

struct Column;
struct Star;
struct UserVariable;
struct SystemVariable;
struct DefaultOf;
struct Unary;
struct Binary;
struct Logical;
struct IsTest;
struct Between;
struct InList;
struct InQuery;
struct Like;
struct Quantified;
struct Row;
struct Subquery;
struct Exists;
struct Case;
struct Interval;
struct Cast;
struct Function;
struct Aggregate;
struct WindowFunction;
struct Match;
struct JsonValue;
struct Collate;
struct OdbcEscape;
struct SequenceValue;

// `span` does not count parentheses around the expression: the printer puts them where precedence asks for
// them.
struct Expr {
    Span span;
    std::variant<std::monostate, Literal, Parameter, const Column*, const Star*, const UserVariable*,
                 const SystemVariable*, const DefaultOf*, const Unary*, const Binary*, const Logical*,
                 const IsTest*, const Between*, const InList*, const InQuery*, const Like*, const Quantified*,
                 const Row*, const Subquery*, const Exists*, const Case*, const Interval*, const Cast*,
                 const Function*, const Aggregate*, const WindowFunction*, const Match*, const JsonValue*,
                 const Collate*, const OdbcEscape*, const SequenceValue*>
        node;

    // The node as a T, or null: `if (const Column* column = expr.as<Column>())`.
    template <class T>
    const T* as() const {
        if constexpr (std::is_same_v<T, Literal> || std::is_same_v<T, Parameter>) {
            return std::get_if<T>(&node);
        } else {
            const auto* found = std::get_if<const T*>(&node);
            return found ? *found : nullptr;
        }
    }
    // False for the absent expression, which optional members hold.
    explicit operator bool() const { return node.index() != 0; }
};

// `name`, `table.name`, `database.table.name`.
struct Column {
    Name database;
    Name table;
    Name name;
};

// `*`, `table.*`, `database.table.*` as a select item.
struct Star {
    Name database;
    Name table;
};

// @name, or @name := value.
struct UserVariable {
    Name name;  // without the @; the span has it
    Expr assigned;
};

enum class VariableScope : std::uint8_t { none, session, local, global, persist, persist_only };

// @@name, @@global.name, @@session.base.name.
struct SystemVariable {
    VariableScope scope = VariableScope::none;
    Name base;  // such as a key cache or component, often empty
    Name name;
};

// DEFAULT, or DEFAULT(column) when `column` is there. MariaDB's IGNORE as a value is `ignore`.
struct DefaultOf {
    Expr column;
    bool ignore = false;
};

enum class UnaryOp : std::uint8_t { plus, minus, bit_not, logical_not, bang, binary };

struct Unary {
    UnaryOp op;
    Expr operand;
};

enum class BinaryOp : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    int_divide,
    modulo,  // % and MOD
    bit_and,
    bit_or,
    bit_xor,
    shift_left,
    shift_right,
    concat,  // || with PIPES_AS_CONCAT
    logical_xor,
    equal,
    null_safe_equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    sounds_like,
    regexp,  // REGEXP, RLIKE
    not_regexp,
    member_of,     // right is the JSON array
    json_extract,  // column -> 'path'
    json_unquote,  // column ->> 'path'
};

struct Binary {
    BinaryOp op;
    Expr left;
    Expr right;
};

enum class LogicalOp : std::uint8_t { and_, or_ };

// `a AND b AND c` is one node with three operands; operands that stood in parentheses are nodes of their own.
struct Logical {
    LogicalOp op;
    List<Expr> operands;
};

enum class IsKind : std::uint8_t { null_, true_, false_, unknown, json };

struct IsTest {
    Expr operand;
    IsKind kind;
    bool negated = false;
};

struct Between {
    Expr operand;
    Expr low;
    Expr high;
    bool negated = false;
};

struct InList {
    Expr operand;
    List<Expr> items;
    Span list;  // with its parentheses
    bool negated = false;
};

struct InQuery {
    Expr operand;
    const Query* query;
    Span list;  // the query with its parentheses
    bool negated = false;
};

struct Like {
    Expr operand;
    Expr pattern;
    Expr escape;
    bool negated = false;
};

enum class Quantifier : std::uint8_t { any, all };

// `operand op ANY (query)`; SOME is ANY.
struct Quantified {
    BinaryOp op;
    Quantifier quantifier;
    Expr operand;
    const Query* query;
};

// (a, b) or ROW(a, b)
struct Row {
    List<Expr> items;
    bool keyword = false;  // ROW was written
};

struct Subquery {
    const Query* query;
};

struct Exists {
    const Query* query;
};

struct When {
    Expr condition;
    Expr value;
};

struct Case {
    Expr operand;
    List<When> whens;
    Expr otherwise;
};

// INTERVAL value unit: an operand of + and -, an argument of DATE_ADD and its like.
struct Interval {
    Expr value;
    Name unit;
};

enum class CastForm : std::uint8_t { cast, convert, convert_using };

// CAST(x AS type [ARRAY]), CONVERT(x, type), CONVERT(x USING charset).
struct Cast {
    CastForm form;
    Expr operand;
    const DataType* type = nullptr;
    Name charset;
    Expr at_time_zone;  // CAST(x AT TIME ZONE '+00:00' AS DATETIME)
    bool array = false;
};

enum class FunctionForm : std::uint8_t {
    call,           // name(a, b)
    bare,           // CURRENT_DATE
    from_for,       // SUBSTRING(a FROM b FOR c)
    position,       // POSITION(a IN b)
    trim,           // TRIM([BOTH|LEADING|TRAILING] [a] FROM b): `word` is the side; args are (b) or (a, b)
    extract,        // EXTRACT(word FROM a)
    unit_first,     // TIMESTAMPADD(word, a, b), TIMESTAMPDIFF, GET_FORMAT(word, a)
    char_using,     // CHAR(a, b USING word)
    weight_string,  // WEIGHT_STRING(a [AS CHAR(n)|AS BINARY(n)] …)
    values,         // VALUES(column) of INSERT … ON DUPLICATE KEY UPDATE
};

// A call that is neither aggregate nor window function. The expression's span ends with the closing
// parenthesis.
struct Function {
    QualifiedName name;
    List<Expr> arguments;
    FunctionForm form = FunctionForm::call;
    Name word;
    const DataType* type = nullptr;  // of WEIGHT_STRING's AS
    List<Name> argument_names;       // where a loadable function names one, f(a AS b): one for each, or empty
};

struct OrderItem {
    Expr expr;
    bool descending = false;
    bool direction_given = false;  // ASC or DESC was written
    Span span;
};

struct Limit {
    Expr count;               // a literal, a parameter, or a variable of a stored program
    Expr offset;              // absent when not written
    Span span;                // from LIMIT to its end
    bool comma_form = false;  // LIMIT offset, count
    bool fetch_form =
        false;      // MariaDB: OFFSET n ROWS FETCH FIRST n ROWS ONLY; without a number FETCH is of one row
    Expr examined;  // MariaDB: ROWS EXAMINED
};

enum class AggregateKind : std::uint8_t {
    count,
    sum,
    avg,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    std,  // STD, STDDEV, STDDEV_POP
    stddev_samp,
    var_pop,  // VAR_POP, VARIANCE
    var_samp,
    group_concat,
    json_arrayagg,
    json_objectagg,
    any_value,
    st_collect,
};

// COUNT, SUM, …; also as a window function, with `over`.
struct Aggregate {
    AggregateKind kind;
    Name name;
    List<Expr> arguments;  // empty for COUNT(*)
    bool star = false;
    bool distinct = false;
    List<OrderItem> order_by;  // GROUP_CONCAT; MariaDB's JSON_ARRAYAGG
    Expr separator;
    const Limit* limit = nullptr;  // MariaDB's GROUP_CONCAT and JSON_ARRAYAGG
    Raw null_clause;               // JSON_…AGG's NULL ON NULL, ABSENT ON NULL
    const WindowSpec* over = nullptr;
};

enum class NullTreatment : std::uint8_t { none, respect, ignore };

// ROW_NUMBER, RANK, LEAD, …: what exists only with OVER.
struct WindowFunction {
    Name name;
    List<Expr> arguments;
    NullTreatment nulls = NullTreatment::none;
    bool from_first = false;
    bool from_last = false;
    List<OrderItem> within_group;  // PERCENTILE_CONT(x) WITHIN GROUP (ORDER BY y)
    const WindowSpec* over = nullptr;
};

enum class FrameUnit : std::uint8_t { none, rows, range, groups };
enum class FrameBound : std::uint8_t {
    unbounded_preceding,
    unbounded_following,
    current_row,
    preceding,
    following,
};

struct FrameEdge {
    FrameBound bound = FrameBound::current_row;
    Expr amount;  // of preceding and following
};

struct Frame {
    FrameUnit unit;
    FrameEdge start;
    FrameEdge finish;
    bool between = false;  // else only `start` was written
    Name exclude;          // EXCLUDE CURRENT ROW, GROUP, TIES, NO OTHERS: its first word
};

// OVER name, OVER (…), and WINDOW name AS (…).
struct WindowSpec {
    Name reference;     // the window it names or builds upon
    bool bare = false;  // OVER name, without parentheses
    List<Expr> partition_by;
    List<OrderItem> order_by;
    const Frame* frame = nullptr;
};

enum class MatchMode : std::uint8_t { none, natural, natural_expansion, boolean, expansion };

struct Match {
    List<Expr> columns;
    Expr against;
    MatchMode mode = MatchMode::none;
};

enum class JsonOnKind : std::uint8_t { none, null_, error, default_ };

struct JsonOn {
    JsonOnKind kind = JsonOnKind::none;
    Expr value;  // of default_
};

// JSON_VALUE(document, path RETURNING … ON EMPTY … ON ERROR)
struct JsonValue {
    Expr document;
    Expr path;
    const DataType* returning = nullptr;
    JsonOn on_empty;
    JsonOn on_error;
};

struct Collate {
    Expr operand;
    Name collation;
};

// {d '2020-01-01'}
struct OdbcEscape {
    Name word;
    Expr operand;
};

// MariaDB: NEXT VALUE FOR s, PREVIOUS VALUE FOR s.
struct SequenceValue {
    QualifiedName sequence;
    bool previous = false;
};

enum class TypeKind : std::uint8_t {
    tinyint,
    smallint,
    mediumint,
    int_,
    bigint,
    decimal,
    float_,
    double_,
    bit,
    boolean,
    serial,
    date,
    time,
    datetime,
    timestamp,
    year,
    char_,
    varchar,
    binary,
    varbinary,
    tinytext,
    text,
    mediumtext,
    longtext,
    tinyblob,
    blob,
    mediumblob,
    longblob,
    enum_,
    set,
    json,
    geometry,
    point,
    linestring,
    polygon,
    multipoint,
    multilinestring,
    multipolygon,
    geometrycollection,
    vector,
    signed_,    // only in casts
    unsigned_,  // only in casts
    uuid,       // MariaDB
    inet4,
    inet6,
};

struct DataType {
    TypeKind kind;
    Span span;
    bool national = false;  // NCHAR, NATIONAL VARCHAR, …: in the national charset
    bool has_length = false;
    bool has_decimals = false;
    std::uint64_t length = 0;  // what stands in the parentheses
    std::uint32_t decimals = 0;
    bool is_unsigned = false;
    bool is_signed = false;  // written
    bool zerofill = false;
    bool binary = false;  // the BINARY attribute: the charset's _bin collation
    bool ascii = false;
    bool unicode = false;
    bool byte = false;
    Name charset;
    Name collation;
    List<Expr> values;  // of ENUM and SET: string literals
};

static_assert(std::is_trivially_destructible_v<Expr>, "an arena runs no destructors");
static_assert(sizeof(Expr) == 24, "the memory of bulk inserts is mostly this");

}  // namespace shardway::sqlparse
