// Values as the merge compares and adds them.
#include <algorithm>
#include <random>

#include "middleware/exec/number_text.hpp"
#include "middleware/exec/sort_key.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::exec;
using protocol::ColumnType;

namespace {

ColumnShape shape(ColumnType type, std::uint16_t flags = 0, std::uint16_t collation = 63) {
    return {type, flags, collation, 0};
}

std::string key_of(const ColumnShape& column, protocol::Value value, bool descending = false,
                   std::size_t sort_bytes_max = 1024) {
    plan::MergeKey key;
    key.descending = descending;
    const auto encoder = KeyEncoder::make({&key, 1}, {&column, 1}, 0, KeyEncoder::Use::order, sort_bytes_max);
    REQUIRE_FALSE(encoder.has_error());
    std::string bytes;
    REQUIRE(encoder.value().append({&value, 1}, bytes));
    return bytes;
}

// `rising` in the order of the server, NULL first.
void check_order(const ColumnShape& column, const std::vector<protocol::Value>& rising) {
    for (std::size_t a = 0; a < rising.size(); ++a)
        for (std::size_t b = 0; b < rising.size(); ++b) {
            INFO((rising[a] ? std::string{*rising[a]} : "NULL")
                 << " and " << (rising[b] ? std::string{*rising[b]} : "NULL"));
            CHECK((key_of(column, rising[a]) < key_of(column, rising[b])) == (a < b));
            CHECK((key_of(column, rising[a], true) < key_of(column, rising[b], true)) == (a > b));
        }
}

bool accepts(const ColumnShape& column, std::string_view text) {
    plan::MergeKey key;
    const auto encoder = KeyEncoder::make({&key, 1}, {&column, 1}, 0, KeyEncoder::Use::order, 1024);
    const protocol::Value value{text};
    std::string bytes;
    return encoder.value().append({&value, 1}, bytes);
}

}  // namespace

TEST_CASE("keys order as the server orders values (invariant 4)") {
    using namespace std::string_view_literals;
    const std::vector<protocol::Value> integers{std::nullopt, "-9223372036854775808", "-10", "-9", "0", "9",
                                                "10",         "9223372036854775807"};
    check_order(shape(ColumnType::int64), integers);
    check_order(shape(ColumnType::int64, protocol::column_flag::is_unsigned),
                {std::nullopt, "0", "9", "00010", "9223372036854775808", "18446744073709551615"});
    check_order(shape(ColumnType::float64),
                {std::nullopt, "-1e300", "-2.5", "-1e-300", "0", "1e-300", "2.5", "10", "1e300"});
    check_order(shape(ColumnType::newdecimal),
                {std::nullopt, "-100.00", "-99.99", "-10.05", "-10.0499", "-0.50", "-0.05", "0.00", "0.05",
                 "0.5", "9.99", "10.0001", "10.01", "99", "100.00",
                 "99999999999999999999999999999999999.999999999999999999999999999999"});
    check_order(shape(ColumnType::time), {std::nullopt, "-838:59:59", "-00:00:01.500000", "-00:00:01",
                                          "00:00:00", "00:00:00.000001", "09:00:00", "100:00:00"});
    check_order(shape(ColumnType::datetime),
                {std::nullopt, "0000-00-00 00:00:00", "2025-12-31 23:59:59", "2026-01-01 00:00:00"});
    check_order(shape(ColumnType::year), {std::nullopt, "0000", "1901", "2155"});
    check_order(shape(ColumnType::long_blob), {std::nullopt, "", "\0"sv, "\0\0"sv, "\0\1"sv, "\1", "a",
                                               "a\0"sv, "a\0b"sv, "a\1", "ab", "\xff", "\xff\xff"});
}

TEST_CASE("values that the server calls equal have equal keys") {
    CHECK(key_of(shape(ColumnType::newdecimal), "-0.00") == key_of(shape(ColumnType::newdecimal), "0"));
    CHECK(key_of(shape(ColumnType::newdecimal), "1.50") == key_of(shape(ColumnType::newdecimal), "001.5"));
    CHECK(key_of(shape(ColumnType::float64), "-0") == key_of(shape(ColumnType::float64), "0"));
    CHECK(key_of(shape(ColumnType::time), "01:00:00.5") ==
          key_of(shape(ColumnType::time), "01:00:00.500000"));
}

TEST_CASE("only max_sort_length bytes of a string decide an order, all decide a group") {
    const ColumnShape column = shape(ColumnType::long_blob);
    CHECK(key_of(column, "abcdX", false, 4) == key_of(column, "abcdY", false, 4));
    CHECK(key_of(column, "abcX", false, 4) != key_of(column, "abcY", false, 4));
    plan::MergeKey key;
    const auto groups = KeyEncoder::make({&key, 1}, {&column, 1}, 0, KeyEncoder::Use::group, 4);
    std::string first, second;
    const protocol::Value x{"abcdX"}, y{"abcdY"};
    REQUIRE(groups.value().append({&x, 1}, first));
    REQUIRE(groups.value().append({&y, 1}, second));
    CHECK(first != second);
}

TEST_CASE("what is not its column's type is no key") {
    CHECK_FALSE(accepts(shape(ColumnType::int64), "12a"));
    CHECK_FALSE(accepts(shape(ColumnType::int64), ""));
    CHECK_FALSE(accepts(shape(ColumnType::int64), "9223372036854775808"));
    CHECK_FALSE(accepts(shape(ColumnType::int64, protocol::column_flag::is_unsigned), "-1"));
    CHECK_FALSE(accepts(shape(ColumnType::float64), "1,5"));
    CHECK_FALSE(accepts(shape(ColumnType::newdecimal), "1.2.3"));
    CHECK_FALSE(accepts(shape(ColumnType::newdecimal), "-"));
    CHECK_FALSE(accepts(shape(ColumnType::newdecimal), "--1"));
    CHECK_FALSE(accepts(shape(ColumnType::time), "1:2"));
    CHECK_FALSE(accepts(shape(ColumnType::time), "01:02:03,5"));
}

TEST_CASE("text sorts by its weight, and what has none cannot be sorted") {
    constexpr std::uint16_t utf8mb4 = 255;
    const std::vector<ColumnShape> shapes{shape(ColumnType::var_string, 0, utf8mb4),
                                          shape(ColumnType::var_string)};
    plan::MergeKey key;
    key.column = {false, 0};
    CHECK(KeyEncoder::make({&key, 1}, shapes, 1, KeyEncoder::Use::order, 1024).has_error());
    key.weight = plan::RowColumn{true, 0};
    const auto encoder = KeyEncoder::make({&key, 1}, shapes, 1, KeyEncoder::Use::order, 1024);
    REQUIRE_FALSE(encoder.has_error());
    const std::vector<protocol::Value> small{"Z", "\x1c\x47"}, large{"a", "\x1c\x48"};
    std::string small_key, large_key;
    REQUIRE(encoder.value().append(small, small_key));
    REQUIRE(encoder.value().append(large, large_key));
    CHECK(small_key < large_key);
    // A number beside a weight sorts as a number; ENUM, JSON and geometry are no text, weight or not.
    const auto refuses = [&](ColumnShape column) {
        const std::vector<ColumnShape> row{column, shape(ColumnType::var_string)};
        return KeyEncoder::make({&key, 1}, row, 1, KeyEncoder::Use::order, 1024).has_error();
    };
    CHECK_FALSE(refuses(shape(ColumnType::int64)));
    CHECK(refuses(shape(ColumnType::string, protocol::column_flag::enumeration, utf8mb4)));
    CHECK(refuses(shape(ColumnType::string, protocol::column_flag::set, utf8mb4)));
    CHECK(refuses(shape(ColumnType::json)));
    CHECK(refuses(shape(ColumnType::geometry)));
}

TEST_CASE("decimals are added exactly and divided as the server does") {
    const auto decimal = [](std::string_view text) { return *Decimal::parse(text); };
    Decimal sum = decimal("0.10");
    sum.add(decimal("0.2"));
    CHECK(sum.text(2) == "0.30");
    CHECK(sum.text(0) == "0");
    sum.add(decimal("-0.305"));
    CHECK(sum.text(3) == "-0.005");
    CHECK(sum.text(2) == "-0.01");
    CHECK(decimal("-0.00").text(2) == "0.00");
    const std::string largest(65, '9');
    Decimal many = decimal(largest);
    CHECK(many.fits());
    CHECK(many.text(0) == largest);
    many.add(decimal("1"));
    CHECK_FALSE(many.fits());
    CHECK_FALSE(Decimal::parse(largest + "9"));
    CHECK_FALSE(Decimal::parse(""));
    CHECK_FALSE(Decimal::parse("."));
    CHECK_FALSE(Decimal::parse("1e5"));
    // AVG: half away from zero.
    CHECK(decimal("2").divided_by(3, 4).text(4) == "0.6667");
    CHECK(decimal("-1").divided_by(8, 2).text(2) == "-0.13");
    CHECK(decimal("1.00").divided_by(3, 6).text(6) == "0.333333");
    CHECK(decimal("10.5555").divided_by(1, 2).text(2) == "10.56");
}

TEST_CASE("doubles are written as servers write them") {
    // Asked of MySQL 9.7 and MariaDB 10.11: SELECT CAST(x AS DOUBLE).
    const std::vector<std::pair<double, std::string>> asked{
        {1e14, "100000000000000"},
        {1e15, "1e15"},
        {1.5e15, "1.5e15"},
        {123456789012345678e0, "1.2345678901234568e17"},
        {1e-5, "0.00001"},
        {1e-15, "0.000000000000001"},
        {1e-16, "1e-16"},
        {1.5e-15, "0.0000000000000015"},
        {1.23456e-10, "0.000000000123456"},
        {999999999999999, "999999999999999"},
        {9999999999999998, "9.999999999999998e15"},
        {0.1 + 0.2, "0.30000000000000004"},
        {-1e15, "-1e15"},
        {-1.5e-16, "-1.5e-16"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {2e-308, "2e-308"},
        {0.000123456789012345678, "0.00012345678901234567"},
        {1234567890123456.7, "1234567890123456.8"},
        {123456789012345.67, "123456789012345.67"},
        {100000, "100000"},
        {0, "0"}};
    for (const auto& [value, text] : asked) CHECK(double_text(value, 31) == text);
    CHECK(double_text(2.5, 2) == "2.50");
    CHECK(double_text(-1e15, 1) == "-1000000000000000.0");
}
