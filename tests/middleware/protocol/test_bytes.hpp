// Helpers that several tests of this folder share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

inline std::vector<std::uint8_t> bytes(std::initializer_list<int> values) {
    std::vector<std::uint8_t> made;
    for (const int value : values) made.push_back(static_cast<std::uint8_t>(value));
    return made;
}

// The payload that `encode` writes.
template <class Encode>
Buffer payload_of(Encode encode) {
    Buffer packet;
    Writer out{packet};
    encode(out);
    return packet;
}

// Each beginning of `packet`, in memory of its own, so that a sanitizer sees a read beyond its end.
template <class Check>
void for_each_cut(Bytes packet, Check check) {
    for (std::size_t size = 0; size < packet.size(); ++size) {
        const std::vector<std::uint8_t> cut(packet.begin(),
                                            packet.begin() + static_cast<std::ptrdiff_t>(size));
        check(Bytes{cut}, size);
    }
}

}  // namespace shardway::protocol
