// What the literals of a statement mean to a key column. See key.hpp.
#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "rules/key.hpp"
#include "rules/moment.hpp"

namespace shardway::rules {

namespace {

using schema::Column;
using schema::ColumnType;
using Wide = __int128;

// An exact number: its value rounded towards minus infinity, and what was cut off. Beyond ±2^100 it is
// clamped, which is outside every column's range all the same.
struct Exact {
    Wide floor = 0;
    bool has_fraction = false;
    bool round_up = false;  // rounding half away from zero leads to floor + 1
};

constexpr Wide wide_limit = Wide{1} << 100;

// [+-] digits [. digits], as the statement or the protocol wrote it. Absent when it is something else.
std::optional<Exact> parse_exact(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    Wide whole = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
        whole = std::min(whole * 10 + (text[i] - '0'), wide_limit);
    std::string_view fraction;
    if (i < text.size()) {
        if (text[i] != '.') return std::nullopt;
        fraction = text.substr(i + 1);
    }
    if (i == 0 && fraction.empty()) return std::nullopt;
    if (fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    Exact exact;
    exact.has_fraction = fraction.find_first_not_of('0') != std::string_view::npos;
    const bool half_or_more = !fraction.empty() && fraction.front() >= '5';
    if (!negative) {
        exact.floor = whole;
        exact.round_up = half_or_more;
    } else {
        exact.floor = exact.has_fraction ? -whole - 1 : -whole;
        exact.round_up = exact.has_fraction && !half_or_more;
    }
    return exact;
}

bool is_plain_integer(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

struct IntegerBounds {
    Wide low, high;
};

IntegerBounds bounds_of(const Column& column) {
    int bits = 64;
    if (column.type == ColumnType::tinyint) bits = 8;
    if (column.type == ColumnType::smallint) bits = 16;
    if (column.type == ColumnType::mediumint) bits = 24;
    if (column.type == ColumnType::integer) bits = 32;
    if (column.is_unsigned) return {0, (Wide{1} << bits) - 1};
    return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1};
}

Key integer_key(Wide number) {
    return number < 0 ? Key::of(static_cast<std::int64_t>(number))
                      : Key::of(static_cast<std::uint64_t>(number));
}

// Character sets in which text of bytes below 0x80 is ASCII.
bool extends_ascii(std::string_view charset) {
    return charset.starts_with("utf8") || charset.starts_with("latin") || charset == "ascii" ||
           charset.starts_with("gb") || charset == "big5" || charset == "euckr" || charset == "eucjpms" ||
           charset == "ujis" || charset == "greek" || charset == "hebrew" || charset.starts_with("cp125") ||
           charset.starts_with("cp8") || charset.starts_with("koi8") || charset == "binary";
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Well-formed UTF-8 of at most `bytes_max` bytes per character (3 for utf8mb3); the number of characters, or
// nothing.
std::optional<std::size_t> utf8_length(std::string_view text, std::size_t bytes_max) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++count) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = lead < 0x80                   ? 1
                                 : lead >= 0xc2 && lead < 0xe0 ? 2
                                 : lead >= 0xe0 && lead < 0xf0 ? 3
                                 : lead >= 0xf0 && lead < 0xf5 ? 4
                                                               : 0;
        if (size == 0 || size > bytes_max || i + size > text.size()) return std::nullopt;
        for (std::size_t k = 1; k < size; ++k)
            if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return std::nullopt;
        if (size > 2) {
            const auto second = static_cast<unsigned char>(text[i + 1]);
            const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
            const bool beyond = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
            if (overlong || beyond) return std::nullopt;
        }
        i += size;
    }
    return count;
}

std::size_t bytes_per_character(std::string_view charset) {
    return charset == "utf8mb4" ? 4 : charset.starts_with("utf8") ? 3 : 1;
}

// The literal's bytes in the column's character set, or nothing where a conversion would be needed.
std::optional<std::string_view> text_in_charset(const Column& column, const Literal& literal) {
    if (is_ascii(literal.text) && extends_ascii(literal.charset)) return literal.text;
    const bool both_utf8 = literal.charset.starts_with("utf8") && column.charset.starts_with("utf8");
    if (both_utf8 && utf8_length(literal.text, bytes_per_character(column.charset))) return literal.text;
    // One byte per character in both: nothing to convert, nothing malformed.
    if (literal.charset == column.charset && (column.charset == "latin1" || column.charset == "latin2"))
        return literal.text;
    return std::nullopt;
}

std::string_view without_trailing_spaces(std::string_view text) {
    const std::size_t end = text.find_last_not_of(' ');
    return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

Key text_key(const Column& column, std::string_view text) {
    const bool pads = is_text(column.type) && schema::pads_space(column.collation);
    return Key::of(std::string{pads ? without_trailing_spaces(text) : text}, pads);
}

// ---- numbers

std::variant<Exact, Never, Unroutable> number_compared(const Literal& literal) {
    switch (literal.kind) {
    case LiteralKind::null: return Never{};
    case LiteralKind::boolean:
    case LiteralKind::integer:
    case LiteralKind::decimal:
        if (const auto exact = parse_exact(literal.text)) return *exact;
        return Unroutable{};
    case LiteralKind::string: {
        // MySQL takes '42' for a number of the column's type where it stands alone, for a double beside
        // others: below 2^53 that is the same.
        constexpr Wide exact_doubles = Wide{1} << 53;
        if (!literal.explicit_collation.empty() || !extends_ascii(literal.charset) ||
            !is_plain_integer(literal.text))
            return Unroutable{};
        const auto exact = parse_exact(literal.text);
        if (!exact || exact->floor >= exact_doubles || exact->floor <= -exact_doubles) return Unroutable{};
        return *exact;
    }
    default: return Unroutable{};
    }
}

KeyMatch integer_match(const Column& column, const Literal& literal) {
    const auto number = number_compared(literal);
    if (std::holds_alternative<Never>(number)) return Never{};
    if (std::holds_alternative<Unroutable>(number)) return Unroutable{};
    const auto& exact = std::get<Exact>(number);
    const auto bounds = bounds_of(column);
    // No integer equals 42.5, but MariaDB looks it up in an index as 43 and finds that. Nor does a number
    // beyond 64 bits of the column's signedness equal one, but in lists of rows, (v, k) IN ((1, 2), (3,
    // 18446744073709551614)), MySQL cuts it down or takes its bits for -2.
    constexpr Wide signed_low = -(Wide{1} << 63), signed_high = (Wide{1} << 63) - 1,
                   unsigned_high = (Wide{1} << 64) - 1;
    const Wide low = column.is_unsigned ? 0 : signed_low,
               high = column.is_unsigned ? unsigned_high : signed_high;
    if (exact.has_fraction || exact.floor < low || exact.floor > high) return Unroutable{};
    if (exact.floor < bounds.low || exact.floor > bounds.high) return Never{};
    return integer_key(exact.floor);
}

RangeMatch integer_range(const Column& column, Comparison comparison, const Literal& literal) {
    const auto number = number_compared(literal);
    if (std::holds_alternative<Never>(number)) return Never{};
    if (std::holds_alternative<Unroutable>(number)) return Unroutable{};
    const auto& exact = std::get<Exact>(number);
    const auto bounds = bounds_of(column);
    const bool upwards = comparison == Comparison::greater || comparison == Comparison::greater_equal;
    if (upwards) {
        // The smallest integer that satisfies it.
        const bool from_floor = comparison == Comparison::greater_equal && !exact.has_fraction;
        const Wide low = from_floor ? exact.floor : exact.floor + 1;
        if (low > bounds.high) return Never{};
        if (low <= bounds.low) return KeyRange{};
        return KeyRange{integer_key(low), std::nullopt};
    }
    const bool to_floor = comparison == Comparison::less_equal || exact.has_fraction;
    const Wide high = to_floor ? exact.floor : exact.floor - 1;
    if (high < bounds.low) return Never{};
    if (high >= bounds.high) return KeyRange{};
    return KeyRange{std::nullopt, integer_key(high)};
}

StoredKey out_of_range(const Column& column, const KeyContext& context) {
    if (!context.strict) return Unknown{};
    return NotStorable{1264, fmt::format("Out of range value for column '{}'", column.name)};
}

StoredKey integer_stored(const Column& column, const Literal& literal, const KeyContext& context) {
    const bool is_number = literal.kind == LiteralKind::boolean || literal.kind == LiteralKind::integer ||
                           literal.kind == LiteralKind::decimal;
    const bool is_digits = literal.kind == LiteralKind::string && extends_ascii(literal.charset) &&
                           is_plain_integer(literal.text);
    if (!is_number && !is_digits) return Unknown{};
    const auto exact = parse_exact(literal.text);
    if (!exact) return Unknown{};
    const Wide value = exact->floor + (exact->round_up ? 1 : 0);
    const auto bounds = bounds_of(column);
    if (value < bounds.low || value > bounds.high) return out_of_range(column, context);
    return integer_key(value);
}

// ---- text

KeyMatch text_match(const Column& column, const Literal& literal) {
    if (literal.kind == LiteralKind::null) return Never{};
    const bool same_collation =
        literal.explicit_collation.empty() || literal.explicit_collation == column.collation;
    if (is_bytes(column.type)) {
        if (literal.kind != LiteralKind::string && literal.kind != LiteralKind::bytes) return Unroutable{};
        if (!literal.explicit_collation.empty() && literal.explicit_collation != "binary")
            return Unroutable{};
        // A shorter value equals no stored one, which zeros fill up; some plans fill up the value too, so it
        // scatters.
        if (column.type == ColumnType::binary && literal.text.size() != column.length) return Unroutable{};
        return text_key(column, literal.text);
    }
    if (literal.kind != LiteralKind::string || !same_collation) return Unroutable{};
    const auto text = text_in_charset(column, literal);
    if (!text) return Unroutable{};
    return text_key(column, *text);
}

RangeMatch ends_at(Comparison comparison, Key key) {
    KeyRange range;
    if (comparison == Comparison::less || comparison == Comparison::less_equal) {
        range.high = std::move(key);
        range.high_included = comparison == Comparison::less_equal;
    } else {
        range.low = std::move(key);
        range.low_included = comparison == Comparison::greater_equal;
    }
    return range;
}

RangeMatch text_range(const Column& column, Comparison comparison, const Literal& literal) {
    const auto match = text_match(column, literal);
    if (std::holds_alternative<Never>(match)) return Never{};
    if (std::holds_alternative<Unroutable>(match)) return Unroutable{};
    return ends_at(comparison, std::get<Key>(match));
}

StoredKey too_long(const Column& column, const KeyContext& context) {
    if (!context.strict) return Unknown{};
    return NotStorable{1406, fmt::format("Data too long for column '{}'", column.name)};
}

StoredKey bytes_stored(const Column& column, std::string_view bytes, const KeyContext& context) {
    if (bytes.size() > column.length) return too_long(column, context);
    std::string stored{bytes};
    if (column.type == ColumnType::binary) stored.resize(column.length, '\0');
    return Key::of(std::move(stored));
}

StoredKey text_stored(const Column& column, const Literal& literal, const KeyContext& context) {
    Literal written = literal;
    std::string digits;
    if (literal.kind == LiteralKind::integer || literal.kind == LiteralKind::boolean) {
        const auto exact = parse_exact(literal.text);
        const Wide beyond = Wide{1} << 64;
        if (!exact || exact->floor >= beyond || exact->floor < -(beyond / 2)) return Unknown{};
        digits = integer_key(exact->floor).text();
        written = Literal{LiteralKind::string, digits};
    }
    if (written.kind != LiteralKind::string && written.kind != LiteralKind::bytes) return Unknown{};
    if (is_bytes(column.type)) return bytes_stored(column, written.text, context);
    if (written.kind == LiteralKind::bytes && !is_ascii(written.text)) return Unknown{};
    const auto text = text_in_charset(column, written);
    if (!text) return Unknown{};
    const std::size_t size_max = bytes_per_character(column.charset);
    const auto measured = size_max == 1 ? text->size() : utf8_length(*text, size_max);
    if (!measured) return Unknown{};
    std::string_view stored = *text;
    if (*measured > column.length) {
        // Only spaces may be cut off.
        const auto bare = without_trailing_spaces(stored);
        const std::size_t length = *measured - (stored.size() - bare.size());
        if (length > column.length) return too_long(column, context);
        stored = stored.substr(0, bare.size() + (column.length - length));
    }
    if (column.type == ColumnType::char_) stored = without_trailing_spaces(stored);
    return text_key(column, stored);
}

// ---- dates and times

std::optional<ParsedMoment> moment_written(const Literal& literal) {
    const bool may = literal.kind == LiteralKind::string || literal.kind == LiteralKind::date ||
                     literal.kind == LiteralKind::timestamp;
    if (!may || !literal.explicit_collation.empty() || !extends_ascii(literal.charset)) return std::nullopt;
    return parse_moment(literal.text);
}

// The moment as the column holds it: a TIMESTAMP in UTC, and only where the offset is known and the value in
// its range.
std::optional<Moment> in_column_time(const Column& column, const Moment& moment, const KeyContext& context) {
    if (column.type != ColumnType::timestamp) return moment;
    if (!context.utc_offset_minutes) return std::nullopt;
    const auto utc = add_seconds(moment, -std::int64_t{*context.utc_offset_minutes} * 60);
    constexpr Moment low{1970, 1, 1, 0, 0, 1, 0}, high{2038, 1, 19, 3, 14, 7, 0};
    if (!utc || *utc < low || *utc > high) return std::nullopt;
    return utc;
}

Key moment_key(const Column& column, const Moment& moment) {
    return Key::of(moment,
                   column.type == ColumnType::date ? Key::day_only : static_cast<std::int8_t>(column.fsp));
}

// The column can hold the value as it is written.
bool fits(const Column& column, const ParsedMoment& parsed) {
    if (column.type == ColumnType::date)
        return parsed.moment == Moment{parsed.moment.year, parsed.moment.month, parsed.moment.day};
    return parsed.fraction_digits <= column.fsp;
}

KeyMatch moment_match(const Column& column, const Literal& literal, const KeyContext& context) {
    if (literal.kind == LiteralKind::null) return Never{};
    const auto parsed = moment_written(literal);
    // What is finer than the column equals nothing or is rounded, as the server's plan goes.
    if (!parsed || !fits(column, *parsed)) return Unroutable{};
    const auto moment = in_column_time(column, parsed->moment, context);
    if (!moment) return Unroutable{};
    return moment_key(column, *moment);
}

RangeMatch moment_range(const Column& column, Comparison comparison, const Literal& literal,
                        const KeyContext& context) {
    if (literal.kind == LiteralKind::null) return Never{};
    const auto parsed = moment_written(literal);
    if (!parsed) return Unroutable{};
    auto moment = in_column_time(column, parsed->moment, context);
    if (!moment) return Unroutable{};
    if (fits(column, *parsed)) return ends_at(comparison, moment_key(column, *moment));
    // Finer than the column: exact or rounded, as the server's plan goes. The range takes both in.
    const bool upwards = comparison == Comparison::greater || comparison == Comparison::greater_equal;
    if (column.type == ColumnType::date) {
        Moment day{moment->year, moment->month, moment->day};
        if (!upwards) {
            const auto next = add_seconds(day, 86400);
            if (!next) return KeyRange{};
            day = *next;
        }
        return ends_at(upwards ? Comparison::greater_equal : Comparison::less_equal, moment_key(column, day));
    }
    moment->microsecond = 0;
    if (!upwards) moment = add_seconds(*moment, 1);
    if (!moment) return KeyRange{};
    return ends_at(upwards ? Comparison::greater_equal : Comparison::less_equal, moment_key(column, *moment));
}

StoredKey moment_stored(const Column& column, const Literal& literal, const KeyContext& context) {
    const auto parsed = moment_written(literal);
    if (!parsed) return Unknown{};
    if (column.type == ColumnType::date) {
        // The time is cut off, but a fraction rounds first.
        if (parsed->moment.microsecond != 0) return Unknown{};
        return moment_key(column, Moment{parsed->moment.year, parsed->moment.month, parsed->moment.day});
    }
    if (!fits(column, *parsed)) return Unknown{};
    const auto moment = in_column_time(column, parsed->moment, context);
    if (!moment) return Unknown{};
    return moment_key(column, *moment);
}

}  // namespace

KeyMatch key_of(const Column& column, const Literal& literal, const KeyContext& context) {
    if (is_integer(column.type)) return integer_match(column, literal);
    if (is_dated(column.type)) return moment_match(column, literal, context);
    if (is_text(column.type) || is_bytes(column.type)) return text_match(column, literal);
    return Unroutable{};
}

RangeMatch range_of(const Column& column, Comparison comparison, const Literal& literal,
                    const KeyContext& context) {
    if (is_integer(column.type)) return integer_range(column, comparison, literal);
    if (is_dated(column.type)) return moment_range(column, comparison, literal, context);
    if (is_text(column.type) || is_bytes(column.type)) return text_range(column, comparison, literal);
    return Unroutable{};
}

StoredKey stored_key(const Column& column, const Literal& literal, const KeyContext& context) {
    // MariaDB (and old MySQL) take NULL for "now" in a TIMESTAMP NOT NULL.
    if (literal.kind == LiteralKind::null && column.type == ColumnType::timestamp) return Unknown{};
    if (literal.kind == LiteralKind::null)
        return NotStorable{1048, fmt::format("Column '{}' cannot be null", column.name)};
    if (is_integer(column.type)) return integer_stored(column, literal, context);
    if (is_dated(column.type)) return moment_stored(column, literal, context);
    if (is_text(column.type) || is_bytes(column.type)) return text_stored(column, literal, context);
    return Unknown{};
}

std::optional<Key> key_of_row(const Column& column, std::string_view text, std::string_view charset) {
    const Literal literal{LiteralKind::string, text, charset};
    if (is_bytes(column.type)) return Key::of(std::string{text});
    if (is_text(column.type)) {
        if (charset == column.charset) return text_key(column, text);
        const auto bytes = text_in_charset(column, literal);
        return bytes ? std::optional{text_key(column, *bytes)} : std::nullopt;
    }
    auto stored = stored_key(column, literal, {});
    if (auto* key = std::get_if<Key>(&stored)) return std::move(*key);
    return std::nullopt;
}

std::string key_problem(const Column& column) {
    const auto name = schema::name_of(column.type);
    if (column.generated) return "it is a generated column";
    if (column.nullable) return "it may be NULL";
    if (schema::is_floating(column.type))
        return fmt::format("its type {} is floating: equal values have no one text", name);
    if (is_integer(column.type) || is_dated(column.type)) return "";
    if (column.type == ColumnType::binary || column.type == ColumnType::varbinary) return "";
    if (column.type != ColumnType::char_ && column.type != ColumnType::varchar)
        return fmt::format("its type {} is none that keys may have", name);
    if (!schema::is_binary_collation(column.collation))
        return fmt::format("its collation {} calls different texts equal; a _bin collation does not",
                           column.collation);
    if (!extends_ascii(column.charset))
        return fmt::format("its character set {} is none that keys may have", column.charset);
    return "";
}

std::string key_sql(const Column& column, const std::string& quoted) {
    if (is_text(column.type) && schema::pads_space(column.collation))
        return fmt::format("TRIM(TRAILING ' ' FROM {})", quoted);
    if (is_integer(column.type)) return fmt::format("({} + 0)", quoted);
    return quoted;
}

}  // namespace shardway::rules
