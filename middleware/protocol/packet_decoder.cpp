#include "middleware/protocol/packet_decoder.hpp"

#include <algorithm>

namespace shardway::protocol {

void PacketDecoder::forget_joined() {
    joined_ = Buffer{};  // at least 16 MiB; the next such packet may be far away
    joined_handed_out_ = false;
}

PacketDecoder::Step PacketDecoder::next_slowly(Buffer& in) {
    if (joined_handed_out_) forget_joined();
    for (;;) {
        if (joining_ && frame_missing_ > 0) {
            const std::size_t taken = std::min(frame_missing_, in.size());
            joined_.append(in.view().first(taken));
            in.consume(taken);
            frame_missing_ -= taken;
            if (frame_missing_ > 0) return {Status::incomplete, {}, frame_missing_};
        }
        if (joining_ && !frame_continues_) {
            joining_ = false;
            joined_handed_out_ = true;
            return {Status::complete, joined_.view()};
        }
        if (in.size() < frame_header_bytes) return {Status::incomplete, {}, frame_header_bytes - in.size()};

        const FrameHeader header = frame_header(in.view());
        if (header.sequence != sequence_) return {Status::out_of_order};
        const std::size_t joined_bytes = joining_ ? joined_.size() : 0;
        if (header.payload_bytes > payload_bytes_max_ ||
            joined_bytes > payload_bytes_max_ - header.payload_bytes)
            return {Status::too_large};
        if (!joining_ && !header.continues()) {
            if (in.size() < header.frame_bytes())
                return {Status::incomplete, {}, header.frame_bytes() - in.size()};
            const Bytes payload = in.view().subspan(frame_header_bytes, header.payload_bytes);
            ++sequence_;
            in.consume(header.frame_bytes());
            return {Status::complete, payload};
        }
        ++sequence_;
        in.consume(frame_header_bytes);
        joining_ = true;
        frame_missing_ = header.payload_bytes;
        frame_continues_ = header.continues();
    }
}

}  // namespace shardway::protocol
