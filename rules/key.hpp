// Values of a shard key, and which of the values that a statement writes may be taken for one.
//
// A literal routes only if the comparison that MySQL performs is one in the key column's own type
// (DESIGN.md 6.5). Everything else scatters: a scatter is slow, a missed shard is wrong.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "schema/column.hpp"

namespace shardway::rules {

// A day, or a moment of one. Valid dates of the years 0 … 9999; for TIMESTAMP keys in UTC.
struct Moment {
    std::int16_t year = 0;
    std::int8_t month = 0, day = 0;
    std::int8_t hour = 0, minute = 0, second = 0;
    std::int32_t microsecond = 0;
    auto operator<=>(const Moment&) const = default;
};

// A value in the key column's own type. Integers of signed and unsigned columns meet: what fits an int64 is
// one, a uint64 is always above it. Text is the column's bytes, without trailing spaces where its collation
// pads (so that 'a' and 'a ' are one key).
struct Key {
    std::variant<std::int64_t, std::uint64_t, std::string, Moment> value;
    // Of a Moment: digits behind the second as the column shows them, or day_only. Its text, and so its hash,
    // depends on it; its order does not.
    static constexpr std::int8_t day_only = -1;
    std::int8_t fsp = 0;
    // Of text: its collation pads, so that order is as if endless spaces followed.
    bool pads = false;

    static Key of(std::int64_t number) { return Key{number}; }
    static Key of(std::uint64_t number);
    static Key of(std::string text, bool pads = false) { return Key{std::move(text), 0, pads}; }
    static Key of(Moment moment, std::int8_t fsp = 0) { return Key{moment, fsp}; }

    bool is_number() const { return value.index() < 2; }
    // The text that hash functions read: decimal digits of a number, bytes of text, a moment as the server
    // prints it.
    std::string text() const;
    // Appends text() to `out`; no allocation when there is room.
    void append_text(std::string& out) const;
};
// Order within one kind; asserts that both are of one.
std::strong_ordering compare(const Key& left, const Key& right);
inline bool operator==(const Key& left, const Key& right) {
    const bool same_kind = left.is_number() ? right.is_number() : left.value.index() == right.value.index();
    return same_kind && compare(left, right) == 0;
}

// The values between two ends; an absent end is open.
struct KeyRange {
    std::optional<Key> low;
    std::optional<Key> high;
    bool low_included = true;
    bool high_included = true;
};

enum class LiteralKind : std::uint8_t {
    null,       // NULL
    boolean,    // TRUE, FALSE: text "1" or "0"
    integer,    // digits, with a sign where the statement negates one: -42
    decimal,    // 42.0
    floating,   // 4e1, and bound doubles
    string,     // text: the value's bytes (quotes and escapes resolved), in `charset`
    bytes,      // x'…', 0x…, b'…', _binary '…', and bound blobs: text is the bytes
    date,       // DATE '2026-01-31'
    time,       // TIME '…'
    timestamp,  // TIMESTAMP '…', and bound dates and times ("2026-01-31 10:00:00.5")
    variable    // a user variable or anything else whose type shows only when it runs: never routes
};

// A constant of a statement, or the value bound to a parameter of a prepared one. Views live as long as the
// statement.
struct Literal {
    LiteralKind kind = LiteralKind::null;
    std::string_view text;
    // Of strings: the character set the bytes are in, the connection's or an introducer's ("utf8mb4").
    std::string_view charset = "utf8mb4";
    // Of strings: the collation of an explicit COLLATE beside the literal or the column; empty without. It
    // decides how MySQL compares, so a foreign one does not route.
    std::string_view explicit_collation = {};
};

// What of the session the meaning of a literal depends on.
struct KeyContext {
    // Minutes east of UTC of the session's time_zone where it is a fixed offset; absent for a named zone
    // ("SYSTEM", "Europe/Berlin"), and then no TIMESTAMP key routes.
    std::optional<int> utc_offset_minutes = 0;
    // STRICT_TRANS_TABLES or STRICT_ALL_TABLES: what does not fit is an error. Without it the server stores
    // something else, which stored_key does not guess.
    bool strict = true;
};

struct Never {};       // no row can match: `= NULL`, or a value the column cannot hold
struct Unroutable {};  // may match rows anywhere: scatter
using KeyMatch = std::variant<Key, Never, Unroutable>;

// The key that `column = literal` asks for (`<=>` too, except that `<=> NULL` is never asked here).
KeyMatch key_of(const schema::Column& column, const Literal& literal, const KeyContext& context = {});

enum class Comparison : std::uint8_t { less, less_equal, greater, greater_equal };
using RangeMatch = std::variant<KeyRange, Never, Unroutable>;
// The keys that `column < literal` (…) asks for. A value beyond the column's range makes an open end or
// Never.
RangeMatch range_of(const schema::Column& column, Comparison comparison, const Literal& literal,
                    const KeyContext& context = {});

// Why a value cannot be stored, with the server's number for it: 1048, 1264, 1366, 1406, 1292. `text` is the
// server's wording without "at row n".
struct NotStorable {
    std::uint16_t code;
    std::string text;
};
struct Unknown {
};  // the server would store something that we do not compute; the writer must ask it, or refuse
using StoredKey = std::variant<Key, NotStorable, Unknown>;

// The key of the row that INSERT … VALUES (literal) stores in `column`: assignment converts where comparison
// does not, so '42' and 42 are one row, and 42.5 is 43.
StoredKey stored_key(const schema::Column& column, const Literal& literal, const KeyContext& context = {});

// The key of a stored row, from the text that a server sends for the column: a TIMESTAMP under time_zone
// '+00:00', text in `charset`, the connection's. Nothing where that text does not tell the column's bytes.
std::optional<Key> key_of_row(const schema::Column& column, std::string_view text,
                              std::string_view charset = "utf8mb4");

// Why `column` cannot be a shard key; empty when it can. Keys are integers, CHAR, VARCHAR, BINARY, VARBINARY
// under a binary or _bin collation, DATE, DATETIME, TIMESTAMP.
std::string key_problem(const schema::Column& column);

// The expression over a key column that Algorithm::sql_expression wants: the column, without what changes its
// text but not its value (padding, ZEROFILL). `quoted` is the column's name as the statement writes it.
std::string key_sql(const schema::Column& column, const std::string& quoted);

}  // namespace shardway::rules
