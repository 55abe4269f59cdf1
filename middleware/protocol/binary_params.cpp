#include "middleware/protocol/binary_params.hpp"

#include <utility>

namespace shardway::protocol {

namespace {

bool bit_is_set(Bytes bitmap, std::size_t index) { return (bitmap[index / 8] >> (index % 8) & 1) != 0; }

}  // namespace

std::optional<std::vector<BinaryValue>> decode_parameters(Bytes parameters, std::size_t count,
                                                          ParameterTypes& types, LongData long_data) {
    std::vector<BinaryValue> values;
    if (count == 0) return values;
    Reader in{parameters};
    const Bytes nulls = in.bytes((count + 7) / 8);
    const bool types_follow = in.u8() == 1;
    if (!in.ok()) return std::nullopt;
    ParameterTypes bound;
    if (types_follow) {
        if (in.remaining() < 2 * count) return std::nullopt;
        bound.resize(count);
        for (ParameterType& parameter : bound) {
            parameter.type = ColumnType{in.u8()};
            parameter.is_unsigned = (in.u8() & 0x80) != 0;
        }
    } else if (types.size() != count) {
        return std::nullopt;
    }
    const ParameterTypes& used = types_follow ? bound : types;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (i < long_data.size() && long_data[i])
            values.emplace_back(std::string_view{*long_data[i]});
        else if (bit_is_set(nulls, i) || used[i].type == ColumnType::null)
            values.emplace_back(std::monostate{});
        else
            values.push_back(read_binary_value(in, used[i].type, used[i].is_unsigned));
    }
    if (!in.ok()) return std::nullopt;
    if (types_follow) types = std::move(bound);
    return values;
}

}  // namespace shardway::protocol
