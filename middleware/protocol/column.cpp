#include "middleware/protocol/column.hpp"

#include "middleware/protocol/reader.hpp"

namespace shardway::protocol {

namespace {
constexpr std::uint8_t fixed_part_bytes = 12;  // collation to filler
}

std::optional<ColumnDefinition> decode_column(Bytes packet) {
    Reader in{packet};
    ColumnDefinition column;
    column.catalog = in.lenenc_string();
    column.schema = in.lenenc_string();
    column.table = in.lenenc_string();
    column.org_table = in.lenenc_string();
    column.name = in.lenenc_string();
    column.org_name = in.lenenc_string();
    if (in.lenenc() != fixed_part_bytes) in.fail();
    column.collation = in.u16();
    column.length = in.u32();
    column.type = ColumnType{in.u8()};
    column.flags = in.u16();
    column.decimals = in.u8();
    in.skip(2);
    if (in.ok() && !in.at_end()) {
        // NULL where the column has no default.
        if (!in.skip_if(0xfb)) column.default_value = in.lenenc_string();
    }
    return in.ok() ? std::optional{column} : std::nullopt;
}

void encode_column(Writer& packet, const ColumnDefinition& column) {
    packet.lenenc_string(column.catalog);
    packet.lenenc_string(column.schema);
    packet.lenenc_string(column.table);
    packet.lenenc_string(column.org_table);
    packet.lenenc_string(column.name);
    packet.lenenc_string(column.org_name);
    packet.lenenc(fixed_part_bytes);
    packet.u16(column.collation);
    packet.u32(column.length);
    packet.u8(static_cast<std::uint8_t>(column.type));
    packet.u16(column.flags);
    packet.u8(column.decimals);
    packet.zeros(2);
    if (column.default_value) packet.lenenc_string(*column.default_value);
}

}  // namespace shardway::protocol
