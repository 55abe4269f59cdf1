// Names to tables and columns: what a parsed statement refers to, which facts its conditions state, and where
// its text must change. The first half of planning a statement that the cache does not know.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "middleware/plan/facts.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "sqlparse/ast.hpp"
#include "sqlparse/scan.hpp"

namespace shardway::plan {

using BlockId = std::uint32_t;
constexpr BlockId no_block = UINT32_MAX;

enum class TargetKind : std::uint8_t {
    sharded,
    reference,
    single,   // on the node of its rule
    plain,    // of a single-node database
    system,   // information_schema, performance_schema, mysql, sys
    derived,  // a query in FROM, a reference to a CTE
    opaque    // JSON_TABLE, a recursive CTE's reference to itself: columns unknown, no rows from any table
};

struct DerivedColumn {
    std::string_view name;
    const schema::Column* type = nullptr;  // where it is a plain column, for comparing
};

// One table reference of the statement.
struct Instance {
    TargetKind kind = TargetKind::opaque;
    const rules::DatabaseState* database = nullptr;  // of all but system, derived, opaque
    const rules::TableState* table = nullptr;        // of sharded, reference, single
    const schema::Table* columns = nullptr;          // null: unknown
    rules::NodeId node{};                            // of single and plain
    BlockId block = no_block;
    ScopeId scope = no_scope;
    std::string_view refer{};  // how columns name it: the alias, or the table's name
    bool aliased = false;
    std::string_view database_name{};  // as given or the default; empty for derived
    sqlparse::QualifiedName name{};    // where it stands in the text; of base tables
    bool write_target = false;
    std::vector<const sqlparse::SelectItem*> items{};  // select items it stands in, outermost first
    bool outer_side = false;               // on the side of an outer join that may be filled with NULLs
    std::vector<DerivedColumn> derived{};  // of kind derived
    bool derived_known = true;             // `derived` lists all columns, in order

    bool is_base() const { return kind < TargetKind::derived; }
};

// What is written over a place of the text, or put into it.
enum class Fill : std::uint8_t {
    text,            // Edit::text
    table,           // the physical `database`.`table` of the instance
    table_name,      // its physical table alone
    table_database,  // its physical database alone
    database,        // values of the session
    user,
    current_user,
    connection_id,
    last_insert_id,
    row_count,
    found_rows,
    variable,  // Edit::text is its name, Edit::scope its scope; kept as it is when the session has no value
               // for it
    label,     // an alias: the text at Edit::label
    list,      // an IN list on the shard key: only the values that can be in the part's shard; Edit::value
    copy,      // Edit::text, what stands at Edit::label as it is sent, Edit::scope
    id,        // the id that is made for the row of INSERT ... SET, behind Edit::text; where none is made
               // the text stays
    schemas,   // an information_schema table, with other schemas' rows filtered out; Edit::text is the column
};

struct Edit {
    sqlparse::Span span;  // empty to insert
    Fill fill = Fill::text;
    InstanceId instance = 0;
    std::string text{};
    std::string scope{};
    sqlparse::Span label{};
    ValueRef value{};           // of list
    bool scatter_only = false;  // made only when the statement goes to several shards
};

struct Using {
    std::string_view name;
    ColumnId column;  // what the unqualified name means
};

// A SELECT, or an UPDATE or DELETE: what column names are looked up in.
struct Block {
    BlockId parent = no_block;  // where names that are not found here are looked up
    ScopeId scope = no_scope;   // the root scope of its facts
    std::vector<InstanceId> instances{};
    std::vector<Using> coalesced{};
    const sqlparse::Select* select = nullptr;
    bool grouped = false;  // GROUP BY or an aggregate
    bool windows = false;
    bool derived = false;  // stands in FROM or WITH, not in an expression
};

// Everything the binder found. Views into the statement's text, its arena, and the topology.
struct Bound {
    std::vector<Instance> instances;
    std::vector<Block> blocks;
    Facts facts;
    std::vector<Edit> edits;
    std::vector<std::string_view> databases;  // logical, each once
    bool reads_clock = false;                 // NOW() and its like
    const char* not_repeatable = nullptr;     // a function whose value differs from call to call: RAND
    bool seeded = false;                      // RAND(n): a row's value depends on the rows before it
    bool has_sessions_values = false;         // replaced by values of the session
    bool aggregates = false;
    bool subqueries = false;
    bool locking = false;  // FOR UPDATE, FOR SHARE
};

// Throws protocol::SqlErrorException for statements that cannot be bound; plan() catches it. (Binding goes
// deep, and errors end it at once.)
class Binder {
public:
    Binder(const PlanContext& context, const sqlparse::Scan& scan, std::string_view text);

    // A query as a statement, or the SELECT of an INSERT.
    struct Output {
        std::string_view name{};
        std::optional<ColumnId> source{};      // a plain column
        const sqlparse::Expr* expr = nullptr;  // absent for columns of a star
        bool pushable = true;                  // in a grouped query only what is grouped by
    };
    // One SELECT of a query.
    struct Arm {
        BlockId block = no_block;
        ScopeId scope = no_scope;
        bool pushable = false;  // what holds for an output column may be said of its rows' source
        bool known = true;      // `outputs` lists all columns
        std::vector<Output> outputs{};
    };
    struct BoundQuery {
        std::vector<Arm> arms;
    };
    BoundQuery query(const sqlparse::Query& query, BlockId parent);

    // The table of an INSERT; `block` is where its columns are looked up.
    InstanceId table(const sqlparse::QualifiedName& name, const sqlparse::Name& alias, BlockId block,
                     ScopeId scope);
    BlockId add_block(BlockId parent);
    void from(const sqlparse::List<sqlparse::TableRef>& tables, BlockId block);
    void where(const sqlparse::Expr& condition, BlockId block);
    // Subqueries, functions, names: all that is in an expression.
    void expression(const sqlparse::Expr& expr, BlockId block);
    void order(const sqlparse::List<sqlparse::OrderItem>& items, BlockId block);
    void limit(const sqlparse::Limit* limit, BlockId block);
    void with(const sqlparse::With* with, BlockId parent);
    void select_items(const sqlparse::List<sqlparse::SelectItem>& items, BlockId block);
    // An instance of the block (not of its parents) by the name that columns use; null when there is none.
    std::optional<InstanceId> named(const sqlparse::QualifiedName& name, BlockId block) const;
    std::optional<ColumnId> column(const sqlparse::Column& column, BlockId block) const;
    std::optional<ColumnId> column_of(InstanceId instance, std::string_view name) const;
    const schema::Column* type_of(ColumnId column) const;
    std::optional<ValueRef> value(const sqlparse::Expr& expr) const;
    void equate(ScopeId scope, std::optional<ColumnId> left, std::optional<ColumnId> right);
    // A name of a table that stands outside FROM: a DELETE target, FOR UPDATE OF.
    void edit_table_name(const sqlparse::QualifiedName& name, InstanceId instance);
    void edit(Edit edit);
    // These select items are about to change: they keep their text as their label.
    void keep_labels(const std::vector<const sqlparse::SelectItem*>& items);
    // To be called once when all is bound: facts about CTEs that are used once.
    void finish();

    Bound& bound() { return bound_; }
    const PlanContext& context() const { return context_; }

private:
    struct Cte {
        std::string_view name;
        const sqlparse::CommonTable* table = nullptr;
        BoundQuery query;
        std::vector<InstanceId> references;
        bool being_bound = false;  // recursive: a reference to itself
    };

    void term(const sqlparse::QueryTerm& term, BlockId parent, bool pushable, BoundQuery& out);
    void select(const sqlparse::Select& select, const sqlparse::Query* around, BlockId parent, bool pushable,
                BoundQuery& out);
    void table_ref(const sqlparse::TableRef& ref, BlockId block, ScopeId scope, bool outer_side);
    void join(const sqlparse::Join& join, BlockId block, ScopeId scope, bool outer_side);
    void base_table(const sqlparse::TableName& table, BlockId block, ScopeId scope, bool outer_side);
    void derived(const BoundQuery& query, const sqlparse::List<sqlparse::Name>& names, InstanceId instance,
                 bool push);
    void resolve(Instance& instance);
    void on(const sqlparse::Expr& condition, BlockId block, ScopeId scope);
    void conjunct(const sqlparse::Expr& condition, BlockId block, ScopeId scope, bool top);
    Filter filter(const sqlparse::Expr& condition, BlockId block) const;
    enum class RangeKind : std::uint8_t { number, text, other };
    static RangeKind range_kind(const sqlparse::Expr& end);
    Filter compare(sqlparse::BinaryOp op, const sqlparse::Expr& left, const sqlparse::Expr& right,
                   BlockId block) const;
    Filter in_list(const sqlparse::InList& in, BlockId block) const;
    std::optional<ColumnId> plain_column(const sqlparse::Expr& expr, BlockId block) const;
    Filter leaf(ColumnId subject, std::vector<ValueRef> values) const;
    void in_query(const sqlparse::InQuery& in, const BoundQuery& query, BlockId block, ScopeId scope);
    void function(const sqlparse::Expr& expr, const sqlparse::Function& function);
    void column_edits(const sqlparse::Name& database, const sqlparse::Name& table, BlockId block);
    void locking(const sqlparse::Query& query, BlockId block);
    void note_database(std::string_view name);
    std::vector<Output> star_outputs(const sqlparse::Star& star, BlockId block, bool& known) const;
    void list_edit(const sqlparse::InList& in, BlockId block);
    void session_value(sqlparse::Span span, Fill fill);

    const PlanContext& context_;
    const sqlparse::Scan& scan_;
    std::string_view text_;
    Bound bound_;
    std::vector<std::unique_ptr<Cte>> ctes_;          // all, for finish()
    std::vector<Cte*> visible_ctes_;                  // innermost last
    std::vector<const sqlparse::SelectItem*> items_;  // select items around what is being read
    std::vector<const sqlparse::SelectItem*> labelled_;
    std::vector<std::pair<const sqlparse::Query*, BoundQuery>> in_queries_;  // bound already, by their IN
};

[[noreturn]] void refuse(std::string_view what);

}  // namespace shardway::plan
