// Turns payloads into packets, in a write buffer.
#pragma once

#include <cstdint>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/frame.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

// Appends `payload` as a packet to `out`. `sequence` is the number of its first frame and is moved behind its
// last.
void append_packet(Buffer& out, std::uint8_t& sequence, Bytes payload);

// Turns what was appended to `out` since it had `start` bytes into a packet: four bytes that were left free
// for the header, then the payload. A payload that is too large for one frame is split in place.
void close_packet(Buffer& out, std::size_t start, std::uint8_t& sequence);

// The same in one: `encode` writes the payload's fields straight into the write buffer.
//
//   append_packet(out, sequence, [&](Writer& packet) { encode_err(packet, error); });
template <class Encode>
    requires requires(Encode encode, Writer& packet) { encode(packet); }
void append_packet(Buffer& out, std::uint8_t& sequence, Encode&& encode) {
    const std::size_t start = out.size();
    Writer packet{out};
    packet.u32(0);  // the header, once the size is known
    encode(packet);
    const std::size_t payload_bytes = out.size() - start - frame_header_bytes;
    if (payload_bytes < frame_payload_bytes_max) {
        put_frame_header(out.writable().subspan(start),
                         {static_cast<std::uint32_t>(payload_bytes), sequence});
        ++sequence;
    } else {
        close_packet(out, start, sequence);
    }
}

}  // namespace shardway::protocol
