// The parameters of COM_STMT_EXECUTE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "middleware/protocol/binary_value.hpp"
#include "middleware/protocol/bytes.hpp"

namespace shardway::protocol {

constexpr std::size_t parameters_max = 65535;  // of one statement: their number is sent in two bytes

struct ParameterType {
    ColumnType type = ColumnType::null;
    bool is_unsigned = false;

    friend bool operator==(const ParameterType&, const ParameterType&) = default;
};

// Of one prepared statement, as its last execution bound them: a client sends types once and may then leave
// them out.
using ParameterTypes = std::vector<ParameterType>;

// What stmt_send_long_data brought for each parameter since the last execution; empty when it was not used at
// all. It stands in place of what the packet has for the parameter (nothing), even where the packet calls it
// NULL.
using LongData = std::span<const std::optional<std::string>>;

// The values of `count` parameters, and in `types` their types. nullopt (malformed_packet(), or
// wrong_arguments() as MySQL says it) when they do not fit the packet, or when types were never bound. Views
// into `parameters` and `long_data`.
std::optional<std::vector<BinaryValue>> decode_parameters(Bytes parameters, std::size_t count,
                                                          ParameterTypes& types, LongData long_data);

}  // namespace shardway::protocol
