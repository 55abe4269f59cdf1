// Frames and packets: finding them in a stream, writing them, splitting and joining.
#include <cstring>
#include <string>
#include <vector>

#include "middleware/protocol/packet_decoder.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "tests/catch.hpp"

using namespace shardway::protocol;
using Status = PacketDecoder::Status;

namespace {

constexpr std::size_t no_limit = 1U << 30;

std::string pattern(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 + (i >> 12));
    return text;
}

}  // namespace

TEST_CASE("a packet of one frame is handed out where it lies") {
    Buffer in;
    std::uint8_t sequence = 0;
    append_packet(in, sequence, bytes_of("abc"));
    append_packet(in, sequence, bytes_of("d"));
    CHECK(sequence == 2);
    const std::uint8_t expected[] = {3, 0, 0, 0, 'a', 'b', 'c', 1, 0, 0, 1, 'd'};
    REQUIRE(text_of(in.view()) == text_of(expected));

    PacketDecoder decoder{no_limit};
    const std::uint8_t* const where = in.data();
    const auto first = decoder.next(in);
    CHECK(first.status == Status::complete);
    CHECK(text_of(first.payload) == "abc");
    CHECK(first.payload.data() == where + 4);
    const auto second = decoder.next(in);
    CHECK(text_of(second.payload) == "d");
    CHECK(decoder.next_sequence() == 2);
    const auto third = decoder.next(in);
    CHECK(third.status == Status::incomplete);
    CHECK(third.missing == 4);
    CHECK(in.empty());
}

TEST_CASE("packets that come byte by byte are complete with their last byte, and say how much is missing") {
    Buffer wire;
    std::uint8_t sequence = 0;
    append_packet(wire, sequence, bytes_of("hello"));
    append_packet(wire, sequence, Bytes{});
    PacketDecoder decoder{no_limit};
    Buffer in;
    std::vector<std::string> packets;
    std::size_t missing = 4;
    for (const std::uint8_t byte : wire.view()) {
        in.append(byte);
        const auto step = decoder.next(in);
        if (step.status == Status::complete) {
            packets.emplace_back(text_of(step.payload));
            missing = 4;
        } else {
            REQUIRE(step.status == Status::incomplete);
            if (missing > 1) CHECK(step.missing == missing - 1);
            missing = step.missing;
        }
    }
    CHECK(packets == std::vector<std::string>{"hello", ""});
}

TEST_CASE("payloads around a full frame are split and joined") {
    const std::size_t full = frame_payload_bytes_max;
    struct Case {
        std::size_t size;
        std::size_t frames;
    };
    for (const Case c :
         {Case{full - 4, 1}, Case{full - 1, 1}, Case{full, 2}, Case{full + 1, 2}, Case{2 * full, 3}}) {
        CAPTURE(c.size);
        const std::string payload = pattern(c.size);
        Buffer wire;
        wire.append("before");
        std::uint8_t sequence = 254;
        append_packet(wire, sequence, bytes_of(payload));
        CHECK(wire.size() == 6 + c.size + c.frames * 4);
        CHECK(sequence == static_cast<std::uint8_t>(254 + c.frames));

        Buffer in_place;
        in_place.append("before");
        std::uint8_t other_sequence = 254;
        append_packet(in_place, other_sequence, [&](Writer& packet) { packet.string(payload); });
        CHECK(other_sequence == sequence);
        REQUIRE(text_of(in_place.view()) == text_of(wire.view()));

        wire.consume(6);
        PacketDecoder decoder{c.size};  // exactly the limit
        decoder.expect_sequence(254);
        Buffer in;
        bool complete = false;
        while (!wire.empty()) {
            REQUIRE_FALSE(complete);
            const std::size_t piece = std::min<std::size_t>(wire.size(), 1'000'003);
            in.append(wire.view().first(piece));
            wire.consume(piece);
            const auto step = decoder.next(in);
            if (step.status == Status::complete) {
                complete = true;
                CHECK(step.payload.size() == payload.size());
                CHECK(std::memcmp(step.payload.data(), payload.data(), payload.size()) == 0);
                CHECK_FALSE(decoder.inside_packet());
            } else {
                REQUIRE(step.status == Status::incomplete);
                CHECK(step.missing > 0);
            }
        }
        CHECK(complete);
        CHECK(decoder.next_sequence() == sequence);
        CHECK(decoder.next(in).status == Status::incomplete);
    }
}

TEST_CASE("a packet above the limit is refused by its header, before its bytes come") {
    for (const std::size_t limit : {std::size_t{10}, std::size_t{300}}) {
        Buffer in;
        in.prepare(4);
        in.commit(4);
        put_frame_header(in.writable(), {static_cast<std::uint32_t>(limit), 0});
        PacketDecoder at_limit{limit};
        CHECK(at_limit.next(in).status == Status::incomplete);
        put_frame_header(in.writable(), {static_cast<std::uint32_t>(limit + 1), 0});
        PacketDecoder above{limit};
        CHECK(above.next(in).status == Status::too_large);
    }
    // The sum of frames counts: the second one's header is refused.
    Buffer wire;
    std::uint8_t sequence = 0;
    append_packet(wire, sequence, bytes_of(pattern(frame_payload_bytes_max + 10)));
    for (const std::size_t extra : {9, 10}) {
        Buffer in;
        in.append(wire.view().first(frame_payload_bytes_max + 8));
        PacketDecoder decoder{frame_payload_bytes_max + extra};
        CHECK(decoder.next(in).status == (extra == 9 ? Status::too_large : Status::incomplete));
    }
    // A full frame is over any smaller limit.
    Buffer in;
    in.append(wire.view().first(4));
    PacketDecoder login{login_payload_bytes_max};
    CHECK(login.next(in).status == Status::too_large);
}

TEST_CASE("a frame out of order is refused, also inside a packet") {
    Buffer in;
    std::uint8_t sequence = 1;
    append_packet(in, sequence, bytes_of("x"));
    PacketDecoder decoder{no_limit};
    CHECK(decoder.next(in).status == Status::out_of_order);

    Buffer split;
    sequence = 0;
    append_packet(split, sequence, bytes_of(pattern(frame_payload_bytes_max)));
    split.writable()[split.size() - 1] = 7;
    PacketDecoder other{no_limit};
    CHECK(other.next(split).status == Status::out_of_order);
}

TEST_CASE("sequence numbers wrap after 255") {
    Buffer in;
    std::uint8_t sequence = 0;
    for (int i = 0; i < 600; ++i) append_packet(in, sequence, bytes_of("x"));
    CHECK(sequence == 600 % 256);
    PacketDecoder decoder{no_limit};
    for (int i = 0; i < 600; ++i) REQUIRE(decoder.next(in).status == Status::complete);
    CHECK(decoder.next(in).status == Status::incomplete);
}

TEST_CASE("front_frame shows as much of a frame as there is") {
    Buffer wire;
    std::uint8_t sequence = 5;
    append_packet(wire, sequence, bytes_of("abc"));
    append_packet(wire, sequence, bytes_of("next"));
    for (std::size_t size = 0; size < 4; ++size) CHECK_FALSE(front_frame(wire.view().first(size)));
    for (std::size_t size = 4; size <= wire.size(); ++size) {
        const auto frame = front_frame(wire.view().first(size));
        REQUIRE(frame);
        CHECK(frame->header.payload_bytes == 3);
        CHECK(frame->header.sequence == 5);
        CHECK(frame->header.frame_bytes() == 7);
        CHECK(text_of(frame->payload) == std::string_view{"abc"}.substr(0, size - 4));
        CHECK(frame->complete() == (size >= 7));
    }
    renumber_frame(wire.writable(), 9);
    CHECK(front_frame(wire.view())->header.sequence == 9);
}
