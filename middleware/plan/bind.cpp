#include "middleware/plan/bind.hpp"

#include <algorithm>
#include <cassert>

#include "middleware/protocol/errors.hpp"
#include "sqlparse/walk.hpp"

namespace shardway::plan {

namespace {

// Does this block itself (not a subquery of it) compute an aggregate or a window?
struct Computes {
    bool aggregate = false;
    bool window = false;
    void look(const sqlparse::Expr& expr) {
        auto enter = [&](const sqlparse::Expr& inner) {
            if (const auto* found = inner.as<sqlparse::Aggregate>())
                (found->over != nullptr ? window : aggregate) = true;
            if (inner.as<sqlparse::WindowFunction>() != nullptr) window = true;
            return true;
        };
        sqlparse::for_each_expr(expr, enter);
    }
};

}  // namespace

void refuse(std::string_view what) { throw protocol::SqlErrorException{protocol::not_supported(what)}; }

Binder::Binder(const PlanContext& context, const sqlparse::Scan& scan, std::string_view text)
    : context_{context}, scan_{scan}, text_{text} {}

BlockId Binder::add_block(BlockId parent) {
    bound_.blocks.push_back({.parent = parent, .scope = bound_.facts.add_scope(no_scope)});
    return static_cast<BlockId>(bound_.blocks.size() - 1);
}

Binder::BoundQuery Binder::query(const sqlparse::Query& query, BlockId parent) {
    const std::size_t outer_ctes = visible_ctes_.size();
    with(query.with, parent);
    if (query.into != nullptr)
        refuse(query.into->kind == sqlparse::IntoKind::variables ? "SELECT ... INTO a variable"
                                                                 : "SELECT ... INTO OUTFILE");
    BoundQuery out;
    const bool pushable = query.limit == nullptr;
    if (const sqlparse::Select* plain = query.select()) {
        select(*plain, &query, parent, pushable, out);
    } else {
        term(query.term, parent, pushable, out);
        // ORDER BY of a set operation names its columns; what it calls is looked at all the same.
        const BlockId block = add_block(parent);
        order(query.order_by, block);
    }
    limit(query.limit, out.arms.empty() ? parent : out.arms.front().block);
    if (!out.arms.empty()) locking(query, out.arms.front().block);
    visible_ctes_.resize(outer_ctes);
    return out;
}

void Binder::term(const sqlparse::QueryTerm& term, BlockId parent, bool pushable, BoundQuery& out) {
    if (const auto* plain = std::get_if<const sqlparse::Select*>(&term)) {
        select(**plain, nullptr, parent, pushable, out);
    } else if (const auto* nested = std::get_if<const sqlparse::Query*>(&term)) {
        BoundQuery inner = query(**nested, parent);
        for (Arm& arm : inner.arms) {
            arm.pushable = arm.pushable && pushable;
            out.arms.push_back(std::move(arm));
        }
    } else if (const auto* operation = std::get_if<const sqlparse::SetOperation*>(&term)) {
        for (const sqlparse::SetOperand& operand : (*operation)->operands)
            this->term(operand.term, parent, pushable, out);
    } else if (const auto* values = std::get_if<const sqlparse::ValuesTable*>(&term)) {
        const BlockId block = add_block(parent);
        Arm arm{.block = block, .scope = bound_.blocks[block].scope, .known = false};
        for (const sqlparse::ValuesRow& row : (*values)->rows)
            for (const sqlparse::Expr& cell : row.values) expression(cell, block);
        out.arms.push_back(std::move(arm));
    } else if (const auto* whole = std::get_if<const sqlparse::TableQuery*>(&term)) {
        const BlockId block = add_block(parent);
        const InstanceId instance = table((*whole)->table, {}, block, bound_.blocks[block].scope);
        Arm arm{.block = block, .scope = bound_.blocks[block].scope, .pushable = pushable};
        const schema::Table* columns = bound_.instances[instance].columns;
        arm.known = columns != nullptr;
        if (columns != nullptr)
            for (std::uint32_t i = 0; i < columns->columns.size(); ++i)
                if (!columns->columns[i].invisible)
                    arm.outputs.push_back(
                        {.name = columns->columns[i].name, .source = ColumnId{instance, i}});
        out.arms.push_back(std::move(arm));
    }
}

void Binder::select(const sqlparse::Select& select, const sqlparse::Query* around, BlockId parent,
                    bool pushable, BoundQuery& out) {
    if (select.has(sqlparse::SelectOption::sql_calc_found_rows)) refuse("SQL_CALC_FOUND_ROWS");
    const BlockId block = add_block(parent);
    bound_.blocks[block].select = &select;
    from(select.from, block);
    where(select.where, block);

    Computes computes;
    for (const sqlparse::SelectItem& item : select.items) computes.look(item.expr);
    computes.look(select.having);
    computes.look(select.qualify);
    if (around != nullptr)
        for (const sqlparse::OrderItem& item : around->order_by) computes.look(item.expr);
    const bool windows = computes.window || !select.windows.empty();
    bound_.blocks[block].grouped = computes.aggregate || !select.group_by.empty();
    bound_.blocks[block].windows = windows;
    bound_.aggregates |= bound_.blocks[block].grouped;

    select_items(select.items, block);
    order(select.group_by, block);
    expression(select.having, block);
    expression(select.qualify, block);
    for (const sqlparse::NamedWindow& window : select.windows) {
        for (const sqlparse::Expr& part : window.spec.partition_by) expression(part, block);
        order(window.spec.order_by, block);
    }
    if (around != nullptr) order(around->order_by, block);

    Arm arm{.block = block, .scope = bound_.blocks[block].scope};
    arm.pushable =
        pushable && !windows && !select.rollup && (!computes.aggregate || !select.group_by.empty());
    std::vector<ColumnId> grouped_by;
    for (const sqlparse::OrderItem& item : select.group_by)
        if (const auto found = plain_column(item.expr, block)) grouped_by.push_back(*found);
    for (const sqlparse::SelectItem& item : select.items) {
        if (const auto* star = item.expr.as<sqlparse::Star>()) {
            for (Output& output : star_outputs(*star, block, arm.known)) arm.outputs.push_back(output);
            continue;
        }
        Output output{.expr = &item.expr};
        const auto* column = item.expr.as<sqlparse::Column>();
        output.name = item.alias          ? item.alias.text
                      : column != nullptr ? column->name.text
                                          : item.label.of(text_);
        output.source = plain_column(item.expr, block);
        arm.outputs.push_back(output);
    }
    if (bound_.blocks[block].grouped)
        for (Output& output : arm.outputs)
            output.pushable = output.source && std::find(grouped_by.begin(), grouped_by.end(),
                                                         *output.source) != grouped_by.end();
    out.arms.push_back(std::move(arm));
}

std::vector<Binder::Output> Binder::star_outputs(const sqlparse::Star& star, BlockId block,
                                                 bool& known) const {
    std::vector<Output> outputs;
    const Block& from = bound_.blocks[block];
    // Coalesced columns come first, and once: their order is left to the server.
    if (!star.table && !from.coalesced.empty()) {
        known = false;
        return outputs;
    }
    for (const InstanceId id : from.instances) {
        const Instance& instance = bound_.instances[id];
        if (star.table && (instance.refer != star.table.text ||
                           (star.database && instance.database_name != star.database.text)))
            continue;
        if (instance.columns != nullptr) {
            for (std::uint32_t i = 0; i < instance.columns->columns.size(); ++i)
                if (!instance.columns->columns[i].invisible)
                    outputs.push_back({.name = instance.columns->columns[i].name, .source = ColumnId{id, i}});
        } else if (instance.kind == TargetKind::derived && instance.derived_known) {
            for (std::uint32_t i = 0; i < instance.derived.size(); ++i)
                outputs.push_back({.name = instance.derived[i].name, .source = ColumnId{id, i}});
        } else {
            known = false;
        }
    }
    // What comes behind unknown columns has no known position either.
    if (!known) outputs.clear();
    return outputs;
}

void Binder::select_items(const sqlparse::List<sqlparse::SelectItem>& items, BlockId block) {
    for (const sqlparse::SelectItem& item : items) {
        items_.push_back(&item);
        expression(item.expr, block);
        items_.pop_back();
    }
}

void Binder::with(const sqlparse::With* with, BlockId parent) {
    if (with == nullptr) return;
    for (const sqlparse::CommonTable& table : with->tables) {
        ctes_.push_back(std::make_unique<Cte>());
        Cte* cte = ctes_.back().get();
        cte->name = table.name.text;
        cte->table = &table;
        cte->being_bound = true;
        const std::size_t visible = visible_ctes_.size();
        if (with->recursive) visible_ctes_.push_back(cte);
        cte->query = query(*table.query, parent);
        for (const Arm& arm : cte->query.arms) bound_.blocks[arm.block].derived = true;
        if (with->recursive)
            for (Arm& arm : cte->query.arms) arm.pushable = false;
        visible_ctes_.resize(visible);
        cte->being_bound = false;
        visible_ctes_.push_back(cte);
    }
}

void Binder::from(const sqlparse::List<sqlparse::TableRef>& tables, BlockId block) {
    for (const sqlparse::TableRef& ref : tables) table_ref(ref, block, bound_.blocks[block].scope, false);
}

void Binder::table_ref(const sqlparse::TableRef& ref, BlockId block, ScopeId scope, bool outer_side) {
    if (const auto* base = ref.as<sqlparse::TableName>()) {
        base_table(*base, block, scope, outer_side);
    } else if (const auto* query_table = ref.as<sqlparse::DerivedTable>()) {
        // Only LATERAL sees its neighbours; all see what is around the whole query.
        const BlockId seen = query_table->lateral ? block : bound_.blocks[block].parent;
        const BoundQuery inner = query(*query_table->query, seen);
        Instance instance{.kind = TargetKind::derived, .block = block};
        instance.scope = bound_.facts.add_scope(scope);
        instance.refer = query_table->alias.text;
        instance.aliased = true;
        instance.outer_side = outer_side;
        bound_.instances.push_back(std::move(instance));
        const auto id = static_cast<InstanceId>(bound_.instances.size() - 1);
        bound_.blocks[block].instances.push_back(id);
        for (const Arm& arm : inner.arms) bound_.blocks[arm.block].derived = true;
        derived(inner, query_table->columns, id, true);
    } else if (const auto* json = ref.as<sqlparse::JsonTable>()) {
        expression(json->document, block);
        Instance instance{.kind = TargetKind::opaque, .block = block, .scope = scope};
        instance.refer = json->alias.text;
        instance.aliased = true;
        instance.outer_side = outer_side;
        bound_.instances.push_back(std::move(instance));
        bound_.blocks[block].instances.push_back(static_cast<InstanceId>(bound_.instances.size() - 1));
    } else if (const auto* joined = ref.as<sqlparse::Join>()) {
        join(*joined, block, scope, outer_side);
    } else if (const auto* group = ref.as<sqlparse::TableGroup>()) {
        for (const sqlparse::TableRef& inner : group->tables) table_ref(inner, block, scope, outer_side);
    }
}

void Binder::join(const sqlparse::Join& join, BlockId block, ScopeId scope, bool outer_side) {
    using sqlparse::JoinKind;
    const bool left = join.kind == JoinKind::left || join.kind == JoinKind::natural_left;
    const bool right = join.kind == JoinKind::right || join.kind == JoinKind::natural_right;
    const bool natural = join.kind == JoinKind::natural || join.kind == JoinKind::natural_left ||
                         join.kind == JoinKind::natural_right;
    // The scope of the side that ON restricts; both sides of an inner join are in the scope around.
    const ScopeId inner = left || right ? bound_.facts.add_scope(scope) : scope;
    const std::size_t first_in_block = bound_.blocks[block].instances.size();
    table_ref(join.left, block, right ? inner : scope, outer_side || right);
    const std::size_t middle_in_block = bound_.blocks[block].instances.size();
    table_ref(join.right, block, left ? inner : scope, outer_side || left);

    // By name within one side, where exactly one table has such a column (or USING below made one of
    // several).
    const auto within = [&](std::string_view name, std::size_t from_index,
                            std::size_t to_index) -> std::optional<ColumnId> {
        std::optional<ColumnId> found;
        for (std::size_t i = from_index; i < to_index; ++i) {
            const auto candidate = column_of(bound_.blocks[block].instances[i], name);
            if (!candidate) continue;
            if (found) {
                const std::vector<Using>& merged = bound_.blocks[block].coalesced;
                const std::vector<InstanceId>& instances = bound_.blocks[block].instances;
                for (auto at = merged.rbegin(); at != merged.rend(); ++at) {
                    const bool here = std::find(instances.begin() + static_cast<std::ptrdiff_t>(from_index),
                                                instances.begin() + static_cast<std::ptrdiff_t>(to_index),
                                                at->column.instance) !=
                                      instances.begin() + static_cast<std::ptrdiff_t>(to_index);
                    if (here && schema::same_identifier(at->name, name)) return at->column;
                }
                return std::nullopt;
            }
            found = candidate;
        }
        return found;
    };
    const std::size_t end_in_block = bound_.blocks[block].instances.size();
    std::vector<std::string_view> shared;
    for (const sqlparse::Name& name : join.using_columns) shared.push_back(name.text);
    if (natural) {
        for (std::size_t i = first_in_block; i < middle_in_block; ++i) {
            const Instance& instance = bound_.instances[bound_.blocks[block].instances[i]];
            const std::size_t count =
                instance.columns != nullptr ? instance.columns->columns.size() : instance.derived.size();
            for (std::size_t c = 0; c < count; ++c) {
                const std::string_view name = instance.columns != nullptr
                                                  ? std::string_view{instance.columns->columns[c].name}
                                                  : instance.derived[c].name;
                if (within(name, middle_in_block, end_in_block)) shared.push_back(name);
            }
        }
    }
    for (const std::string_view name : shared) {
        const auto left_column = within(name, first_in_block, middle_in_block);
        const auto right_column = within(name, middle_in_block, end_in_block);
        if (!left_column || !right_column) continue;
        equate(inner, left_column, right_column);
        bound_.blocks[block].coalesced.push_back({name, right ? *right_column : *left_column});
    }
    if (join.on) on(join.on, block, inner);
}

void Binder::on(const sqlparse::Expr& condition, BlockId block, ScopeId scope) {
    expression(condition, block);
    conjunct(condition, block, scope, true);
}

void Binder::where(const sqlparse::Expr& condition, BlockId block) {
    if (!condition) return;
    expression(condition, block);
    conjunct(condition, block, bound_.blocks[block].scope, true);
}

void Binder::order(const sqlparse::List<sqlparse::OrderItem>& items, BlockId block) {
    for (const sqlparse::OrderItem& item : items) expression(item.expr, block);
}

void Binder::limit(const sqlparse::Limit* limit, BlockId block) {
    if (limit == nullptr) return;
    expression(limit->count, block);
    expression(limit->offset, block);
}

// The columns of a query that stands in FROM, and what its rows have in common with the rows they were made
// from.
void Binder::derived(const BoundQuery& query, const sqlparse::List<sqlparse::Name>& names, InstanceId id,
                     bool push) {
    Instance& instance = bound_.instances[id];
    instance.derived_known =
        std::all_of(query.arms.begin(), query.arms.end(), [](const Arm& arm) { return arm.known; });
    if (!instance.derived_known || query.arms.empty()) return;
    const Arm& first = query.arms.front();
    for (std::size_t i = 0; i < first.outputs.size(); ++i) {
        DerivedColumn column{.name = first.outputs[i].name};
        if (i < names.size()) column.name = names[i].text;
        // A union's column has a type of its own unless all arms agree.
        for (const Arm& arm : query.arms) {
            const auto source = i < arm.outputs.size() ? arm.outputs[i].source : std::nullopt;
            const schema::Column* type = source ? type_of(*source) : nullptr;
            if (type == nullptr || (column.type != nullptr && !same_key_type(*type, *column.type))) {
                column.type = nullptr;
                break;
            }
            if (column.type == nullptr) column.type = type;
        }
        instance.derived.push_back(column);
    }
    const ScopeId scope = instance.scope;
    for (const Arm& arm : query.arms) {
        for (std::uint32_t i = 0; i < arm.outputs.size(); ++i) {
            const Output& output = arm.outputs[i];
            if (push && arm.pushable && output.pushable) equate(arm.scope, ColumnId{id, i}, output.source);
            if (query.arms.size() == 1) equate(scope, ColumnId{id, i}, output.source);
        }
    }
}

void Binder::finish() {
    for (const auto& cte : ctes_) {
        if (cte->references.size() != 1) continue;
        for (const Arm& arm : cte->query.arms) {
            if (!arm.pushable) continue;
            for (std::uint32_t i = 0; i < arm.outputs.size(); ++i)
                if (arm.outputs[i].pushable)
                    equate(arm.scope, ColumnId{cte->references.front(), i}, arm.outputs[i].source);
        }
    }
}

}  // namespace shardway::plan
