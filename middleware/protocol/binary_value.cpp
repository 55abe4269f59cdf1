#include "middleware/protocol/binary_value.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace shardway::protocol {

namespace {

constexpr std::uint32_t time_hours_max = 838;

bool is_clock(unsigned hour, unsigned minute, unsigned second, std::uint32_t microsecond) {
    return hour < 24 && minute < 60 && second < 60 && microsecond < 1'000'000;
}

DateTimeValue read_datetime(Reader& in) {
    DateTimeValue value;
    const std::uint8_t size = in.u8();
    if (size != 0 && size != 4 && size != 7 && size != 11) in.fail();
    if (size >= 4) {
        value.year = in.u16();
        value.month = in.u8();
        value.day = in.u8();
    }
    if (size >= 7) {
        value.hour = in.u8();
        value.minute = in.u8();
        value.second = in.u8();
    }
    if (size == 11) value.microsecond = in.u32();
    if (value.year > 9999 || value.month > 12 || value.day > 31 ||
        !is_clock(value.hour, value.minute, value.second, value.microsecond))
        in.fail();
    return value;
}

TimeValue read_time(Reader& in) {
    TimeValue value;
    const std::uint8_t size = in.u8();
    if (size != 0 && size != 8 && size != 12) in.fail();
    if (size >= 8) {
        value.negative = in.u8() != 0;
        value.days = in.u32();
        value.hours = in.u8();
        value.minutes = in.u8();
        value.seconds = in.u8();
    }
    if (size == 12) value.microseconds = in.u32();
    if (!is_clock(value.hours, value.minutes, value.seconds, value.microseconds)) in.fail();
    // Like the server: what TIME cannot hold becomes the largest that it can.
    if (std::uint64_t{value.days} * 24 + value.hours > time_hours_max)
        value = {value.negative, time_hours_max / 24, time_hours_max % 24, 59, 59, 0};
    return value;
}

template <class Signed, class Unsigned>
BinaryValue integer(Unsigned bits, bool is_unsigned) {
    if (is_unsigned) return std::uint64_t{bits};
    return std::int64_t{static_cast<Signed>(bits)};
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// The bits of an integer column's text, if the type's width holds it.
template <class Signed, class Unsigned>
std::optional<Unsigned> integer_bits(std::string_view text, bool is_unsigned) {
    if (is_unsigned) return whole_number<Unsigned>(text);
    const auto value = whole_number<Signed>(text);
    return value ? std::optional{static_cast<Unsigned>(*value)} : std::nullopt;
}

// Takes the digits of dates and times off a text, field by field.
class ClockText {
public:
    explicit ClockText(std::string_view text) : rest_{text} {}
    bool ok() const { return ok_; }
    bool at_end() const { return rest_.empty(); }

    // Digits up to `separator` (which is consumed) or, for NUL, up to the first that is none.
    std::uint32_t field(char separator, std::size_t digits_max) {
        std::size_t size = 0;
        std::uint32_t value = 0;
        while (size < rest_.size() && size < digits_max && rest_[size] >= '0' && rest_[size] <= '9')
            value = value * 10 + static_cast<std::uint32_t>(rest_[size++] - '0');
        if (size == 0) ok_ = false;
        rest_.remove_prefix(size);
        if (separator != '\0') ok_ = skip_if(separator) && ok_;
        return value;
    }
    bool skip_if(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    // ".5" is 500000 microseconds.
    std::uint32_t fraction() {
        if (!skip_if('.')) return 0;
        const std::size_t digits = std::min<std::size_t>(rest_.size(), 6);
        std::uint32_t value = field('\0', 6);
        for (std::size_t i = digits; i < 6; ++i) value *= 10;
        return value;
    }

private:
    std::string_view rest_;
    bool ok_ = true;
};

bool write_datetime(Writer& out, std::string_view text, bool date_only) {
    ClockText in{text};
    DateTimeValue value;
    value.year = static_cast<std::uint16_t>(in.field('-', 4));
    value.month = static_cast<std::uint8_t>(in.field('-', 2));
    value.day = static_cast<std::uint8_t>(in.field('\0', 2));
    if (!date_only && in.skip_if(' ')) {
        value.hour = static_cast<std::uint8_t>(in.field(':', 2));
        value.minute = static_cast<std::uint8_t>(in.field(':', 2));
        value.second = static_cast<std::uint8_t>(in.field('\0', 2));
        value.microsecond = in.fraction();
    }
    if (!in.ok() || !in.at_end()) return false;
    const bool has_time = value.hour != 0 || value.minute != 0 || value.second != 0;
    const bool has_date = value.year != 0 || value.month != 0 || value.day != 0;
    const int size = value.microsecond != 0 ? 11 : has_time ? 7 : has_date ? 4 : 0;
    out.u8(static_cast<std::uint8_t>(size));
    if (size >= 4) {
        out.u16(value.year);
        out.u8(value.month);
        out.u8(value.day);
    }
    if (size >= 7) {
        out.u8(value.hour);
        out.u8(value.minute);
        out.u8(value.second);
    }
    if (size == 11) out.u32(value.microsecond);
    return true;
}

bool write_time(Writer& out, std::string_view text) {
    ClockText in{text};
    TimeValue value;
    value.negative = in.skip_if('-');
    const std::uint32_t hours = in.field(':', 3);
    value.minutes = static_cast<std::uint8_t>(in.field(':', 2));
    value.seconds = static_cast<std::uint8_t>(in.field('\0', 2));
    value.microseconds = in.fraction();
    if (!in.ok() || !in.at_end()) return false;
    const bool zero = hours == 0 && value.minutes == 0 && value.seconds == 0 && value.microseconds == 0;
    const int size = zero ? 0 : value.microseconds == 0 ? 8 : 12;
    out.u8(static_cast<std::uint8_t>(size));
    if (size == 0) return true;
    out.u8(value.negative ? 1 : 0);
    out.u32(hours / 24);
    out.u8(static_cast<std::uint8_t>(hours % 24));
    out.u8(value.minutes);
    out.u8(value.seconds);
    if (size == 12) out.u32(value.microseconds);
    return true;
}

// Carried as a string of bytes in both protocols.
bool is_bytes(ColumnType type) {
    switch (type) {
    case ColumnType::decimal:
    case ColumnType::newdecimal:
    case ColumnType::varchar:
    case ColumnType::bit:
    case ColumnType::vector:
    case ColumnType::json:
    case ColumnType::enumeration:
    case ColumnType::set:
    case ColumnType::tiny_blob:
    case ColumnType::medium_blob:
    case ColumnType::long_blob:
    case ColumnType::blob:
    case ColumnType::var_string:
    case ColumnType::string:
    case ColumnType::geometry: return true;
    default: return false;
    }
}

bool is_blob(ColumnType type) {
    return type == ColumnType::tiny_blob || type == ColumnType::medium_blob ||
           type == ColumnType::long_blob || type == ColumnType::blob || type == ColumnType::bit ||
           type == ColumnType::geometry || type == ColumnType::vector;
}

// [-]digits[.digits], which SQL reads as the very decimal.
bool is_plain_decimal(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    bool point = false;
    bool digit = false;
    for (const char c : text) {
        if (c == '.' && !point)
            point = true;
        else if (c >= '0' && c <= '9')
            digit = true;
        else
            return false;
    }
    return digit;
}

void append_quoted(std::string& sql, std::string_view text, bool backslash_escapes) {
    sql += '\'';
    for (const char c : text) {
        if (c == '\'') sql += '\'';
        if (c == '\\' && backslash_escapes) sql += '\\';
        sql += c;
    }
    sql += '\'';
}

bool append_number(std::string& sql, double value) {
    if (!std::isfinite(value)) return false;
    // An exponent makes it a DOUBLE; without one the literal would be a DECIMAL.
    const std::string text = fmt::format("{}", value);
    sql += text;
    if (text.find('e') == text.npos) sql += "e0";
    return true;
}

void append_clock(std::string& text, unsigned hour, unsigned minute, unsigned second,
                  std::uint32_t microsecond) {
    fmt::format_to(std::back_inserter(text), "{:02}:{:02}:{:02}", hour, minute, second);
    if (microsecond != 0) fmt::format_to(std::back_inserter(text), ".{:06}", microsecond);
}

void append_datetime(std::string& sql, const DateTimeValue& value, ColumnType type) {
    // A literal of its own type must be a real date; '0000-00-00' goes as a string, which is compared as a
    // date all the same.
    const bool real = value.month != 0 && value.day != 0;
    const bool date_only = type == ColumnType::date || type == ColumnType::newdate;
    if (real) sql += date_only ? "DATE" : "TIMESTAMP";
    fmt::format_to(std::back_inserter(sql), "'{:04}-{:02}-{:02}", value.year, value.month, value.day);
    if (!date_only) {
        sql += ' ';
        append_clock(sql, value.hour, value.minute, value.second, value.microsecond);
    }
    sql += '\'';
}

struct AppendLiteral {
    std::string& sql;
    ColumnType type;
    bool backslash_escapes;

    bool operator()(std::monostate) const {
        sql += "NULL";
        return true;
    }
    bool operator()(std::int64_t value) const {
        fmt::format_to(std::back_inserter(sql), "{}", value);
        return true;
    }
    bool operator()(std::uint64_t value) const {
        fmt::format_to(std::back_inserter(sql), "{}", value);
        return true;
    }
    bool operator()(float value) const { return append_number(sql, double{value}); }
    bool operator()(double value) const { return append_number(sql, value); }
    bool operator()(std::string_view value) const {
        const bool decimal = type == ColumnType::newdecimal || type == ColumnType::decimal;
        if (decimal && is_plain_decimal(value)) {
            sql += value;
            return true;
        }
        if (is_blob(type)) sql += "_binary";
        append_quoted(sql, value, backslash_escapes);
        return true;
    }
    bool operator()(const DateTimeValue& value) const {
        append_datetime(sql, value, type);
        return true;
    }
    bool operator()(const TimeValue& value) const {
        sql += value.negative ? "TIME'-" : "TIME'";
        append_clock(sql, value.days * 24 + value.hours, value.minutes, value.seconds, value.microseconds);
        sql += '\'';
        return true;
    }
};

}  // namespace

BinaryValue read_binary_value(Reader& in, ColumnType type, bool is_unsigned) {
    switch (type) {
    case ColumnType::int8: return integer<std::int8_t>(in.u8(), is_unsigned);
    case ColumnType::int16:
    case ColumnType::year: return integer<std::int16_t>(in.u16(), is_unsigned);
    case ColumnType::int24:
    case ColumnType::int32: return integer<std::int32_t>(in.u32(), is_unsigned);
    case ColumnType::int64: return integer<std::int64_t>(in.u64(), is_unsigned);
    case ColumnType::float32: return std::bit_cast<float>(in.u32());
    case ColumnType::float64: return std::bit_cast<double>(in.u64());
    case ColumnType::date:
    case ColumnType::newdate:
    case ColumnType::datetime:
    case ColumnType::timestamp: return read_datetime(in);
    case ColumnType::time: return read_time(in);
    default: break;
    }
    if (is_bytes(type)) return in.lenenc_string();
    in.fail();
    return std::monostate{};
}

bool write_binary_from_text(Writer& out, const ColumnDefinition& column, std::string_view text) {
    const bool is_unsigned = column.is_unsigned();
    switch (column.type) {
    case ColumnType::int8: {
        const auto bits = integer_bits<std::int8_t, std::uint8_t>(text, is_unsigned);
        if (bits) out.u8(*bits);
        return bits.has_value();
    }
    case ColumnType::int16:
    case ColumnType::year: {
        const auto bits = integer_bits<std::int16_t, std::uint16_t>(text, is_unsigned);
        if (bits) out.u16(*bits);
        return bits.has_value();
    }
    case ColumnType::int24:
    case ColumnType::int32: {
        const auto bits = integer_bits<std::int32_t, std::uint32_t>(text, is_unsigned);
        if (bits) out.u32(*bits);
        return bits.has_value();
    }
    case ColumnType::int64: {
        const auto bits = integer_bits<std::int64_t, std::uint64_t>(text, is_unsigned);
        if (bits) out.u64(*bits);
        return bits.has_value();
    }
    case ColumnType::float32: {
        const auto value = whole_number<float>(text);
        if (value) out.u32(std::bit_cast<std::uint32_t>(*value));
        return value.has_value();
    }
    case ColumnType::float64: {
        const auto value = whole_number<double>(text);
        if (value) out.u64(std::bit_cast<std::uint64_t>(*value));
        return value.has_value();
    }
    case ColumnType::date:
    case ColumnType::newdate: return write_datetime(out, text, true);
    case ColumnType::datetime:
    case ColumnType::timestamp: return write_datetime(out, text, false);
    case ColumnType::time: return write_time(out, text);
    default: break;
    }
    if (!is_bytes(column.type)) return false;
    out.lenenc_string(text);
    return true;
}

bool append_literal(std::string& sql, const BinaryValue& value, ColumnType type, bool backslash_escapes) {
    return std::visit(AppendLiteral{sql, type, backslash_escapes}, value);
}

}  // namespace shardway::protocol
