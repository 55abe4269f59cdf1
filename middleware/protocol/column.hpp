// Column definitions: what a result set says of its columns before the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

constexpr std::size_t result_columns_max =
    4096;  // MySQL's limit on the columns of a table and of a select list

// MYSQL_TYPE_LONG is ColumnType::int32; the wire's names mix widths and ages.
enum class ColumnType : std::uint8_t {
    decimal = 0x00,  // before MySQL 5.0
    int8 = 0x01,
    int16 = 0x02,
    int32 = 0x03,
    float32 = 0x04,
    float64 = 0x05,
    null = 0x06,
    timestamp = 0x07,
    int64 = 0x08,
    int24 = 0x09,
    date = 0x0a,
    time = 0x0b,
    datetime = 0x0c,
    year = 0x0d,
    newdate = 0x0e,
    varchar = 0x0f,
    bit = 0x10,
    timestamp2 = 0x11,
    datetime2 = 0x12,
    time2 = 0x13,
    typed_array = 0x14,
    vector = 0xf2,
    json = 0xf5,
    newdecimal = 0xf6,
    enumeration = 0xf7,
    set = 0xf8,
    tiny_blob = 0xf9,
    medium_blob = 0xfa,
    long_blob = 0xfb,
    blob = 0xfc,
    var_string = 0xfd,
    string = 0xfe,
    geometry = 0xff,
};

// Bits of ColumnDefinition::flags.
namespace column_flag {
constexpr std::uint16_t not_null = 0x0001;
constexpr std::uint16_t primary_key = 0x0002;
constexpr std::uint16_t unique_key = 0x0004;
constexpr std::uint16_t multiple_key = 0x0008;
constexpr std::uint16_t blob = 0x0010;
constexpr std::uint16_t is_unsigned = 0x0020;
constexpr std::uint16_t zerofill = 0x0040;
constexpr std::uint16_t binary = 0x0080;
constexpr std::uint16_t enumeration = 0x0100;
constexpr std::uint16_t auto_increment = 0x0200;
constexpr std::uint16_t timestamp = 0x0400;
constexpr std::uint16_t set = 0x0800;
constexpr std::uint16_t no_default_value = 0x1000;
constexpr std::uint16_t on_update_now = 0x2000;
constexpr std::uint16_t number = 0x8000;
}  // namespace column_flag

// Views into the packet it was decoded from, which must stay alive. To show a client logical names, replace
// the views and encode.
struct ColumnDefinition {
    std::string_view catalog = "def";
    std::string_view schema;
    std::string_view table;      // alias
    std::string_view org_table;  // empty for an expression
    std::string_view name;       // label
    std::string_view org_name;
    std::uint16_t collation = 0;
    std::uint32_t length = 0;  // bytes at most, or characters of display for numbers
    ColumnType type = ColumnType::null;
    std::uint16_t flags = 0;
    std::uint8_t decimals = 0;  // 31: a float without a fixed number of them
    std::optional<std::string_view> default_value = std::nullopt;  // only in the answer to COM_FIELD_LIST

    bool is_unsigned() const { return (flags & column_flag::is_unsigned) != 0; }
    friend bool operator==(const ColumnDefinition&, const ColumnDefinition&) = default;
};

// The same from MySQL and MariaDB, as long as MariaDB's extended metadata was not asked for.
std::optional<ColumnDefinition> decode_column(Bytes packet);
void encode_column(Writer& packet, const ColumnDefinition& column);

}  // namespace shardway::protocol
