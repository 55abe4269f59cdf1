// The wire's outermost layer: a frame is a 4-byte header and up to 16 MiB - 1 of payload. A packet is one
// frame, or several when its payload does not fit: full frames (0xffffff) and then one that is not full, if
// need be empty.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "middleware/protocol/bytes.hpp"

namespace shardway::protocol {

constexpr std::size_t frame_header_bytes = 4;
constexpr std::size_t frame_payload_bytes_max = 0xffffff;

struct FrameHeader {
    std::uint32_t payload_bytes;  // at most frame_payload_bytes_max
    std::uint8_t sequence;        // counts the frames of a command and its answer, wraps after 255

    // The packet goes on in another frame.
    bool continues() const { return payload_bytes == frame_payload_bytes_max; }
    std::size_t frame_bytes() const { return frame_header_bytes + payload_bytes; }
};

// `frame` has at least the header's four bytes.
inline FrameHeader frame_header(Bytes frame) {
    assert(frame.size() >= frame_header_bytes);
    return {std::uint32_t{frame[0]} | std::uint32_t{frame[1]} << 8 | std::uint32_t{frame[2]} << 16, frame[3]};
}

inline void put_frame_header(std::span<std::uint8_t> frame, FrameHeader header) {
    assert(frame.size() >= frame_header_bytes && header.payload_bytes <= frame_payload_bytes_max);
    frame[0] = static_cast<std::uint8_t>(header.payload_bytes);
    frame[1] = static_cast<std::uint8_t>(header.payload_bytes >> 8);
    frame[2] = static_cast<std::uint8_t>(header.payload_bytes >> 16);
    frame[3] = header.sequence;
}

// Gives a frame that is passed on its number in the other side's conversation.
inline void renumber_frame(std::span<std::uint8_t> frame, std::uint8_t sequence) { frame[3] = sequence; }

// What of a frame lies at the front of a read buffer, for those who pass frames on as they arrive instead of
// waiting for whole packets. nullopt: not even the header is there.
struct FrameView {
    FrameHeader header;
    Bytes payload;  // as much as there is

    bool complete() const { return payload.size() == header.payload_bytes; }
};

inline std::optional<FrameView> front_frame(Bytes buffered) {
    if (buffered.size() < frame_header_bytes) return std::nullopt;
    const FrameHeader header = frame_header(buffered);
    const Bytes rest = buffered.subspan(frame_header_bytes);
    return FrameView{header, rest.size() < header.payload_bytes ? rest : rest.first(header.payload_bytes)};
}

}  // namespace shardway::protocol
