// Values as prepared statements carry them: numbers in bytes, dates in fields.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "middleware/protocol/column.hpp"
#include "middleware/protocol/reader.hpp"
#include "middleware/protocol/text_row.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

struct DateTimeValue {  // zero dates are legal
    std::uint16_t year = 0;
    std::uint8_t month = 0;
    std::uint8_t day = 0;
    std::uint8_t hour = 0;
    std::uint8_t minute = 0;
    std::uint8_t second = 0;
    std::uint32_t microsecond = 0;

    friend auto operator<=>(const DateTimeValue&, const DateTimeValue&) = default;
};

struct TimeValue {  // a span of time; -838:59:59 is 34 days, 22 hours, …
    bool negative = false;
    std::uint32_t days = 0;
    std::uint8_t hours = 0;
    std::uint8_t minutes = 0;
    std::uint8_t seconds = 0;
    std::uint32_t microseconds = 0;

    friend auto operator<=>(const TimeValue&, const TimeValue&) = default;
};

// monostate is NULL. Decimals are strings. Views into the packet it was read from, which must stay alive.
using BinaryValue = std::variant<std::monostate, std::int64_t, std::uint64_t, float, double, std::string_view,
                                 DateTimeValue, TimeValue>;

// A value that is not NULL. The reader fails for a type that the protocol does not carry, and for dates and
// times whose fields no clock shows.
BinaryValue read_binary_value(Reader& in, ColumnType type, bool is_unsigned);

// Writes a text value, one that is not NULL, as `column` has it in the binary protocol. False, with nothing
// written, when the text is no value of that type.
bool write_binary_from_text(Writer& out, const ColumnDefinition& column, std::string_view text);

// Appends the value as a literal of SQL that means the same: '…' for strings (with _binary in front for
// BLOBs), numbers bare, TIMESTAMP'…' and so on. `backslash_escapes`: the session's sql_mode has no
// NO_BACKSLASH_ESCAPES. Strings are in a character set that is_ascii_safe(). False, with nothing appended,
// for what no literal can say: infinite numbers.
bool append_literal(std::string& sql, const BinaryValue& value, ColumnType type, bool backslash_escapes);

}  // namespace shardway::protocol
