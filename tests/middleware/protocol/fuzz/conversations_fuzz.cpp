// A peer that says anything: the first byte picks the machine, the rest is a stream of frames.
#include <optional>

#include "middleware/protocol/client_handshake.hpp"
#include "middleware/protocol/packet_decoder.hpp"
#include "middleware/protocol/result_reader.hpp"
#include "middleware/protocol/server_handshake.hpp"

using namespace shardway::protocol;

namespace {

class OneUser final : public Users {
public:
    std::optional<LoginRule> find_user(std::string_view user, std::string_view) const override {
        return user.empty() ? std::optional{LoginRule{}} : std::nullopt;
    }
};

constexpr Scramble scramble = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2};

// Every packet that the stream holds, in pieces of `piece` bytes.
template <class Take>
void for_each_packet(Bytes stream, std::size_t piece, Take take) {
    PacketDecoder decoder{login_payload_bytes_max};
    Buffer in;
    while (!stream.empty()) {
        const Bytes part = stream.first(std::min(piece, stream.size()));
        in.append(part);
        stream = stream.subspan(part.size());
        for (;;) {
            const auto step = decoder.next(in);
            if (step.status == PacketDecoder::Status::incomplete) break;
            if (step.status != PacketDecoder::Status::complete || !take(step.payload)) return;
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Bytes stream{data + 2, size - 2};
    const std::size_t piece = data[1] % 64 + std::size_t{1};
    const Capabilities mode =
        data[0] & 0x80 ? client_capabilities : client_capabilities.without(Capability::deprecate_eof);
    switch (data[0] % 4) {
    case 0: {
        const OneUser users;
        ServerHandshakeOptions options;
        options.tls_offered = true;
        ServerHandshake server{users, scramble, options};
        for_each_packet(stream, piece, [&](Bytes packet) {
            const auto step = server.on_packet(packet);
            return std::holds_alternative<ServerHandshake::Send>(step) ||
                   std::holds_alternative<ServerHandshake::StartTls>(step);
        });
        break;
    }
    case 1: {
        ClientHandshake client{ClientLogin{}};
        for_each_packet(stream, piece, [&](Bytes packet) {
            auto step = client.on_packet(packet);
            if (std::holds_alternative<ClientHandshake::StartTls>(step)) step = client.on_tls_started();
            return !std::holds_alternative<ClientHandshake::Failed>(step) &&
                   !std::holds_alternative<ClientHandshake::Done>(step);
        });
        break;
    }
    case 2: {
        ResultReader reader{ResultReader::Expect{static_cast<std::uint8_t>(data[1] % 4)}, mode, 0};
        for_each_packet(stream, piece, [&](Bytes packet) {
            return reader.on_packet(packet) != ResultReader::Part::violation && !reader.finished();
        });
        break;
    }
    case 3: {
        ResultReader reader{ResultReader::Expect{static_cast<std::uint8_t>(data[1] % 4)}, mode, 0};
        Bytes left = stream;
        while (!reader.finished()) {
            const auto frame = front_frame(left);
            if (!frame) break;
            const auto part = reader.on_frame(frame->header, frame->payload);
            if (part == ResultReader::Part::violation || part == ResultReader::Part::incomplete ||
                !frame->complete())
                break;
            left = left.subspan(frame->header.frame_bytes());
        }
        break;
    }
    }
    return 0;
}
