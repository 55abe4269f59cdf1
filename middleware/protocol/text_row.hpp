// Rows of the text protocol: one length-encoded string or NULL per column.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/reader.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

using Value = std::optional<std::string_view>;  // nullopt is NULL

// The values of a row one after the other. Views into the row, which must stay alive.
//
//   for (TextRow row{packet}; !row.at_end();) use(row.next());   // and then row.ok()
class TextRow {
public:
    explicit TextRow(Bytes row) : in_{row} {}

    bool at_end() const { return in_.at_end(); }
    bool ok() const { return in_.ok(); }
    Value next() { return in_.value(); }

private:
    Reader in_;
};

// Fills `values`, one per column. False when the row has another number of columns or is malformed.
inline bool decode_text_row(Bytes row, std::span<Value> values) {
    Reader in{row};
    for (Value& value : values) value = in.value();
    return in.ok() && in.at_end();
}

inline void encode_text_row(Writer& packet, std::span<const Value> values) {
    for (const Value& value : values) packet.value(value);
}

}  // namespace shardway::protocol
