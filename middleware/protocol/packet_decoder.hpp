// Finds packets in what a socket delivers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/frame.hpp"

namespace shardway::protocol {

// A login needs little: a packet before it may have at most this many bytes. Its largest part are the
// connection attributes, 64 KiB at most.
constexpr std::size_t login_payload_bytes_max = 68 * 1024;

// One direction of one connection. After too_large or out_of_order the connection is of no more use: where
// the next packet starts is not known.
class PacketDecoder {
public:
    enum class Status : std::uint8_t {
        complete,      // payload holds a packet
        incomplete,    // read more; missing says how much at least
        too_large,     // a header announced more than the limit: packet_too_large(), then close
        out_of_order,  // a header's sequence number is not the one expected: packets_out_of_order(), then
                       // close
    };
    struct Step {
        Status status;
        // A packet of one frame (nearly all) is a view of the read buffer, and lives until that is appended
        // to, prepared or shrunk; a joined one is a view of the decoder and lives until the next call of
        // next().
        Bytes payload = {};
        std::size_t missing = 0;  // bytes until the current frame is whole, or until its header is
    };

    // Packets with more than `payload_bytes_max` bytes are refused, before their bytes are buffered.
    explicit PacketDecoder(std::size_t payload_bytes_max) : payload_bytes_max_{payload_bytes_max} {}

    void set_payload_bytes_max(std::size_t bytes) { payload_bytes_max_ = bytes; }
    // Zero before each command; a server's answer counts on from the command's last frame.
    void expect_sequence(std::uint8_t sequence) { sequence_ = sequence; }
    // What the next frame must carry: of the peer's, or of ours when it is our turn.
    std::uint8_t next_sequence() const { return sequence_; }

    // Takes the next packet from the front of `in` and consumes it. Of a packet in several frames it consumes
    // what has come so far.
    Step next(Buffer& in) {
        if (!joining_ && in.size() >= frame_header_bytes) {
            const FrameHeader header = frame_header(in.view());
            if (header.sequence == sequence_ && !header.continues() &&
                header.payload_bytes <= payload_bytes_max_ && in.size() >= header.frame_bytes()) {
                const Bytes payload = in.view().subspan(frame_header_bytes, header.payload_bytes);
                ++sequence_;
                in.consume(header.frame_bytes());
                return {Status::complete, payload};
            }
        }
        return next_slowly(in);
    }

    // True between the frames of a packet: the peer has begun something that it must finish.
    bool inside_packet() const { return joining_; }

private:
    Step next_slowly(Buffer& in);
    void forget_joined();

    std::size_t payload_bytes_max_;
    Buffer joined_;                  // the packet so far, while joining_
    std::size_t frame_missing_ = 0;  // of the current frame's payload, while joining_
    bool joining_ = false;
    bool frame_continues_ = false;    // the current frame is not the last
    bool joined_handed_out_ = false;  // joined_ holds a packet that the caller is done with at the next call
    std::uint8_t sequence_ = 0;
};

}  // namespace shardway::protocol
