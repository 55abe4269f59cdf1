#include "middleware/protocol/packet_writer.hpp"

#include <algorithm>
#include <cstring>

namespace shardway::protocol {

void append_packet(Buffer& out, std::uint8_t& sequence, Bytes payload) {
    for (;;) {
        const std::size_t size = std::min(payload.size(), frame_payload_bytes_max);
        const auto frame = out.prepare(frame_header_bytes + size);
        put_frame_header(frame, {static_cast<std::uint32_t>(size), sequence});
        ++sequence;
        if (size > 0) std::memcpy(frame.data() + frame_header_bytes, payload.data(), size);
        out.commit(frame_header_bytes + size);
        payload = payload.subspan(size);
        // A full frame says that another follows, so a payload of exactly n full frames ends with an empty
        // one.
        if (size < frame_payload_bytes_max) return;
    }
}

void close_packet(Buffer& out, std::size_t start, std::uint8_t& sequence) {
    const std::size_t payload_bytes = out.size() - start - frame_header_bytes;
    const std::size_t frames = payload_bytes / frame_payload_bytes_max + 1;
    const std::size_t more_bytes = (frames - 1) * frame_header_bytes;
    out.prepare(more_bytes);
    out.commit(more_bytes);
    std::uint8_t* const packet = out.writable().data() + start;
    // From the last frame to the first, each moves behind the headers that come before it.
    for (std::size_t i = frames; i-- > 0;) {
        const std::size_t from = frame_header_bytes + i * frame_payload_bytes_max;
        const std::size_t size =
            std::min(payload_bytes - i * frame_payload_bytes_max, frame_payload_bytes_max);
        std::uint8_t* const frame = packet + i * (frame_header_bytes + frame_payload_bytes_max);
        std::memmove(frame + frame_header_bytes, packet + from, size);
        put_frame_header({frame, frame_header_bytes},
                         {static_cast<std::uint32_t>(size), static_cast<std::uint8_t>(sequence + i)});
    }
    sequence = static_cast<std::uint8_t>(sequence + frames);
}

}  // namespace shardway::protocol
