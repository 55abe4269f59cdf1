// How the rows of several parts become one result. Made by the planner, carried out by exec; immutable.
//
// Every part answers with the same columns: those of the client's statement, then `hidden` more, which are
// cut off before a row leaves. Column definitions are those of the first part's visible columns (they are the
// user's own expressions in all cases, so types and labels are right).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace shardway::plan {

// A column of a part's rows: a visible one counted from 0, or a hidden one counted from 0 behind the visible
// ones.
struct RowColumn {
    bool hidden = false;
    std::uint32_t index = 0;
    // Where it stands in rows of `total` columns.
    std::uint32_t position(std::uint32_t total, std::uint32_t hidden_count) const {
        return hidden ? total - hidden_count + index : index;
    }
    bool operator==(const RowColumn&) const = default;
};

// Values compare by the type in their column definition: numbers and temporal values typed, binary strings by
// bytes. Text compares by the bytes of `weight`, a WEIGHT_STRING of the same value; where the type is not
// text (the planner does not know the types of expressions) the weight is passed over. NULL is less than
// everything.
struct MergeKey {
    RowColumn column;
    std::optional<RowColumn> weight;
    bool descending = false;
};

// What becomes of a visible column when rows of one group are folded into one.
enum class Combine : std::uint8_t {
    first,  // the same in all rows of a group
    count,  // COUNT: integers are added
    sum,    // SUM: exact for integers and decimals (to 65 digits), NULL only when all are
    min,    // by `weight` for text
    max,
    average,  // AVG: `sum` / `count`, with the decimals of the column's definition; NULL when the count is 0
    bit_and,
    bit_or,
    bit_xor,
};

struct MergeColumn {
    Combine how = Combine::first;
    std::optional<RowColumn> weight;  // min, max
    RowColumn sum, count;             // average
};

struct Merge {
    enum class Kind : std::uint8_t {
        concatenate,  // part after part, as they come
        ordered,      // every part is sorted by `order`: merge, check each stream's own order
        aggregate,    // rows with equal `groups` fold into one (without `groups`: all into one), then sort by
                      // `order`
    };
    Kind kind = Kind::concatenate;
    std::uint32_t hidden = 0;
    std::vector<MergeKey> order;
    std::vector<MergeKey> groups;        // aggregate
    std::vector<MergeColumn> columns;    // aggregate: one per visible column
    std::optional<std::uint64_t> limit;  // rows of the result, counted behind `offset`
    std::uint64_t offset = 0;
};

}  // namespace shardway::plan
