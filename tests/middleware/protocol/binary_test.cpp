// Values, parameters and rows of prepared statements.
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "middleware/protocol/binary_params.hpp"
#include "middleware/protocol/binary_row.hpp"
#include "middleware/protocol/command.hpp"
#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

namespace {

ColumnDefinition column_of(ColumnType type, bool is_unsigned = false) {
    ColumnDefinition column;
    column.type = type;
    if (is_unsigned) column.flags = column_flag::is_unsigned;
    return column;
}

// What a text value turns into on its way through the binary protocol; monostate when it is refused.
BinaryValue through_binary(const ColumnDefinition& column, std::string_view text) {
    Buffer buffer;
    Writer out{buffer};
    if (!write_binary_from_text(out, column, text)) {
        CHECK(buffer.empty());
        return std::monostate{};
    }
    for_each_cut(buffer.view(), [&](Bytes cut, std::size_t) {
        Reader in{cut};
        read_binary_value(in, column.type, column.is_unsigned());
        CHECK_FALSE(in.ok());
    });
    Reader in{buffer.view()};
    const BinaryValue value = read_binary_value(in, column.type, column.is_unsigned());
    CHECK(in.ok());
    CHECK(in.at_end());
    // A string would be a view of the buffer.
    return std::holds_alternative<std::string_view>(value) ? BinaryValue{text} : value;
}

std::string literal(const BinaryValue& value, ColumnType type, bool backslash_escapes = true) {
    std::string sql;
    CHECK(append_literal(sql, value, type, backslash_escapes));
    return sql;
}

}  // namespace

TEST_CASE("integers are taken to the limits of their width and no further") {
    struct Case {
        ColumnType type;
        std::string_view min, below, max, above, unsigned_max, unsigned_above;
    };
    const Case cases[] = {
        {ColumnType::int8, "-128", "-129", "127", "128", "255", "256"},
        {ColumnType::int16, "-32768", "-32769", "32767", "32768", "65535", "65536"},
        {ColumnType::int32, "-2147483648", "-2147483649", "2147483647", "2147483648", "4294967295",
         "4294967296"},
        {ColumnType::int64, "-9223372036854775808", "-9223372036854775809", "9223372036854775807",
         "9223372036854775808", "18446744073709551615", "18446744073709551616"},
    };
    for (const Case& c : cases) {
        CAPTURE(static_cast<int>(c.type));
        for (const auto text : {c.min, c.max})
            CHECK(literal(through_binary(column_of(c.type), text), c.type) == text);
        CHECK(literal(through_binary(column_of(c.type, true), c.unsigned_max), c.type) == c.unsigned_max);
        for (const auto text : {c.below, c.above, std::string_view{""}, std::string_view{"1x"}})
            CHECK(through_binary(column_of(c.type), text) == BinaryValue{});
        for (const auto text : {c.unsigned_above, std::string_view{"-1"}})
            CHECK(through_binary(column_of(c.type, true), text) == BinaryValue{});
    }
    CHECK(through_binary(column_of(ColumnType::year, true), "2026") == BinaryValue{std::uint64_t{2026}});
    CHECK(through_binary(column_of(ColumnType::int32, true), "00042") ==
          BinaryValue{std::uint64_t{42}});  // ZEROFILL
}

TEST_CASE("dates and times come through in each of their lengths") {
    const auto datetime = column_of(ColumnType::datetime);
    CHECK(through_binary(datetime, "2026-11-30 20:15:59.000123") ==
          BinaryValue{DateTimeValue{2026, 11, 30, 20, 15, 59, 123}});
    CHECK(through_binary(datetime, "2026-11-30 20:15:59.5") ==
          BinaryValue{DateTimeValue{2026, 11, 30, 20, 15, 59, 500'000}});
    CHECK(through_binary(datetime, "2026-11-30 20:15:59") ==
          BinaryValue{DateTimeValue{2026, 11, 30, 20, 15, 59, 0}});
    CHECK(through_binary(datetime, "2026-11-30 00:00:00.000000") ==
          BinaryValue{DateTimeValue{2026, 11, 30, 0, 0, 0, 0}});
    CHECK(through_binary(datetime, "0000-00-00 00:00:00") == BinaryValue{DateTimeValue{}});
    CHECK(through_binary(column_of(ColumnType::date), "2026-11-30") ==
          BinaryValue{DateTimeValue{2026, 11, 30, 0, 0, 0, 0}});
    for (const auto* text : {"", "2026", "2026-11", "2026-11-", "2026-11-30 20:15", "2026-11-30x",
                             "2026-11-30 20:15:59.", "2026-11-30 20:15:59.1234567"})
        CHECK(through_binary(datetime, text) == BinaryValue{});
    CHECK(through_binary(column_of(ColumnType::date), "2026-11-30 00:00:00") == BinaryValue{});

    const auto time = column_of(ColumnType::time);
    CHECK(through_binary(time, "-838:59:59") == BinaryValue{TimeValue{true, 34, 22, 59, 59, 0}});
    CHECK(through_binary(time, "00:00:00.25") == BinaryValue{TimeValue{false, 0, 0, 0, 0, 250'000}});
    CHECK(through_binary(time, "00:00:00") == BinaryValue{TimeValue{}});
    CHECK(through_binary(time, "12:00") == BinaryValue{});

    Buffer buffer;
    Writer out{buffer};
    write_binary_from_text(out, datetime, "2026-11-30 00:00:00");
    CHECK(text_of(buffer.view()) == text_of(bytes({4, 0xea, 0x07, 11, 30})));
}

TEST_CASE("a time is read as the manual shows it, and one that TIME cannot hold is the largest it can") {
    const auto packet = bytes({12, 1, 1, 0, 0, 0, 19, 27, 30, 1, 0, 0, 0});
    Reader in{packet};
    CHECK(read_binary_value(in, ColumnType::time, false) == BinaryValue{TimeValue{true, 1, 19, 27, 30, 1}});
    for (const int day : {34, 35}) {
        const auto large = bytes({8, 0, day, 0, 0, 0, 22, 1, 2});
        Reader from{large};
        const TimeValue expected =
            day == 34 ? TimeValue{false, 34, 22, 1, 2, 0} : TimeValue{false, 34, 22, 59, 59, 0};
        CHECK(read_binary_value(from, ColumnType::time, false) == BinaryValue{expected});
    }
}

TEST_CASE("dates and times with a wrong length or field are malformed") {
    for (const auto& packet : {bytes({5, 0, 0, 0, 0, 0}), bytes({11, 0xea, 7, 13, 1, 0, 0, 0, 0, 0, 0, 0}),
                               bytes({7, 0xea, 7, 12, 32, 0, 0, 0}), bytes({7, 0xea, 7, 12, 1, 24, 0, 0}),
                               bytes({7, 0xea, 7, 12, 1, 0, 60, 0}), bytes({4, 0x10, 0x27, 1, 1})}) {
        Reader in{packet};
        read_binary_value(in, ColumnType::datetime, false);
        CHECK_FALSE(in.ok());
    }
    for (const auto& packet :
         {bytes({1, 0}), bytes({8, 0, 0, 0, 0, 0, 24, 0, 0}), bytes({8, 0, 0, 0, 0, 0, 0, 0, 60})}) {
        Reader in{packet};
        read_binary_value(in, ColumnType::time, false);
        CHECK_FALSE(in.ok());
    }
    const auto any = bytes({0, 0, 0, 0, 0, 0, 0, 0});
    for (const ColumnType type : {ColumnType::null, ColumnType::timestamp2, ColumnType{0x77}}) {
        Reader in{any};
        read_binary_value(in, type, false);
        CHECK_FALSE(in.ok());
    }
}

TEST_CASE("values become literals that mean the same") {
    CHECK(literal({}, ColumnType::int32) == "NULL");
    CHECK(literal(std::int64_t{-7}, ColumnType::int32) == "-7");
    CHECK(literal(1.5, ColumnType::float64) == "1.5e0");
    CHECK(literal(1e300, ColumnType::float64) == "1e+300");
    CHECK(literal(0.1, ColumnType::float64) == "0.1e0");
    CHECK(literal(-0.0, ColumnType::float64) == "-0e0");
    CHECK(literal(0.1F, ColumnType::float32) == "0.10000000149011612e0");
    std::string sql;
    CHECK_FALSE(append_literal(sql, std::numeric_limits<double>::infinity(), ColumnType::float64, true));
    CHECK_FALSE(append_literal(sql, std::nan(""), ColumnType::float64, true));
    CHECK(sql.empty());

    CHECK(literal(std::string_view{"it's \\ \"x\""}, ColumnType::var_string) == "'it''s \\\\ \"x\"'");
    CHECK(literal(std::string_view{"it's \\"}, ColumnType::var_string, false) == "'it''s \\'");
    CHECK(literal(std::string_view{"\0x", 2}, ColumnType::blob) == std::string{"_binary'\0x'", 11});
    CHECK(literal(std::string_view{"-12.50"}, ColumnType::newdecimal) == "-12.50");
    CHECK(literal(std::string_view{"1 OR 1"}, ColumnType::newdecimal) == "'1 OR 1'");
    CHECK(literal(std::string_view{"-"}, ColumnType::newdecimal) == "'-'");
    CHECK(literal(std::string_view{"1.2.3"}, ColumnType::newdecimal) == "'1.2.3'");

    CHECK(literal(DateTimeValue{2026, 1, 2, 3, 4, 5, 0}, ColumnType::datetime) ==
          "TIMESTAMP'2026-01-02 03:04:05'");
    CHECK(literal(DateTimeValue{2026, 1, 2, 3, 4, 5, 60}, ColumnType::datetime) ==
          "TIMESTAMP'2026-01-02 03:04:05.000060'");
    CHECK(literal(DateTimeValue{2026, 1, 2, 0, 0, 0, 0}, ColumnType::date) == "DATE'2026-01-02'");
    CHECK(literal(DateTimeValue{}, ColumnType::datetime) == "'0000-00-00 00:00:00'");
    CHECK(literal(TimeValue{true, 1, 2, 3, 4, 5}, ColumnType::time) == "TIME'-26:03:04.000005'");
}

TEST_CASE("parameters are read as the manual shows them") {
    // COM_STMT_EXECUTE of statement 1 with the string "foo".
    const auto packet = bytes({0x17, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0x0f, 0, 3, 'f', 'o', 'o'});
    const auto command = decode_command(packet);
    const auto execute = decode_statement_execute(command->body);
    REQUIRE(execute);
    CHECK(execute->statement_id == 1);
    ParameterTypes types;
    const auto values = decode_parameters(execute->parameters, 1, types, {});
    REQUIRE(values);
    CHECK(*values == std::vector<BinaryValue>{std::string_view{"foo"}});
    CHECK(types == ParameterTypes{{ColumnType::varchar, false}});
    for_each_cut(execute->parameters, [](Bytes cut, std::size_t) {
        ParameterTypes none;
        CHECK_FALSE(decode_parameters(cut, 1, none, {}));
        CHECK(none.empty());
    });
}

TEST_CASE("types are remembered from one execution to the next") {
    ParameterTypes types;
    const auto without_types = bytes({0, 0, 42, 7, 0, 0, 0});
    CHECK_FALSE(decode_parameters(without_types, 2, types, {}));
    const auto with_types = bytes({0, 1, 1, 0x80, 3, 0, 200, 1, 0, 0, 0});
    CHECK(*decode_parameters(with_types, 2, types, {}) ==
          std::vector<BinaryValue>{std::uint64_t{200}, std::int64_t{1}});
    CHECK(*decode_parameters(without_types, 2, types, {}) ==
          std::vector<BinaryValue>{std::uint64_t{42}, std::int64_t{7}});
    const auto first_null = bytes({1, 0, 7, 0, 0, 0});
    CHECK(*decode_parameters(first_null, 2, types, {}) ==
          std::vector<BinaryValue>{std::monostate{}, std::int64_t{7}});
    CHECK_FALSE(decode_parameters(without_types, 3, types, {}));
    // A malformed execution binds nothing.
    const ParameterTypes before = types;
    const auto cut = bytes({0, 1, 8, 0, 8, 0, 1});
    CHECK_FALSE(decode_parameters(cut, 2, types, {}));
    CHECK(types == before);
}

TEST_CASE(
    "long data stands for its parameter, whatever the packet says of it, and later ones stay in place") {
    const auto packet = bytes({2, 1, 0xfc, 0, 0xfc, 0, 1, 0, 5});  // the second is called NULL
    const std::vector<std::optional<std::string>> long_data = {"long", "longer", std::nullopt};
    ParameterTypes types;
    CHECK(*decode_parameters(packet, 3, types, long_data) ==
          std::vector<BinaryValue>{std::string_view{"long"}, std::string_view{"longer"}, std::int64_t{5}});
}

TEST_CASE("many parameters have many bits") {
    for (const std::size_t count : {8U, 9U, 65535U}) {
        Buffer packet;
        Writer out{packet};
        for (std::size_t i = 0; i < (count + 7) / 8; ++i) out.u8(0xff);
        out.u8(1);
        for (std::size_t i = 0; i < count; ++i) out.u16(3);
        ParameterTypes types;
        const auto values = decode_parameters(packet.view(), count, types, {});
        REQUIRE(values);
        CHECK(*values == std::vector<BinaryValue>(count));
        CHECK_FALSE(decode_parameters(packet.view().first(packet.size() - 1), count, types, {}));
    }
    ParameterTypes types;
    CHECK(decode_parameters({}, 0, types, {})->empty());
}

TEST_CASE("a text row becomes a binary row") {
    // The manual's: one string column, "foobar".
    const std::array one = {column_of(ColumnType::var_string)};
    const std::array<Value, 1> foobar = {Value{"foobar"}};
    const Buffer packet = payload_of([&](Writer& out) { CHECK(encode_binary_row(out, one, foobar)); });
    CHECK(text_of(packet.view()) == text_of(bytes({0, 0, 6, 'f', 'o', 'o', 'b', 'a', 'r'})));

    std::vector<ColumnDefinition> columns;
    std::vector<Value> values;
    std::vector<BinaryValue> expected;
    for (int i = 0; i < 15; ++i) {
        columns.push_back(column_of(i % 2 ? ColumnType::int32 : ColumnType::newdecimal));
        const bool is_null = i % 3 == 0;
        values.push_back(is_null ? Value{} : Value{"7"});
        expected.push_back(is_null      ? BinaryValue{}
                           : i % 2 == 1 ? BinaryValue{std::int64_t{7}}
                                        : BinaryValue{std::string_view{"7"}});
    }
    const Buffer row = payload_of([&](Writer& out) { CHECK(encode_binary_row(out, columns, values)); });
    std::vector<BinaryValue> again(columns.size());
    CHECK(decode_binary_row(row.view(), columns, again));
    CHECK(again == expected);
    for_each_cut(row.view(),
                 [&](Bytes cut, std::size_t) { CHECK_FALSE(decode_binary_row(cut, columns, again)); });

    const std::array number = {column_of(ColumnType::int32)};
    const std::array<Value, 1> word = {Value{"seven"}};
    payload_of([&](Writer& out) { CHECK_FALSE(encode_binary_row(out, number, word)); });
}
