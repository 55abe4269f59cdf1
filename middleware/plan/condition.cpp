#include "middleware/plan/condition.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "sqlparse/literal.hpp"

namespace shardway::plan {

namespace {

rules::LiteralKind rules_kind(sqlparse::LiteralKind kind) {
    using From = sqlparse::LiteralKind;
    switch (kind) {
    case From::integer: return rules::LiteralKind::integer;
    case From::decimal: return rules::LiteralKind::decimal;
    case From::floating: return rules::LiteralKind::floating;
    case From::string:
    case From::national_string: return rules::LiteralKind::string;
    case From::hex:
    case From::bit: return rules::LiteralKind::bytes;
    case From::null_value: return rules::LiteralKind::null;
    case From::true_value:
    case From::false_value: return rules::LiteralKind::boolean;
    case From::date: return rules::LiteralKind::date;
    case From::time: return rules::LiteralKind::time;
    case From::timestamp: return rules::LiteralKind::timestamp;
    case From::parameter: break;
    }
    return rules::LiteralKind::variable;
}

bool is_number(sqlparse::LiteralKind kind) {
    return kind == sqlparse::LiteralKind::integer || kind == sqlparse::LiteralKind::decimal ||
           kind == sqlparse::LiteralKind::floating;
}

rules::Literal unknown_literal() {
    rules::Literal literal;
    literal.kind = rules::LiteralKind::variable;
    return literal;
}

rules::Slots slots_of_equal(const Condition& condition, const rules::Algorithm& algorithm,
                            const Values& values, const rules::KeyContext& context) {
    rules::Slots slots = rules::Slots::none(algorithm.slot_count());
    for (const ValueRef& value : condition.values)
        values.for_each(value, [&](const rules::Literal& literal) {
            slots |= slots_of_value(condition, literal, algorithm, context);
        });
    return slots;
}

rules::Slots slots_of_range(const Condition& condition, const rules::Algorithm& algorithm,
                            const Values& values, const rules::KeyContext& context) {
    rules::Slots slots = rules::Slots::none(algorithm.slot_count());
    values.for_each(condition.values.front(), [&](const rules::Literal& literal) {
        const rules::RangeMatch match =
            rules::range_of(*condition.column, condition.comparison, literal, context);
        if (const auto* range = std::get_if<rules::KeyRange>(&match))
            slots |= algorithm.slots_of(condition.part, *range);
        else if (std::holds_alternative<rules::Unroutable>(match))
            slots = rules::Slots::all(algorithm.slot_count());
    });
    return slots;
}

// Constants decide nothing unless they certainly make the condition false.
bool is_certainly_false(const Condition& condition, const Values& values) {
    if (condition.kind == Condition::Kind::truth) {
        const rules::Literal literal = values.only(condition.values[0]);
        return literal.kind == rules::LiteralKind::null ||
               ((literal.kind == rules::LiteralKind::integer ||
                 literal.kind == rules::LiteralKind::boolean) &&
                literal.text.find_first_not_of('0') == std::string_view::npos);
    }
    const rules::Literal left = values.only(condition.values[0]);
    const std::string kept{left.text};  // the next call reuses its memory
    const rules::Literal right = values.only(condition.values[1]);
    if (left.kind != rules::LiteralKind::integer || right.kind != rules::LiteralKind::integer) return false;
    const auto a = sqlparse::integer_value(kept);
    const auto b = sqlparse::integer_value(right.text);
    return a && b && *a != *b;
}

}  // namespace

rules::Slots slots_of_value(const Condition& condition, const rules::Literal& literal,
                            const rules::Algorithm& algorithm, const rules::KeyContext& context) {
    // Integers and strings of up to 15 digits are exact as doubles.
    constexpr std::size_t exact_digits_max = 15;
    if (condition.in_list && literal.kind == rules::LiteralKind::string &&
        schema::is_integer(condition.column->type) && literal.text.size() > exact_digits_max)
        return rules::Slots::all(algorithm.slot_count());
    const rules::KeyMatch match = rules::key_of(*condition.column, literal, context);
    if (const auto* key = std::get_if<rules::Key>(&match)) return algorithm.slots_with(condition.part, *key);
    if (std::holds_alternative<rules::Never>(match)) return rules::Slots::none(algorithm.slot_count());
    return rules::Slots::all(algorithm.slot_count());
}

rules::Literal Values::fixed(const ValueRef& value) {
    rules::Literal literal;
    literal.kind = rules_kind(value.kind);
    if (literal.kind == rules::LiteralKind::boolean)
        literal.text = value.kind == sqlparse::LiteralKind::true_value ? "1" : "0";
    return literal;
}

rules::Literal Values::literal_of(const ValueRef& value, const sqlparse::ScanLiteral& scanned) const {
    const std::string_view raw = scanned.span().of(text_);
    rules::Literal literal;
    literal.kind = rules_kind(value.kind);
    literal.charset = value.charset.empty() ? charset_ : std::string_view{value.charset};
    if (is_number(value.kind)) {
        literal.text = raw;
        if (value.negative) {
            scratch_.assign(1, '-').append(raw);
            literal.text = scratch_;
        }
        return literal;
    }
    // A minus before a string makes a number of it: not a comparison in the key's own type.
    if (value.negative) {
        literal.kind = rules::LiteralKind::variable;
        return literal;
    }
    const bool plain_string = scanned.kind == sqlparse::LiteralKind::string && raw.size() >= 2 &&
                              raw.front() == raw.back() && raw.find_first_of("\\'\"", 1) == raw.size() - 1;
    if (plain_string && options_.charset == sqlparse::CharsetClass::ascii_safe) {
        literal.text = raw.substr(1, raw.size() - 2);
        return literal;
    }
    scratch_ = sqlparse::literal_bytes(scanned.kind, raw, options_);
    literal.text = scratch_;
    return literal;
}

rules::Literal Values::only(const ValueRef& value) const {
    if (value.hole == sqlparse::no_hole) return fixed(value);
    const sqlparse::ScanLiteral* found = nullptr;
    for (const sqlparse::ScanLiteral& literal : scan_.literals) {
        if (literal.hole != value.hole) continue;
        if (found != nullptr) return unknown_literal();
        found = &literal;
    }
    return found == nullptr ? unknown_literal() : literal_of(value, *found);
}

rules::Literal Values::in_row(const ValueRef& value, std::size_t row) const {
    if (value.hole == sqlparse::no_hole) return fixed(value);
    const std::size_t end =
        row + 1 < scan_.rows.size() ? scan_.rows[row + 1].first_literal : scan_.literals.size();
    for (std::size_t i = scan_.rows[row].first_literal; i < end; ++i)
        if (scan_.literals[i].hole == value.hole) return literal_of(value, scan_.literals[i]);
    return unknown_literal();
}

rules::Slots slots_of(const Condition& condition, const rules::Algorithm& algorithm, const Values& values,
                      const rules::KeyContext& context) {
    const std::uint32_t size = algorithm.slot_count();
    switch (condition.kind) {
    case Condition::Kind::all: break;
    case Condition::Kind::none: return rules::Slots::none(size);
    case Condition::Kind::all_of: {
        rules::Slots slots = rules::Slots::all(size);
        for (const Condition& child : condition.children)
            slots &= slots_of(child, algorithm, values, context);
        return slots;
    }
    case Condition::Kind::any_of: {
        rules::Slots slots = rules::Slots::none(size);
        for (const Condition& child : condition.children)
            slots |= slots_of(child, algorithm, values, context);
        return slots;
    }
    case Condition::Kind::equal: return slots_of_equal(condition, algorithm, values, context);
    case Condition::Kind::range: return slots_of_range(condition, algorithm, values, context);
    case Condition::Kind::differ:
    case Condition::Kind::truth:
        if (is_certainly_false(condition, values)) return rules::Slots::none(size);
        break;
    }
    return rules::Slots::all(size);
}

Condition both(Condition left, Condition right) {
    if (left.kind == Condition::Kind::all) return right;
    if (right.kind == Condition::Kind::all) return left;
    if (left.kind != Condition::Kind::all_of) {
        Condition group{.kind = Condition::Kind::all_of};
        group.children.push_back(std::move(left));
        left = std::move(group);
    }
    if (right.kind == Condition::Kind::all_of)
        std::move(right.children.begin(), right.children.end(), std::back_inserter(left.children));
    else
        left.children.push_back(std::move(right));
    return left;
}

Condition either(std::vector<Condition> branches) {
    for (const Condition& branch : branches)
        if (branch.kind == Condition::Kind::all) return {};
    if (branches.size() == 1) return std::move(branches.front());
    Condition group{.kind = Condition::Kind::any_of};
    group.children = std::move(branches);
    return group;
}

std::size_t bytes_of(const Condition& condition) {
    std::size_t bytes = sizeof condition + condition.values.size() * sizeof(ValueRef);
    for (const Condition& child : condition.children) bytes += bytes_of(child);
    return bytes;
}

}  // namespace shardway::plan
