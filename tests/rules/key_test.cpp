// Which literals route, by the comparison that MySQL performs (invariant 1).
#include "rules/key.hpp"

#include "tests/catch.hpp"

using namespace shardway::rules;
using shardway::schema::Column;
using shardway::schema::ColumnType;

namespace {

Column integer_column(ColumnType type, bool is_unsigned = false) {
    Column column;
    column.name = "k";
    column.type = type;
    column.is_unsigned = is_unsigned;
    column.nullable = false;
    return column;
}

Column text_column(ColumnType type, std::string collation, std::uint32_t length = 10) {
    Column column;
    column.name = "k";
    column.type = type;
    column.collation = collation;
    column.charset = collation.substr(0, collation.find('_'));
    column.length = length;
    column.nullable = false;
    return column;
}

Column dated_column(ColumnType type, std::uint8_t fsp = 0) {
    Column column;
    column.name = "k";
    column.type = type;
    column.fsp = fsp;
    column.nullable = false;
    return column;
}

// "never", "scatter", or the key's text.
std::string shown(const KeyMatch& match) {
    if (std::holds_alternative<Never>(match)) return "never";
    if (std::holds_alternative<Unroutable>(match)) return "scatter";
    return std::get<Key>(match).text();
}
// "never", "scatter", or the range: "[1, 5)", "(-, 5]".
std::string shown(const RangeMatch& match) {
    if (std::holds_alternative<Never>(match)) return "never";
    if (std::holds_alternative<Unroutable>(match)) return "scatter";
    const auto& range = std::get<KeyRange>(match);
    std::string text = range.low ? (range.low_included ? "[" : "(") + range.low->text() : "(-";
    return text + ", " + (range.high ? range.high->text() + (range.high_included ? "]" : ")") : "-)");
}
// The key's text, "error N", or "unknown".
std::string shown(const StoredKey& stored) {
    if (std::holds_alternative<Unknown>(stored)) return "unknown";
    if (const auto* error = std::get_if<NotStorable>(&stored)) return "error " + std::to_string(error->code);
    return std::get<Key>(stored).text();
}

Literal number(std::string_view text) {
    return {text.find('.') == std::string_view::npos ? LiteralKind::integer : LiteralKind::decimal, text};
}
Literal quoted(std::string_view text) { return {LiteralKind::string, text}; }

}  // namespace

TEST_CASE("an integer key is compared with numbers exactly") {
    const Column bigint = integer_column(ColumnType::bigint);
    CHECK(shown(key_of(bigint, number("42"))) == "42");
    CHECK(shown(key_of(bigint, number("-42"))) == "-42");
    CHECK(shown(key_of(bigint, number("-0"))) == "0");
    CHECK(shown(key_of(bigint, number("0042"))) == "42");
    CHECK(shown(key_of(bigint, number("42.0"))) == "42");
    CHECK(shown(key_of(bigint, number("42.5"))) == "scatter");  // MariaDB finds 43
    CHECK(shown(key_of(bigint, number("9223372036854775807"))) == "9223372036854775807");
    CHECK(shown(key_of(bigint, number("9223372036854775808"))) == "scatter");
    CHECK(shown(key_of(bigint, number("-9223372036854775808"))) == "-9223372036854775808");
    CHECK(shown(key_of(bigint, number("-9223372036854775809"))) == "scatter");
    CHECK(shown(key_of(bigint, number(std::string(400, '9')))) == "scatter");
    CHECK(shown(key_of(bigint, Literal{LiteralKind::boolean, "1"})) == "1");
    CHECK(shown(key_of(bigint, Literal{LiteralKind::null, ""})) == "never");
    CHECK(shown(key_of(bigint, Literal{LiteralKind::floating, "4.2e1"})) == "scatter");
    CHECK(shown(key_of(bigint, Literal{LiteralKind::variable, "42"})) == "scatter");
    CHECK(shown(key_of(bigint, Literal{LiteralKind::bytes, "*"})) == "scatter");

    const Column unsigned_bigint = integer_column(ColumnType::bigint, true);
    CHECK(shown(key_of(unsigned_bigint, number("18446744073709551615"))) == "18446744073709551615");
    CHECK(shown(key_of(unsigned_bigint, number("18446744073709551616"))) == "scatter");
    CHECK(shown(key_of(unsigned_bigint, number("-1"))) == "scatter");
    CHECK(shown(key_of(integer_column(ColumnType::tinyint), number("128"))) == "never");
    CHECK(shown(key_of(integer_column(ColumnType::tinyint, true), number("255"))) == "255");
    CHECK(shown(key_of(integer_column(ColumnType::mediumint), number("-8388608"))) == "-8388608");
    CHECK(shown(key_of(integer_column(ColumnType::mediumint), number("-8388609"))) == "never");
}

TEST_CASE("an integer key routes by a string only where a double would find the same rows") {
    const Column bigint = integer_column(ColumnType::bigint);
    CHECK(shown(key_of(bigint, quoted("42"))) == "42");
    CHECK(shown(key_of(bigint, quoted("042"))) == "42");
    CHECK(shown(key_of(bigint, quoted("-7"))) == "-7");
    for (const auto* text : {"", " 42", "42 ", "+42", "42abc", "4.2e1", "42.0", "x"})
        CHECK(shown(key_of(bigint, quoted(text))) == "scatter");
    CHECK(shown(key_of(bigint, quoted("9007199254740991"))) == "9007199254740991");
    CHECK(shown(key_of(bigint, quoted("9007199254740992"))) == "scatter");
    CHECK(shown(key_of(bigint, quoted("-9007199254740992"))) == "scatter");
    CHECK(shown(key_of(integer_column(ColumnType::tinyint), quoted("1000"))) == "never");
}

TEST_CASE("ranges of integer keys end at integers inside the column") {
    const Column tiny = integer_column(ColumnType::tinyint);
    CHECK(shown(range_of(tiny, Comparison::less, number("5"))) == "(-, 4]");
    CHECK(shown(range_of(tiny, Comparison::less_equal, number("5"))) == "(-, 5]");
    CHECK(shown(range_of(tiny, Comparison::greater, number("5"))) == "[6, -)");
    CHECK(shown(range_of(tiny, Comparison::greater_equal, number("5"))) == "[5, -)");
    CHECK(shown(range_of(tiny, Comparison::less, number("5.5"))) == "(-, 5]");
    CHECK(shown(range_of(tiny, Comparison::less_equal, number("5.5"))) == "(-, 5]");
    CHECK(shown(range_of(tiny, Comparison::greater, number("5.5"))) == "[6, -)");
    CHECK(shown(range_of(tiny, Comparison::greater_equal, number("-5.5"))) == "[-5, -)");
    CHECK(shown(range_of(tiny, Comparison::less, number("-5.5"))) == "(-, -6]");
    CHECK(shown(range_of(tiny, Comparison::less, number("1000"))) == "(-, -)");
    CHECK(shown(range_of(tiny, Comparison::less, number("-128"))) == "never");
    CHECK(shown(range_of(tiny, Comparison::greater, number("127"))) == "never");
    CHECK(shown(range_of(tiny, Comparison::greater_equal, number("-128"))) == "(-, -)");
    CHECK(shown(range_of(tiny, Comparison::greater, quoted("12x"))) == "scatter");
    CHECK(shown(range_of(tiny, Comparison::greater, Literal{LiteralKind::null, ""})) == "never");
}

TEST_CASE("a text key routes by strings in its own collation") {
    const Column bin = text_column(ColumnType::varchar, "utf8mb4_0900_bin");
    CHECK(shown(key_of(bin, quoted("Ann"))) == "Ann");
    CHECK(shown(key_of(bin, quoted("Ann "))) == "Ann ");
    CHECK(shown(key_of(bin, quoted("\xc3\xa4"))) == "\xc3\xa4");
    CHECK(shown(key_of(bin, quoted("\xc3"))) == "scatter");          // malformed
    CHECK(shown(key_of(bin, quoted("\xed\xa0\x80"))) == "scatter");  // a surrogate
    CHECK(shown(key_of(bin, number("42"))) == "scatter");
    CHECK(shown(key_of(bin, Literal{LiteralKind::string, "Ann", "utf8mb4", "utf8mb4_general_ci"})) ==
          "scatter");
    CHECK(shown(key_of(bin, Literal{LiteralKind::string, "Ann", "utf8mb4", "utf8mb4_0900_bin"})) == "Ann");
    CHECK(shown(key_of(bin, Literal{LiteralKind::string, "Ann", "utf16"})) == "scatter");
    CHECK(shown(key_of(bin, Literal{LiteralKind::string, "\xe4", "latin1"})) == "scatter");
    CHECK(shown(key_of(bin, Literal{LiteralKind::date, "2026-01-01"})) == "scatter");

    // PAD SPACE: 'a' = 'a '.
    const Column padded = text_column(ColumnType::varchar, "utf8mb4_bin");
    CHECK(shown(key_of(padded, quoted("Ann  "))) == "Ann");
    CHECK((compare(Key::of("a", true), Key::of("a\t", true)) > 0));
    CHECK((compare(Key::of("a", true), Key::of("a!", true)) < 0));
    CHECK((Key::of("a", true) == Key::of("a", true)));

    const Column bytes = text_column(ColumnType::varbinary, "");
    CHECK(shown(key_of(bytes, Literal{LiteralKind::bytes, "a "})) == "a ");
    CHECK(shown(key_of(bytes, quoted("a"))) == "a");
    const Column fixed = text_column(ColumnType::binary, "", 4);
    CHECK(shown(key_of(fixed, quoted("abcd"))) == "abcd");
    CHECK(shown(key_of(fixed, quoted("ab"))) == "scatter");
}

TEST_CASE("a day or moment routes in the one form that every server reads alike") {
    const Column day = dated_column(ColumnType::date);
    CHECK(shown(key_of(day, quoted("2026-02-28"))) == "2026-02-28");
    CHECK(shown(key_of(day, Literal{LiteralKind::date, "2026-02-28"})) == "2026-02-28");
    CHECK(shown(key_of(day, quoted("2026-02-28 00:00:00"))) == "2026-02-28");
    for (const auto* text : {"2026-02-29", "2026-2-8", "20260228", "0000-00-00", "2026-02-28 10:00:00",
                             "26-02-28", "2026-02-28x"})
        CHECK(shown(key_of(day, quoted(text))) == "scatter");
    CHECK(shown(key_of(day, number("20260228"))) == "scatter");

    const Column moment = dated_column(ColumnType::datetime, 3);
    CHECK(shown(key_of(moment, quoted("2026-02-28"))) == "2026-02-28 00:00:00.000");
    CHECK(shown(key_of(moment, quoted("2026-02-28T10:00:00.12"))) == "2026-02-28 10:00:00.120");
    CHECK(shown(key_of(moment, quoted("2026-02-28 10:00:00.1234"))) == "scatter");
    CHECK(shown(key_of(moment, quoted("2026-02-28 10:00:00.123000"))) == "2026-02-28 10:00:00.123");
    CHECK(shown(key_of(moment, quoted("2026-02-28 24:00:00"))) == "scatter");

    // TIMESTAMP lies in UTC.
    const Column stamp = dated_column(ColumnType::timestamp);
    CHECK(shown(key_of(stamp, quoted("2026-03-01 01:00:00"), {120})) == "2026-02-28 23:00:00");
    CHECK(shown(key_of(stamp, quoted("2026-12-31 23:30:00"), {-60})) == "2027-01-01 00:30:00");
    CHECK(shown(key_of(stamp, quoted("2026-03-01 01:00:00"), {std::nullopt})) == "scatter");
    CHECK(shown(key_of(stamp, quoted("2040-01-01 00:00:00"), {0})) == "scatter");
}

TEST_CASE("a range that is finer than the column takes both roundings in") {
    const Column day = dated_column(ColumnType::date);
    CHECK(shown(range_of(day, Comparison::less, quoted("2026-02-28"))) == "(-, 2026-02-28)");
    CHECK(shown(range_of(day, Comparison::less, quoted("2026-02-28 10:00:00"))) == "(-, 2026-03-01]");
    CHECK(shown(range_of(day, Comparison::greater, quoted("2026-02-28 10:00:00"))) == "[2026-02-28, -)");
    const Column moment = dated_column(ColumnType::datetime);
    CHECK(shown(range_of(moment, Comparison::greater, quoted("2026-02-28 23:59:59.7"))) ==
          "[2026-02-28 23:59:59, -)");
    CHECK(shown(range_of(moment, Comparison::less, quoted("2026-02-28 23:59:59.7"))) ==
          "(-, 2026-03-01 00:00:00]");
    CHECK(shown(range_of(moment, Comparison::less, quoted("9999-12-31 23:59:59.7"))) == "(-, -)");
}

TEST_CASE("an INSERT routes by what the server stores") {
    const Column tiny = integer_column(ColumnType::tinyint);
    CHECK(shown(stored_key(tiny, number("42"))) == "42");
    CHECK(shown(stored_key(tiny, quoted("42"))) == "42");
    CHECK(shown(stored_key(tiny, number("42.4"))) == "42");
    CHECK(shown(stored_key(tiny, number("42.5"))) == "43");
    CHECK(shown(stored_key(tiny, number("-42.5"))) == "-43");
    CHECK(shown(stored_key(tiny, number("-42.4"))) == "-42");
    CHECK(shown(stored_key(tiny, number("128"))) == "error 1264");
    CHECK(shown(stored_key(tiny, number("127.5"))) == "error 1264");
    CHECK(shown(stored_key(tiny, number("128"), {0, false})) == "unknown");
    CHECK(shown(stored_key(tiny, Literal{LiteralKind::null, ""})) == "error 1048");
    CHECK(shown(stored_key(tiny, quoted("4x"))) == "unknown");
    CHECK(shown(stored_key(integer_column(ColumnType::bigint), quoted("9223372036854775807"))) ==
          "9223372036854775807");

    const Column varchar = text_column(ColumnType::varchar, "utf8mb4_0900_bin", 3);
    CHECK(shown(stored_key(varchar, quoted("abc"))) == "abc");
    CHECK(shown(stored_key(varchar, quoted("abc  "))) == "abc");
    CHECK(shown(stored_key(varchar, quoted("ab  "))) == "ab ");
    CHECK(shown(stored_key(varchar, quoted("abcd"))) == "error 1406");
    CHECK(shown(stored_key(varchar, quoted("\xc3\xa4\xc3\xa4\xc3\xa4"))) == "\xc3\xa4\xc3\xa4\xc3\xa4");
    CHECK(shown(stored_key(varchar, number("007"))) == "7");
    CHECK(shown(stored_key(varchar, number("1.50"))) == "unknown");
    CHECK(shown(stored_key(text_column(ColumnType::char_, "utf8mb4_0900_bin"), quoted("a "))) == "a");
    const Column fixed = text_column(ColumnType::binary, "", 4);
    CHECK(shown(stored_key(fixed, quoted("ab"))) == std::string("ab\0\0", 4));
    CHECK(shown(stored_key(fixed, quoted("abcde"))) == "error 1406");

    CHECK(shown(stored_key(dated_column(ColumnType::date), quoted("2026-02-28 10:00:00"))) == "2026-02-28");
    CHECK(shown(stored_key(dated_column(ColumnType::date), quoted("2026-02-28 23:59:59.9"))) == "unknown");
    CHECK(shown(stored_key(dated_column(ColumnType::datetime), quoted("2026-02-28 10:00:00.5"))) ==
          "unknown");
}

TEST_CASE("columns that cannot be keys say why") {
    Column column = integer_column(ColumnType::bigint);
    CHECK(key_problem(column).empty());
    column.nullable = true;
    CHECK(key_problem(column).find("NULL") != std::string::npos);
    CHECK_FALSE(key_problem(integer_column(ColumnType::double_)).empty());
    CHECK_FALSE(key_problem(integer_column(ColumnType::decimal)).empty());
    CHECK_FALSE(key_problem(integer_column(ColumnType::json)).empty());
    CHECK(key_problem(text_column(ColumnType::varchar, "utf8mb4_bin")).empty());
    CHECK(key_problem(text_column(ColumnType::varchar, "utf8mb4_0900_ai_ci")).find("utf8mb4_0900_ai_ci") !=
          std::string::npos);
    CHECK_FALSE(key_problem(text_column(ColumnType::char_, "utf16_bin")).empty());
    CHECK(key_problem(dated_column(ColumnType::timestamp)).empty());
}
