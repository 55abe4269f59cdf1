// Rows of the binary protocol, in which prepared statements are answered.
#pragma once

#include <span>

#include "middleware/protocol/binary_value.hpp"
#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/column.hpp"
#include "middleware/protocol/text_row.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

// Writes a row that came as text, its values one per column, for a client that executed a prepared statement.
// False when a text is no value of its column's type; the packet is then unfinished and must be dropped.
bool encode_binary_row(Writer& packet, std::span<const ColumnDefinition> columns,
                       std::span<const Value> values);

// Fills `values`, one per column. False when the row is malformed.
bool decode_binary_row(Bytes row, std::span<const ColumnDefinition> columns, std::span<BinaryValue> values);

}  // namespace shardway::protocol
