// How rows of several parts are compared: as the server that sorted them compared their values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "middleware/exec/result_columns.hpp"
#include "middleware/plan/merge.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/protocol/text_row.hpp"

namespace shardway::exec {

// Turns the values that a row is sorted or grouped by into bytes that compare like them, so that one memcmp
// compares two rows: NULL first, integers and doubles big-endian with the sign turned round, decimals by
// magnitude and digits, times as microseconds, dates as their text, strings by their bytes and texts by their
// weights, both escaped and ended so that none is a prefix of another. What sorts descending is inverted.
class KeyEncoder {
public:
    enum class Use { order, group };

    KeyEncoder() = default;
    // `shapes` are those of the whole row, hidden columns included. Only the first `sort_bytes_max` bytes of
    // a string decide an order (max_sort_length); in a group all do. Fails where the values of a column
    // cannot be compared here (JSON, text without a weight).
    static protocol::Result<KeyEncoder> make(std::span<const plan::MergeKey> keys,
                                             std::span<const ColumnShape> shapes, std::uint32_t hidden,
                                             Use use, std::size_t sort_bytes_max);

    // Appends the key of a row. False when a value is not what its column promised.
    bool append(std::span<const protocol::Value> row, std::string& key) const;

private:
    enum class Coding { nothing, integer, unsigned_integer, floating, decimal, time, bytes };
    struct Field {
        Coding coding;
        std::uint32_t column;  // where the coded value stands
        std::uint32_t value;   // whether it is NULL is asked of the value itself
        bool descending;
    };
    static bool is_plain_text(const ColumnShape& shape);
    static Coding coding_of(const ColumnShape& shape);
    bool append_value(const Field& field, std::string_view value, std::string& key) const;

    std::vector<Field> fields_;
    std::size_t bytes_max_ = SIZE_MAX;
};

// Microseconds of a TIME's text, "-838:59:59.000000".
std::optional<std::int64_t> time_micros(std::string_view text);

}  // namespace shardway::exec
