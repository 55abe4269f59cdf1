#include "middleware/protocol/binary_row.hpp"

#include <cassert>

namespace shardway::protocol {

namespace {

constexpr std::uint8_t binary_row_header = 0x00;
constexpr std::size_t row_null_offset = 2;  // the first two bits of a row's bitmap are not used

std::size_t null_bitmap_bytes(std::size_t columns) { return (columns + row_null_offset + 7) / 8; }

}  // namespace

bool encode_binary_row(Writer& packet, std::span<const ColumnDefinition> columns,
                       std::span<const Value> values) {
    assert(columns.size() == values.size());
    packet.u8(binary_row_header);
    std::uint8_t bits = 0;
    for (std::size_t i = 0; i < null_bitmap_bytes(columns.size()) * 8; ++i) {
        const bool is_column = i >= row_null_offset && i - row_null_offset < values.size();
        if (is_column && !values[i - row_null_offset]) bits = static_cast<std::uint8_t>(bits | 1 << (i % 8));
        if (i % 8 == 7) {
            packet.u8(bits);
            bits = 0;
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (values[i] && !write_binary_from_text(packet, columns[i], *values[i])) return false;
    return true;
}

bool decode_binary_row(Bytes row, std::span<const ColumnDefinition> columns, std::span<BinaryValue> values) {
    assert(columns.size() == values.size());
    Reader in{row};
    in.expect(binary_row_header);
    const Bytes nulls = in.bytes(null_bitmap_bytes(columns.size()));
    if (!in.ok()) return false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t bit = i + row_null_offset;
        const bool is_null = (nulls[bit / 8] >> (bit % 8) & 1) != 0;
        values[i] =
            is_null ? BinaryValue{} : read_binary_value(in, columns[i].type, columns[i].is_unsigned());
    }
    return in.ok() && in.at_end();
}

}  // namespace shardway::protocol
