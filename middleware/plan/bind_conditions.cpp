// The binder's third part: what WHERE and ON say of columns.
#include "middleware/plan/bind.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::plan {

namespace {

Filter any_filter(std::vector<Filter> branches) {
    for (const Filter& branch : branches)
        if (branch.kind == Condition::Kind::all) return {};
    Filter filter;
    filter.kind = Condition::Kind::any_of;
    filter.children = std::move(branches);
    return filter;
}

Filter every_filter(std::vector<Filter> parts) {
    Filter filter;
    for (Filter& part : parts)
        if (part.kind != Condition::Kind::all) filter.children.push_back(std::move(part));
    if (!filter.children.empty()) filter.kind = Condition::Kind::all_of;
    return filter;
}

bool is_comparison(sqlparse::BinaryOp op) {
    return op >= sqlparse::BinaryOp::equal && op <= sqlparse::BinaryOp::greater_equal &&
           op != sqlparse::BinaryOp::not_equal;
}

sqlparse::BinaryOp mirrored(sqlparse::BinaryOp op) {
    switch (op) {
    case sqlparse::BinaryOp::less: return sqlparse::BinaryOp::greater;
    case sqlparse::BinaryOp::less_equal: return sqlparse::BinaryOp::greater_equal;
    case sqlparse::BinaryOp::greater: return sqlparse::BinaryOp::less;
    case sqlparse::BinaryOp::greater_equal: return sqlparse::BinaryOp::less_equal;
    default: return op;
    }
}

rules::Comparison comparison_of(sqlparse::BinaryOp op) {
    switch (op) {
    case sqlparse::BinaryOp::less: return rules::Comparison::less;
    case sqlparse::BinaryOp::less_equal: return rules::Comparison::less_equal;
    case sqlparse::BinaryOp::greater: return rules::Comparison::greater;
    default: return rules::Comparison::greater_equal;
    }
}

}  // namespace

std::optional<ValueRef> Binder::value(const sqlparse::Expr& expr) const {
    if (const auto* literal = expr.as<sqlparse::Literal>()) {
        ValueRef value{.hole = literal->hole, .kind = literal->kind};
        if (literal->introduced) value.charset = sqlparse::literal_charset(expr.span.of(text_));
        if (literal->kind == sqlparse::LiteralKind::national_string) value.charset = "utf8mb3";
        return value;
    }
    const auto* unary = expr.as<sqlparse::Unary>();
    if (unary == nullptr || unary->op != sqlparse::UnaryOp::minus) return std::nullopt;
    const auto* literal = unary->operand.as<sqlparse::Literal>();
    if (literal == nullptr || literal->hole == sqlparse::no_hole) return std::nullopt;
    return ValueRef{.hole = literal->hole, .kind = literal->kind, .negative = true};
}

std::optional<ColumnId> Binder::plain_column(const sqlparse::Expr& expr, BlockId block) const {
    const auto* found = expr.as<sqlparse::Column>();
    return found == nullptr ? std::nullopt : column(*found, block);
}

void Binder::equate(ScopeId scope, std::optional<ColumnId> left, std::optional<ColumnId> right) {
    if (!left || !right) return;
    const schema::Column* left_type = type_of(*left);
    const schema::Column* right_type = type_of(*right);
    if (left_type == nullptr || right_type == nullptr || !same_key_type(*left_type, *right_type)) return;
    bound_.facts.add_equality(scope, *left, *right);
}

Filter Binder::leaf(ColumnId subject, std::vector<ValueRef> values) const {
    Filter filter;
    filter.column = type_of(subject);
    if (filter.column == nullptr || values.empty()) return {};
    filter.kind = Condition::Kind::equal;
    filter.subject = subject;
    filter.values = std::move(values);
    return filter;
}

void Binder::conjunct(const sqlparse::Expr& condition, BlockId block, ScopeId scope, bool top) {
    if (const auto* logical = condition.as<sqlparse::Logical>();
        logical && logical->op == sqlparse::LogicalOp::and_) {
        for (const sqlparse::Expr& operand : logical->operands) conjunct(operand, block, scope, top);
        return;
    }
    if (const auto* binary = condition.as<sqlparse::Binary>();
        binary && binary->op == sqlparse::BinaryOp::equal) {
        const auto left = plain_column(binary->left, block);
        const auto right = plain_column(binary->right, block);
        if (left && right) return equate(scope, left, right);
        const auto* left_row = binary->left.as<sqlparse::Row>();
        const auto* right_row = binary->right.as<sqlparse::Row>();
        if (left_row && right_row && left_row->items.size() == right_row->items.size())
            for (std::size_t i = 0; i < left_row->items.size(); ++i)
                equate(scope, plain_column(left_row->items[i], block),
                       plain_column(right_row->items[i], block));
    }
    if (const auto* in = condition.as<sqlparse::InQuery>(); in != nullptr && !in->negated) {
        for (const auto& [query, bound] : in_queries_)
            if (query == in->query) in_query(*in, bound, block, scope);
        return;
    }
    bound_.facts.add_filter(scope, filter(condition, block));
}

// `operand IN (SELECT x …)`: the operand equals some x. And only rows with an x that equals an operand
// matter, unless the query cuts or folds its rows first.
void Binder::in_query(const sqlparse::InQuery& in, const BoundQuery& query, BlockId block, ScopeId scope) {
    std::vector<std::optional<ColumnId>> operands;
    if (const auto* row = in.operand.as<sqlparse::Row>())
        for (const sqlparse::Expr& item : row->items) operands.push_back(plain_column(item, block));
    else
        operands.push_back(plain_column(in.operand, block));
    for (const Arm& arm : query.arms) {
        for (std::size_t i = 0; i < operands.size() && i < arm.outputs.size(); ++i) {
            const Output& output = arm.outputs[i];
            if (arm.pushable && output.pushable) equate(arm.scope, operands[i], output.source);
            if (query.arms.size() == 1) equate(scope, operands[i], output.source);
        }
    }
}

Filter Binder::filter(const sqlparse::Expr& condition, BlockId block) const {
    if (const auto* logical = condition.as<sqlparse::Logical>()) {
        std::vector<Filter> parts;
        for (const sqlparse::Expr& operand : logical->operands) parts.push_back(filter(operand, block));
        return logical->op == sqlparse::LogicalOp::and_ ? every_filter(std::move(parts))
                                                        : any_filter(std::move(parts));
    }
    if (const auto* binary = condition.as<sqlparse::Binary>(); binary && is_comparison(binary->op))
        return compare(binary->op, binary->left, binary->right, block);
    if (const auto* in = condition.as<sqlparse::InList>(); in && !in->negated) return in_list(*in, block);
    if (const auto* between = condition.as<sqlparse::Between>(); between && !between->negated) {
        // All three are compared in one type: with ends of different kinds that is not the column's own.
        if (range_kind(between->low) != range_kind(between->high)) return {};
        std::vector<Filter> parts;
        parts.push_back(compare(sqlparse::BinaryOp::greater_equal, between->operand, between->low, block));
        parts.push_back(compare(sqlparse::BinaryOp::less_equal, between->operand, between->high, block));
        return every_filter(std::move(parts));
    }
    if (condition.as<sqlparse::Literal>() != nullptr) {
        Filter constant;
        constant.kind = Condition::Kind::truth;
        constant.values.push_back(*value(condition));
        return constant;
    }
    return {};
}

// Literals that compare in the same way. No literal at all: a kind of its own, which compare() judges.
Binder::RangeKind Binder::range_kind(const sqlparse::Expr& end) {
    const auto* literal = end.as<sqlparse::Literal>();
    if (!literal) return RangeKind::other;
    switch (literal->kind) {
    case sqlparse::LiteralKind::integer:
    case sqlparse::LiteralKind::decimal: return RangeKind::number;
    case sqlparse::LiteralKind::string: return RangeKind::text;
    default: return RangeKind::other;
    }
}

Filter Binder::compare(sqlparse::BinaryOp op, const sqlparse::Expr& left, const sqlparse::Expr& right,
                       BlockId block) const {
    using sqlparse::BinaryOp;
    const auto* left_row = left.as<sqlparse::Row>();
    const auto* right_row = right.as<sqlparse::Row>();
    if (left_row != nullptr && right_row != nullptr) {
        std::vector<Filter> parts;
        if (op != BinaryOp::equal || left_row->items.size() != right_row->items.size()) return {};
        for (std::size_t i = 0; i < left_row->items.size(); ++i)
            parts.push_back(compare(op, left_row->items[i], right_row->items[i], block));
        return every_filter(std::move(parts));
    }
    const auto left_value = value(left);
    const auto right_value = value(right);
    if (left_value && right_value) {
        if (op != BinaryOp::equal) return {};
        Filter constants;
        constants.kind = Condition::Kind::differ;
        constants.values = {*left_value, *right_value};
        return constants;
    }
    const auto subject = plain_column(left_value ? right : left, block);
    const auto operand = left_value ? left_value : right_value;
    if (!subject || !operand) return {};
    if (op == BinaryOp::null_safe_equal && operand->kind == sqlparse::LiteralKind::null_value) return {};
    Filter found = leaf(*subject, {*operand});
    if (found.kind == Condition::Kind::all || op == BinaryOp::equal || op == BinaryOp::null_safe_equal)
        return found;
    found.kind = Condition::Kind::range;
    found.comparison = comparison_of(left_value ? mirrored(op) : op);
    return found;
}

Filter Binder::in_list(const sqlparse::InList& in, BlockId block) const {
    std::vector<const sqlparse::Expr*> subjects;
    if (const auto* row = in.operand.as<sqlparse::Row>())
        for (const sqlparse::Expr& item : row->items) subjects.push_back(&item);
    else
        subjects.push_back(&in.operand);
    std::vector<Filter> parts;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const auto subject = plain_column(*subjects[i], block);
        if (!subject) continue;
        std::vector<ValueRef> values;
        std::optional<sqlparse::LiteralKind> kind;
        bool usable = true;
        for (const sqlparse::Expr& item : in.items) {
            const auto* row = item.as<sqlparse::Row>();
            if ((row != nullptr) != (subjects.size() > 1) ||
                (row != nullptr && row->items.size() != subjects.size())) {
                usable = false;
                break;
            }
            const auto found = value(row != nullptr ? row->items[i] : item);
            if (!found) {
                usable = false;
                break;
            }
            // A mixed list compares in types of its own.
            if (found->kind != sqlparse::LiteralKind::null_value) {
                if (kind && *kind != found->kind) usable = false;
                kind = found->kind;
            }
            // A collapsed list has one hole for all its literals.
            if (values.empty() || values.back() != *found) values.push_back(*found);
        }
        if (!usable) continue;
        Filter part = leaf(*subject, std::move(values));
        part.in_list = true;
        if (part.kind != Condition::Kind::all) parts.push_back(std::move(part));
    }
    return every_filter(std::move(parts));
}

}  // namespace shardway::plan
