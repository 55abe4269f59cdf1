#include "middleware/protocol/answer.hpp"

namespace shardway::protocol {

namespace {

// Without session_track the text is the rest of the packet by the manual; servers send a length before it all
// the same, and clients read one.
std::string_view read_info(Reader& in) {
    Reader with_length = in;
    const std::string_view text = with_length.lenenc_string();
    if (with_length.ok() && with_length.at_end()) {
        in = with_length;
        return text;
    }
    return in.rest();
}

}  // namespace

std::optional<OkPacket> decode_ok(Bytes packet, Capabilities capabilities) {
    Reader in{packet};
    if (!in.skip_if(eof_header)) in.expect(ok_header);
    OkPacket ok;
    ok.affected_rows = in.lenenc();
    ok.last_insert_id = in.lenenc();
    ok.status = StatusFlags{in.u16()};
    ok.warnings = in.u16();
    if (in.ok() && !in.at_end()) {
        if (capabilities.has(Capability::session_track)) {
            ok.info = in.lenenc_string();
            if (ok.status.has(StatusFlag::session_state_changed)) in.lenenc_string();
        } else {
            ok.info = read_info(in);
        }
    }
    ok.status.set(StatusFlag::session_state_changed, false);
    return in.ok() ? std::optional{ok} : std::nullopt;
}

std::optional<EofPacket> decode_eof(Bytes packet) {
    if (packet.size() > eof_payload_bytes_max) return std::nullopt;
    Reader in{packet};
    in.expect(eof_header);
    EofPacket eof;
    eof.warnings = in.u16();
    eof.status = StatusFlags{in.u16()};
    return in.ok() ? std::optional{eof} : std::nullopt;
}

std::optional<ErrPacket> decode_err(Bytes packet) {
    Reader in{packet};
    in.expect(err_header);
    const std::uint16_t code = in.u16();
    // A server that turns us away before the handshake sends no SQLSTATE.
    const std::string_view sqlstate = in.skip_if('#') ? in.string(5) : "HY000";
    if (!in.ok()) return std::nullopt;
    return ErrPacket{code, sqlstate, in.rest()};
}

void encode_ok(Writer& packet, const OkPacket& ok, std::uint8_t header) {
    packet.u8(header);
    packet.lenenc(ok.affected_rows);
    packet.lenenc(ok.last_insert_id);
    packet.u16(ok.status.bits());
    packet.u16(ok.warnings);
    if (!ok.info.empty()) packet.lenenc_string(ok.info);
}

void encode_eof(Writer& packet, const EofPacket& eof) {
    packet.u8(eof_header);
    packet.u16(eof.warnings);
    packet.u16(eof.status.bits());
}

void encode_err(Writer& packet, const SqlError& error) {
    packet.u8(err_header);
    packet.u16(error.code);
    packet.u8('#');
    packet.string(error.sqlstate.size() == 5 ? std::string_view{error.sqlstate} : "HY000");
    packet.string(error.message);
}

void encode_early_err(Writer& packet, const SqlError& error) {
    packet.u8(err_header);
    packet.u16(error.code);
    packet.string(error.message);
}

void encode_result_end(Writer& packet, const EofPacket& end, Capabilities client) {
    if (!client.has(Capability::deprecate_eof)) return encode_eof(packet, end);
    OkPacket ok;
    ok.status = end.status;
    ok.warnings = end.warnings;
    encode_ok(packet, ok, eof_header);
}

}  // namespace shardway::protocol
