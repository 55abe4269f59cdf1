// Column definitions and text rows.
#include "middleware/protocol/column.hpp"

#include <array>
#include <string>
#include <vector>

#include "middleware/protocol/text_row.hpp"
#include "test_bytes.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;

TEST_CASE("a column definition is read as the manual shows it") {
    // SELECT @@version_comment
    const auto packet = bytes({0x03, 'd',  'e',  'f',  0x00, 0x00, 0x00, 0x11, '@',  '@',  'v',  'e',  'r',
                               's',  'i',  'o',  'n',  '_',  'c',  'o',  'm',  'm',  'e',  'n',  't',  0x00,
                               0x0c, 0x08, 0x00, 0x1c, 0x00, 0x00, 0x00, 0xfd, 0x00, 0x00, 0x1f, 0x00, 0x00});
    const auto column = decode_column(packet);
    REQUIRE(column);
    CHECK(column->catalog == "def");
    CHECK(column->schema.empty());
    CHECK(column->name == "@@version_comment");
    CHECK(column->org_name.empty());
    CHECK(column->collation == 8);
    CHECK(column->length == 28);
    CHECK(column->type == ColumnType::var_string);
    CHECK(column->flags == 0);
    CHECK(column->decimals == 31);
    CHECK_FALSE(column->default_value);
    for_each_cut(packet, [](Bytes cut, std::size_t) { CHECK_FALSE(decode_column(cut)); });
}

TEST_CASE("a column definition comes back as it was written, with other names where wanted") {
    ColumnDefinition column;
    column.schema = "shop_03";
    column.table = "o";
    column.org_table = "t_order";
    column.name = std::string_view{"number"};
    column.org_name = "order_id";
    column.collation = 63;
    column.length = 20;
    column.type = ColumnType::int64;
    column.flags = column_flag::not_null | column_flag::primary_key | column_flag::is_unsigned;
    const Buffer packet = payload_of([&](Writer& out) { encode_column(out, column); });
    auto again = decode_column(packet.view());
    REQUIRE(again);
    CHECK(*again == column);
    CHECK(again->is_unsigned());

    again->schema = "shop";
    const Buffer renamed = payload_of([&](Writer& out) { encode_column(out, *again); });
    column.schema = "shop";
    CHECK(*decode_column(renamed.view()) == column);
}

TEST_CASE("a field list's definition carries a default, which may be NULL") {
    ColumnDefinition column;
    column.name = "c";
    column.default_value = "x";
    const Buffer packet = payload_of([&](Writer& out) { encode_column(out, column); });
    CHECK(*decode_column(packet.view()) == column);
    column.default_value = std::nullopt;
    Buffer with_null = payload_of([&](Writer& out) { encode_column(out, column); });
    with_null.append(std::uint8_t{0xfb});
    CHECK(*decode_column(with_null.view()) == column);
}

TEST_CASE("a definition whose fixed part has another size is malformed") {
    ColumnDefinition column;
    const Buffer packet = payload_of([&](Writer& out) { encode_column(out, column); });
    std::vector<std::uint8_t> wrong(packet.view().begin(), packet.view().end());
    REQUIRE(wrong[9] == 0x0c);
    wrong[9] = 0x0b;
    CHECK_FALSE(decode_column(wrong));
}

TEST_CASE("a text row is read value by value") {
    const std::string long_text(300, 'x');
    const std::array<Value, 4> values = {Value{"1"}, std::nullopt, Value{""}, Value{long_text}};
    const Buffer packet = payload_of([&](Writer& out) { encode_text_row(out, values); });

    std::array<Value, 4> again;
    CHECK(decode_text_row(packet.view(), again));
    CHECK(again == values);
    TextRow row{packet.view()};
    for (const Value& value : values) {
        CHECK_FALSE(row.at_end());
        CHECK(row.next() == value);
    }
    CHECK(row.at_end());
    CHECK(row.ok());

    std::array<Value, 3> too_few;
    CHECK_FALSE(decode_text_row(packet.view(), too_few));
    std::array<Value, 5> too_many;
    CHECK_FALSE(decode_text_row(packet.view(), too_many));
    for_each_cut(packet.view(), [](Bytes cut, std::size_t) {
        std::array<Value, 4> from_cut;
        CHECK_FALSE(decode_text_row(cut, from_cut));
    });
}
