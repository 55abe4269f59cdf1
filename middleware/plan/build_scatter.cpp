// Can the statement run whole in every shard, and how is one result made of the answers? (DESIGN.md 6.7:
// together, and split aggregation.)
#include <algorithm>

#include <fmt/format.h>

#include "middleware/plan/build.hpp"
#include "middleware/plan/scatter.hpp"
#include "sqlparse/literal.hpp"
#include "sqlparse/walk.hpp"

namespace shardway::plan {

namespace {

// Characters whose weights decide the order of a text: MySQL sorts by max_sort_length bytes at most.
constexpr std::uint32_t weight_characters_max = 1024;
constexpr std::uint32_t weight_characters_unknown = 512;

// How a value is compared in the merge.
enum class Comparable {
    typed,    // as it comes
    weighed,  // text: by a weight beside it
    number,   // ENUM, SET, BIT, TIME: by value + 0
    exact,    // FLOAT: + 0e0 shows all digits
    moment,   // TIMESTAMP: its text repeats an hour a year
    unknown,  // an expression: typed or weighed, as its definition says
    never     // JSON, geometry
};

Comparable comparable(const schema::Column* column) {
    using schema::ColumnType;
    if (column == nullptr) return Comparable::unknown;
    if (schema::is_text(column->type)) return Comparable::weighed;
    switch (column->type) {
    case ColumnType::enum_:
    case ColumnType::set:
    case ColumnType::bit:
    case ColumnType::time: return Comparable::number;
    case ColumnType::float_: return Comparable::exact;
    case ColumnType::timestamp: return Comparable::moment;
    case ColumnType::json:
    case ColumnType::geometry:
    case ColumnType::vector:
    case ColumnType::uuid:
    case ColumnType::inet4:
    case ColumnType::inet6:
    case ColumnType::unknown: return Comparable::never;
    default: return Comparable::typed;
    }
}

std::string weight_suffix(const schema::Column* column) {
    const bool bounded = column != nullptr && (column->type == schema::ColumnType::char_ ||
                                               column->type == schema::ColumnType::varchar);
    const std::uint32_t characters = column == nullptr ? weight_characters_unknown
                                     : bounded         ? std::clamp(column->length, 1U, weight_characters_max)
                                                       : weight_characters_max;
    return fmt::format(" AS CHAR({}))", characters);
}

// ORDER BY NULL, ORDER BY 'a': sorts nothing. A number is a position.
bool is_constant(const sqlparse::Expr& expr) {
    const auto* literal = expr.as<sqlparse::Literal>();
    return literal != nullptr && literal->kind != sqlparse::LiteralKind::integer;
}

// Certainly a number, and printed with all the digits it sorts by.
bool is_number(const sqlparse::Expr& expr) {
    if (const auto* binary = expr.as<sqlparse::Binary>())
        return binary->op < sqlparse::BinaryOp::concat && binary->left.as<sqlparse::Interval>() == nullptr &&
               binary->right.as<sqlparse::Interval>() == nullptr;
    if (const auto* call = expr.as<sqlparse::Aggregate>())
        return call->kind <= sqlparse::AggregateKind::avg ||
               (call->kind >= sqlparse::AggregateKind::bit_and &&
                call->kind <= sqlparse::AggregateKind::var_samp);
    return false;
}

std::optional<std::uint64_t> row_count(const sqlparse::Expr& expr, std::string_view text) {
    const auto* literal = expr.as<sqlparse::Literal>();
    if (literal == nullptr || literal->kind != sqlparse::LiteralKind::integer) return std::nullopt;
    return sqlparse::integer_value(expr.span.of(text));
}

// Finds out about one SELECT. Throws Reason where it cannot be done.
class ScatterBuilder {
public:
    struct Reason {
        std::string text;
    };
    ScatterBuilder(Binder& binder, std::string_view text, const sqlparse::Query& query,
                   const Binder::Arm& arm, std::vector<ColumnId> keys)
        : binder_{binder},
          text_{text},
          query_{query},
          select_{*query.select()},
          arm_{arm},
          keys_{std::move(keys)} {}

    Merge build();

private:
    [[noreturn]] static void no(std::string text) { throw Reason{std::move(text)}; }

    bool hold_keys(std::span<const ColumnId> columns) const;
    bool closed_groups() const;
    void plain();
    void aggregate();
    void distinct();
    void limits(bool push);
    MergeKey sort_key(const sqlparse::OrderItem& item);
    MergeKey key_for(const sqlparse::Expr& expr, sqlparse::Span span, const schema::Column* type,
                     std::optional<std::uint32_t> visible);
    MergeKey group_key(const sqlparse::OrderItem& item);
    MergeColumn folded(const sqlparse::SelectItem& item);
    std::optional<std::uint32_t> item_of(const sqlparse::Expr& expr) const;
    std::optional<std::uint32_t> output_of(ColumnId column) const;
    const schema::Column* type_of(const sqlparse::Expr& expr) const;
    RowColumn hide(std::string before, sqlparse::Span span, std::string behind);
    RowColumn hide_text(std::string text);
    bool resolves(const sqlparse::Expr& expr) const;
    bool is_grouped(ColumnId column) const;
    bool of_groups(const sqlparse::Expr& expr) const;
    std::optional<ColumnId> grouping(const sqlparse::OrderItem& item) const;
    MergeKey star_key(const Binder::Output& output, std::uint32_t visible);
    void remove(sqlparse::Span span);

    Binder& binder_;
    std::string_view text_;
    const sqlparse::Query& query_;
    const sqlparse::Select& select_;
    const Binder::Arm& arm_;
    std::vector<ColumnId> keys_;  // one for each part of the shard key
    Merge merge_;
    std::vector<std::string> hidden_;  // what each hidden column computes
};

Merge ScatterBuilder::build() {
    if (binder_.bound().seeded) no("RAND() with a seed over several shards");
    if (!query_.locking.empty()) no("a locking read over several shards");
    const Block& block = binder_.bound().blocks[arm_.block];
    if (block.windows) no("window functions over several shards");
    if (select_.rollup) no("WITH ROLLUP over several shards");
    if (select_.has(sqlparse::SelectOption::distinct)) {
        if (block.grouped) no("DISTINCT with aggregates over several shards");
        distinct();
    } else if (block.grouped && !closed_groups()) {
        aggregate();
    } else {
        plain();
    }
    return std::move(merge_);
}

// Rows with equal values of these columns lie in one shard: all parts of the shard key are among them. On the
// side that an outer join fills, its NULLs are everywhere.
bool ScatterBuilder::hold_keys(std::span<const ColumnId> columns) const {
    const Bound& bound = binder_.bound();
    std::vector<ColumnId> held;
    for (const ColumnId column : columns) {
        if (bound.instances[column.instance].outer_side) continue;
        const auto equals = bound.facts.equals_of(column, bound.instances[column.instance].scope,
                                                  [&](InstanceId id) { return bound.instances[id].scope; });
        held.insert(held.end(), equals.begin(), equals.end());
    }
    return !keys_.empty() && std::all_of(keys_.begin(), keys_.end(), [&](ColumnId key) {
        return std::find(held.begin(), held.end(), key) != held.end();
    });
}

// Groups that name the shard key lie in one shard each.
bool ScatterBuilder::closed_groups() const {
    std::vector<ColumnId> columns;
    for (const sqlparse::OrderItem& item : select_.group_by)
        if (const auto found = grouping(item)) columns.push_back(*found);
    return hold_keys(columns);
}

// The column that a GROUP BY item means, by its name or by its position in the list.
std::optional<ColumnId> ScatterBuilder::grouping(const sqlparse::OrderItem& item) const {
    if (const auto position = row_count(item.expr, text_)) {
        if (!arm_.known || *position < 1 || *position > arm_.outputs.size()) return std::nullopt;
        return arm_.outputs[*position - 1].source;
    }
    const auto* column = item.expr.as<sqlparse::Column>();
    return column == nullptr ? std::nullopt : binder_.column(*column, arm_.block);
}

bool ScatterBuilder::is_grouped(ColumnId column) const {
    return std::any_of(select_.group_by.begin(), select_.group_by.end(),
                       [&](const sqlparse::OrderItem& item) { return grouping(item) == column; });
}

// Are all columns in it those of tables? An alias has no place in the select list.
bool ScatterBuilder::resolves(const sqlparse::Expr& expr) const {
    bool good = true;
    auto enter = [&](const sqlparse::Expr& inner) {
        if (const auto* column = inner.as<sqlparse::Column>())
            good = good && binder_.column(*column, arm_.block).has_value();
        return good;
    };
    sqlparse::for_each_expr(expr, enter);
    return good;
}

// The same in all rows of a group: made of grouped columns alone, by functions that know nothing else.
bool ScatterBuilder::of_groups(const sqlparse::Expr& expr) const {
    if (binder_.bound().not_repeatable != nullptr) return false;
    bool good = true;
    auto enter = [&](const sqlparse::Expr& inner) {
        if (const auto* column = inner.as<sqlparse::Column>()) {
            const auto found = binder_.column(*column, arm_.block);
            good = good && found && is_grouped(*found);
        }
        if (inner.as<sqlparse::Aggregate>() != nullptr) good = false;
        sqlparse::for_each_child(
            inner, sqlparse::Overloaded{[&](const sqlparse::Query&) { good = false; }, [](const auto&) {}});
        return good;
    };
    sqlparse::for_each_expr(expr, enter);
    return good;
}

void ScatterBuilder::plain() {
    merge_.kind = query_.order_by.empty() ? Merge::Kind::concatenate : Merge::Kind::ordered;
    // What is computed twice, to sort by and to merge by, must come out the same.
    if (!query_.order_by.empty() && binder_.bound().not_repeatable != nullptr)
        no(fmt::format("{}() with ORDER BY over several shards", binder_.bound().not_repeatable));
    for (const sqlparse::OrderItem& item : query_.order_by)
        if (!is_constant(item.expr)) merge_.order.push_back(sort_key(item));
    limits(true);
}

void ScatterBuilder::limits(bool push) {
    if (query_.limit == nullptr) return;
    const auto count = row_count(query_.limit->count, text_);
    const auto offset = query_.limit->offset ? row_count(query_.limit->offset, text_) : std::uint64_t{0};
    if (!count || !offset) no("LIMIT with something else than numbers over several shards");
    merge_.limit = *count;
    merge_.offset = *offset;
    if (!push) return remove(query_.limit->span);
    if (*offset == 0) return;
    const std::uint64_t needed = *count > UINT64_MAX - *offset ? UINT64_MAX : *count + *offset;
    Edit edit{.span = query_.limit->span, .fill = Fill::text, .scatter_only = true};
    edit.text = fmt::format("LIMIT {}", needed);
    binder_.bound().edits.push_back(std::move(edit));
}

void ScatterBuilder::remove(sqlparse::Span span) {
    if (!span.empty())
        binder_.bound().edits.push_back({.span = span, .fill = Fill::text, .scatter_only = true});
}

RowColumn ScatterBuilder::hide(std::string before, sqlparse::Span span, std::string behind) {
    const std::string what = before + std::string{span.of(text_)} + behind;
    for (std::uint32_t i = 0; i < hidden_.size(); ++i)
        if (hidden_[i] == what) return {true, i};
    hidden_.push_back(what);
    Edit edit{.span = {select_.items_span.end(), 0}, .fill = Fill::copy, .scatter_only = true};
    edit.text = ", " + std::move(before);
    edit.label = span;
    edit.scope = std::move(behind);
    binder_.bound().edits.push_back(std::move(edit));
    return {true, merge_.hidden++};
}

RowColumn ScatterBuilder::hide_text(std::string text) {
    for (std::uint32_t i = 0; i < hidden_.size(); ++i)
        if (hidden_[i] == text) return {true, i};
    Edit edit{.span = {select_.items_span.end(), 0}, .fill = Fill::text, .scatter_only = true};
    edit.text = ", " + text;
    hidden_.push_back(std::move(text));
    binder_.bound().edits.push_back(std::move(edit));
    return {true, merge_.hidden++};
}

// The select item that an ORDER BY item names by position, alias or by being written the same; counted among
// the visible columns.
std::optional<std::uint32_t> ScatterBuilder::item_of(const sqlparse::Expr& expr) const {
    if (!arm_.known) return std::nullopt;
    if (const auto position = row_count(expr, text_)) {
        if (*position < 1 || *position > arm_.outputs.size()) return std::nullopt;
        return static_cast<std::uint32_t>(*position - 1);
    }
    const auto* column = expr.as<sqlparse::Column>();
    for (std::uint32_t i = 0; i < arm_.outputs.size(); ++i) {
        const Binder::Output& output = arm_.outputs[i];
        if (column != nullptr && !column->table && output.expr != nullptr &&
            schema::same_identifier(output.name, column->name.text))
            return i;
        if (column == nullptr && output.expr != nullptr && output.expr->span.of(text_) == expr.span.of(text_))
            return i;
    }
    if (column != nullptr)
        if (const auto found = binder_.column(*column, arm_.block)) return output_of(*found);
    return std::nullopt;
}

std::optional<std::uint32_t> ScatterBuilder::output_of(ColumnId column) const {
    if (!arm_.known) return std::nullopt;
    for (std::uint32_t i = 0; i < arm_.outputs.size(); ++i)
        if (arm_.outputs[i].source == column) return i;
    return std::nullopt;
}

const schema::Column* ScatterBuilder::type_of(const sqlparse::Expr& expr) const {
    const auto* column = expr.as<sqlparse::Column>();
    const auto found = column == nullptr ? std::nullopt : binder_.column(*column, arm_.block);
    return found ? binder_.type_of(*found) : nullptr;
}

// `span` is where the expression is written, `visible` where its value already is.
MergeKey ScatterBuilder::key_for(const sqlparse::Expr& expr, sqlparse::Span span, const schema::Column* type,
                                 std::optional<std::uint32_t> visible) {
    MergeKey key;
    const auto value = [&] { return visible ? RowColumn{false, *visible} : hide("(", span, ")"); };
    switch (type == nullptr && is_number(expr) ? Comparable::typed : comparable(type)) {
    case Comparable::typed: key.column = value(); break;
    case Comparable::weighed:
    case Comparable::unknown:
        key.column = value();
        key.weight = hide("WEIGHT_STRING(", span, weight_suffix(type));
        break;
    case Comparable::number: key.column = hide("(", span, " + 0)"); break;
    case Comparable::exact: key.column = hide("(", span, " + 0e0)"); break;
    case Comparable::moment: key.column = hide("UNIX_TIMESTAMP(", span, ")"); break;
    case Comparable::never: no(fmt::format("sorting by '{}' over several shards", span.of(text_)));
    }
    return key;
}

// A column that a star stands for has no text of its own.
MergeKey ScatterBuilder::star_key(const Binder::Output& output, std::uint32_t visible) {
    const Instance& table = binder_.bound().instances[output.source->instance];
    const bool renamed = !table.aliased && table.table != nullptr &&
                         std::any_of(table.table->places.begin(), table.table->places.end(),
                                     [&](const auto& place) { return place.table != table.table->name; });
    // Its name differs from shard to shard.
    if (renamed) no("ORDER BY a position behind * over several shards");
    const std::string name =
        fmt::format("{}.{}", sqlparse::quote_name(table.refer), sqlparse::quote_name(output.name));
    const schema::Column* type = binder_.type_of(*output.source);
    MergeKey key;
    switch (comparable(type)) {
    case Comparable::typed: key.column = {false, visible}; break;
    case Comparable::weighed:
    case Comparable::unknown:
        key.column = {false, visible};
        key.weight = hide_text("WEIGHT_STRING(" + name + weight_suffix(type));
        break;
    case Comparable::number: key.column = hide_text("(" + name + " + 0)"); break;
    case Comparable::exact: key.column = hide_text("(" + name + " + 0e0)"); break;
    case Comparable::moment: key.column = hide_text("UNIX_TIMESTAMP(" + name + ")"); break;
    case Comparable::never: no(fmt::format("sorting by '{}' over several shards", output.name));
    }
    return key;
}

MergeKey ScatterBuilder::sort_key(const sqlparse::OrderItem& item) {
    const auto visible = item_of(item.expr);
    const bool position = row_count(item.expr, text_).has_value();
    if (!visible && position) no("ORDER BY a position behind * over several shards");
    MergeKey key;
    if (visible && arm_.outputs[*visible].expr != nullptr) {
        const sqlparse::Expr& shown = *arm_.outputs[*visible].expr;
        key = key_for(shown, shown.span, type_of(shown), visible);
    } else if (visible && position) {
        if (!arm_.outputs[*visible].source) no("ORDER BY a position behind * over several shards");
        key = star_key(arm_.outputs[*visible], *visible);
    } else {
        if (!resolves(item.expr))
            no(fmt::format("ORDER BY '{}' over several shards", item.expr.span.of(text_)));
        key = key_for(item.expr, item.expr.span, type_of(item.expr), visible);
    }
    key.descending = item.descending;
    return key;
}

// DISTINCT is grouping by all columns. A weight of a column does not tell rows apart that the column does
// not.
void ScatterBuilder::distinct() {
    if (!arm_.known) no("SELECT DISTINCT * over several shards");
    std::vector<ColumnId> columns;
    for (const Binder::Output& output : arm_.outputs)
        if (output.source) columns.push_back(*output.source);
    if (hold_keys(columns)) {
        const std::uint32_t before = merge_.hidden;
        plain();
        if (merge_.hidden != before && std::any_of(query_.order_by.begin(), query_.order_by.end(),
                                                   [&](const auto& item) { return !item_of(item.expr); }))
            no("DISTINCT sorted by another column over several shards");
        return;
    }
    merge_.kind = Merge::Kind::aggregate;
    for (std::uint32_t i = 0; i < arm_.outputs.size(); ++i) {
        const Binder::Output& output = arm_.outputs[i];
        MergeKey key;
        key.column = {false, i};
        if (output.expr != nullptr && !output.source) {
            const bool known = is_number(*output.expr) || output.expr->as<sqlparse::Literal>() != nullptr;
            if (!known || binder_.bound().not_repeatable != nullptr)
                no("DISTINCT of expressions over several shards");
            merge_.groups.push_back(key);
            merge_.columns.emplace_back();
            continue;
        }
        if (output.expr == nullptr || !output.source) no("SELECT DISTINCT * over several shards");
        const schema::Column* type = binder_.type_of(*output.source);
        const Comparable how = comparable(type);
        if (how == Comparable::never || how == Comparable::unknown)
            no("DISTINCT of this type over several shards");
        if (how == Comparable::number) key.column = hide("(", output.expr->span, " + 0)");
        if (how == Comparable::weighed)
            key.weight = hide("WEIGHT_STRING(", output.expr->span, weight_suffix(type));
        merge_.groups.push_back(key);
        merge_.columns.emplace_back();
    }
    for (const sqlparse::OrderItem& item : query_.order_by) {
        if (!item_of(item.expr)) no("DISTINCT sorted by another column over several shards");
        merge_.order.push_back(sort_key(item));
    }
    remove(query_.order_by_span);
    limits(false);
}

void ScatterBuilder::aggregate() {
    if (select_.having) no("HAVING over several shards");
    for (const sqlparse::SelectItem& item : select_.items)
        if (item.expr.as<sqlparse::Star>() != nullptr) no("* with GROUP BY over several shards");
    merge_.kind = Merge::Kind::aggregate;
    for (const sqlparse::OrderItem& item : select_.group_by) merge_.groups.push_back(group_key(item));
    for (const sqlparse::SelectItem& item : select_.items) merge_.columns.push_back(folded(item));
    for (const sqlparse::OrderItem& item : query_.order_by) {
        if (is_constant(item.expr)) continue;
        const auto visible = item_of(item.expr);
        if (!visible) {
            if (row_count(item.expr, text_) || !of_groups(item.expr))
                no("ORDER BY something that is not selected, with GROUP BY over several shards");
            merge_.order.push_back(sort_key(item));
            continue;
        }
        const sqlparse::Expr& shown = *arm_.outputs[*visible].expr;
        MergeKey key;
        if (shown.as<sqlparse::Aggregate>() != nullptr) {
            key.column = {false, *visible};
            key.weight = merge_.columns[*visible].weight;
        } else {
            key = sort_key(item);
        }
        key.descending = item.descending;
        merge_.order.push_back(key);
    }
    remove(query_.order_by_span);
    limits(false);
}

MergeKey ScatterBuilder::group_key(const sqlparse::OrderItem& item) {
    if (item.direction_given) no("GROUP BY with a direction over several shards");
    const auto found = grouping(item);
    if (!found) no("GROUP BY an expression over several shards");
    const schema::Column* type = binder_.type_of(*found);
    const Comparable how = comparable(type);
    if (how == Comparable::never || how == Comparable::unknown)
        no("GROUP BY a column of this type over several shards");
    MergeKey key;
    const auto visible = output_of(*found);
    const sqlparse::Span span =
        item.expr.as<sqlparse::Column>() != nullptr ? item.expr.span : arm_.outputs[*visible].expr->span;
    if (how == Comparable::number)
        key.column = hide("(", span, " + 0)");
    else
        key.column = visible ? RowColumn{false, *visible} : hide("(", span, ")");
    if (how == Comparable::weighed) key.weight = hide("WEIGHT_STRING(", span, weight_suffix(type));
    return key;
}

MergeColumn ScatterBuilder::folded(const sqlparse::SelectItem& item) {
    MergeColumn column;
    const auto* call = item.expr.as<sqlparse::Aggregate>();
    if (call == nullptr) {
        if (!of_groups(item.expr))
            no(fmt::format("'{}' beside aggregates over several shards", item.label.of(text_)));
        return column;
    }
    if (call->over != nullptr) no("window functions over several shards");
    using sqlparse::AggregateKind;
    if (call->distinct) {
        const auto* argument =
            call->arguments.size() == 1 ? call->arguments[0].as<sqlparse::Column>() : nullptr;
        const auto source = argument == nullptr ? std::nullopt : binder_.column(*argument, arm_.block);
        const bool folds = call->kind == AggregateKind::min || call->kind == AggregateKind::max;
        if (!folds && !(source && hold_keys(std::span{&*source, 1})))
            no(fmt::format("{}(DISTINCT ...) over several shards", call->name.text));
    }
    switch (call->kind) {
    case AggregateKind::count: column.how = Combine::count; break;
    case AggregateKind::sum: column.how = Combine::sum; break;
    case AggregateKind::bit_and: column.how = Combine::bit_and; break;
    case AggregateKind::bit_or: column.how = Combine::bit_or; break;
    case AggregateKind::bit_xor: column.how = Combine::bit_xor; break;
    case AggregateKind::min:
    case AggregateKind::max: {
        column.how = call->kind == AggregateKind::min ? Combine::min : Combine::max;
        const schema::Column* type = type_of(call->arguments[0]);
        const Comparable how = comparable(type);
        if (how == Comparable::never || how == Comparable::number)
            no(fmt::format("{} of this type over several shards", call->name.text));
        if (how == Comparable::weighed || how == Comparable::unknown)
            column.weight = hide("WEIGHT_STRING(", item.expr.span, weight_suffix(type));
        break;
    }
    case AggregateKind::avg: {
        if (call->distinct) no("AVG(DISTINCT ...) over several shards");
        column.how = Combine::average;
        const sqlparse::Span argument = call->arguments[0].span;
        column.sum = hide("SUM(", argument, ")");
        column.count = hide("COUNT(", argument, ")");
        break;
    }
    default: no(fmt::format("{} over several shards", call->name.text));
    }
    return column;
}

// Does every part find, in its own shard, all that its rows meet? The first entry of `sharded` is then the
// table that each row of the result has a row of.
struct Together {
    std::string reason;
    InstanceId driver = 0;
};

Together together(const Bound& bound, const std::vector<InstanceId>& sharded, BlockId top) {
    const auto scope_of = [&](InstanceId id) { return bound.instances[id].scope; };
    std::optional<InstanceId> driver;
    for (const InstanceId id : sharded)
        if (!driver && bound.instances[id].block == top && !bound.instances[id].outer_side) driver = id;
    for (const InstanceId id : sharded)
        for (BlockId block = bound.instances[id].block; block != no_block && block != top;
             block = bound.blocks[block].parent)
            if (bound.blocks[block].derived) return {"a derived table over several shards"};
    if (!driver) return {"an outer join that keeps rows of an unsharded table, over several shards"};
    const rules::TableState& main = *bound.instances[*driver].table;
    for (const InstanceId id : sharded) {
        const rules::TableState& other = *bound.instances[id].table;
        if (id == *driver) continue;
        bool meets = other.group == main.group;
        for (std::size_t part = 0; meets && part < other.key_columns.size(); ++part) {
            const auto equals =
                bound.facts.equals_of({id, static_cast<std::uint32_t>(other.key_columns[part])},
                                      bound.instances[id].scope, scope_of);
            const ColumnId key{*driver, static_cast<std::uint32_t>(main.key_columns[part])};
            meets = std::find(equals.begin(), equals.end(), key) != equals.end();
        }
        if (!meets) return {"a join over several shards that is not on the shard key"};
    }
    return {{}, *driver};
}

}  // namespace

void Builder::scatter() {
    Bound& bound = binder_.bound();
    RouteTemplate& route = draft_.route;
    if (route.insert) return;
    if (route.fixed_node) {
        route.scattered = "sharded tables beside tables of one node";
        return;
    }
    std::vector<InstanceId> sharded;
    for (InstanceId id = 0; id < bound.instances.size(); ++id)
        if (bound.instances[id].kind == TargetKind::sharded) sharded.push_back(id);
    const bool writes =
        draft_.plan.kind == StatementKind::update || draft_.plan.kind == StatementKind::delete_;
    if (!writes && (query_ == nullptr || query_->select() == nullptr || bound_query_.arms.size() != 1)) {
        if (query_ != nullptr) route.scattered = "a set operation over several shards";
        return;
    }
    const BlockId top = writes ? 0 : bound_query_.arms.front().block;
    const Together proof = together(bound, sharded, top);
    if (!proof.reason.empty()) {
        route.scattered = proof.reason;
        return;
    }
    auto scattered = std::make_shared<ScatterTemplate>();
    scattered->writes = writes;
    if (writes) {
        if (limited_) {
            route.scattered = fmt::format("{} with LIMIT over several shards", name_of(draft_.plan.kind));
            return;
        }
    } else {
        const rules::TableState& main = *bound.instances[proof.driver].table;
        std::vector<ColumnId> keys;
        for (const std::size_t column : main.key_columns)
            keys.push_back({proof.driver, static_cast<std::uint32_t>(column)});
        const std::size_t edits = bound.edits.size();
        try {
            scattered->merge = std::make_shared<const Merge>(
                ScatterBuilder{binder_, text_, *query_, bound_query_.arms.front(), std::move(keys)}.build());
        } catch (const ScatterBuilder::Reason& reason) {
            bound.edits.resize(edits);
            route.scattered = reason.text;
            return;
        }
    }
    // The table whose slots decide comes first.
    for (std::size_t i = 0; i < sharded.size(); ++i)
        if (sharded[i] == proof.driver) route.driver = static_cast<std::uint32_t>(i);
    route.scatter = std::move(scattered);
}

}  // namespace shardway::plan
