// Which slots a statement's conditions leave, as a tree with holes: made once per plan, evaluated for every
// text. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/algorithm.hpp"
#include "rules/key.hpp"
#include "rules/slots.hpp"
#include "sqlparse/options.hpp"
#include "sqlparse/scan.hpp"

namespace shardway::plan {

// A constant of the statement: the literals of a hole, or a value that stands in the plan key (NULL, TRUE).
struct ValueRef {
    std::uint32_t hole = sqlparse::no_hole;
    sqlparse::LiteralKind kind = sqlparse::LiteralKind::null_value;  // as in the tree: DATE '…' is a date
    bool negative = false;                                           // a minus stands before it
    std::string charset{};                                           // of an introducer
    bool operator==(const ValueRef&) const = default;
};

// One text's literals. Views; lives for one call of the planner.
class Values {
public:
    Values(std::string_view text, const sqlparse::Scan& scan, const sqlparse::ParseOptions& options,
           std::string_view charset)
        : text_{text}, scan_{scan}, options_{options}, charset_{charset} {}

    // Calls `visit(rules::Literal)` for each literal of the value's hole. The literal's text lives until the
    // next call.
    template <class Visit>
    void for_each(const ValueRef& value, Visit&& visit) const {
        if (value.hole == sqlparse::no_hole) {
            visit(fixed(value));
            return;
        }
        for (const sqlparse::ScanLiteral& literal : scan_.literals)
            if (literal.hole == value.hole) visit(literal_of(value, literal));
    }
    // The same with the literal as it is written before it.
    template <class Visit>
    void for_each_written(const ValueRef& value, Visit&& visit) const {
        for (const sqlparse::ScanLiteral& literal : scan_.literals)
            if (literal.hole == value.hole) visit(literal.span().of(text_), literal_of(value, literal));
    }
    // The value's literal in one row of a VALUES list.
    rules::Literal in_row(const ValueRef& value, std::size_t row) const;
    // The only literal of the hole; of kind `variable` when there are several.
    rules::Literal only(const ValueRef& value) const;

    std::string_view text() const { return text_; }
    const sqlparse::Scan& scan() const { return scan_; }

private:
    static rules::Literal fixed(const ValueRef& value);
    rules::Literal literal_of(const ValueRef& value, const sqlparse::ScanLiteral& literal) const;

    std::string_view text_;
    const sqlparse::Scan& scan_;
    const sqlparse::ParseOptions& options_;
    std::string_view charset_;
    mutable std::string scratch_;
};

struct Condition {
    enum class Kind : std::uint8_t {
        all,     // says nothing
        none,    // can never hold
        all_of,  // children
        any_of,  // children
        equal,   // the key part is one of `values`
        range,   // the key part compares so with the only value
        differ,  // constants: holds unless both values are integers that differ (WHERE 1 = 0)
        truth,   // a constant: holds unless it is 0
    };
    Kind kind = Kind::all;
    rules::Comparison comparison = rules::Comparison::less;
    bool in_list = false;                    // of IN: strings are compared with numbers as doubles
    std::uint32_t part = 0;                  // of the shard key, for composite ones
    const schema::Column* column = nullptr;  // that the values are compared with; lives in the topology
    std::vector<ValueRef> values{};
    std::vector<Condition> children{};

    bool operator==(const Condition&) const = default;
};

// The slots in which rows that meet the condition may lie. What is not certain counts as "may".
rules::Slots slots_of(const Condition& condition, const rules::Algorithm& algorithm, const Values& values,
                      const rules::KeyContext& context);

// Those of one value of an `equal` condition.
rules::Slots slots_of_value(const Condition& condition, const rules::Literal& literal,
                            const rules::Algorithm& algorithm, const rules::KeyContext& context);

// Condition trees that say nothing are left out, chains are flattened.
Condition both(Condition left, Condition right);
Condition either(std::vector<Condition> branches);

std::size_t bytes_of(const Condition& condition);

}  // namespace shardway::plan
