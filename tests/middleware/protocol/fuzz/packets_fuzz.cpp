// The first byte picks a decoder, the rest is its packet. What was decoded must encode and decode to the same
// again where an encoder exists.
#include <array>
#include <cstdlib>

#include "middleware/protocol/answer.hpp"
#include "middleware/protocol/binary_params.hpp"
#include "middleware/protocol/binary_row.hpp"
#include "middleware/protocol/column.hpp"
#include "middleware/protocol/command.hpp"
#include "middleware/protocol/login_packets.hpp"
#include "middleware/protocol/text_row.hpp"

using namespace shardway::protocol;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

template <class Encode>
Buffer payload_of(Encode encode) {
    Buffer packet;
    Writer out{packet};
    encode(out);
    return packet;
}

void fuzz_column(Bytes packet) {
    const auto column = decode_column(packet);
    if (!column) return;
    const Buffer again = payload_of([&](Writer& out) { encode_column(out, *column); });
    require(decode_column(again.view()) == column);
}

void fuzz_login(Bytes packet) {
    const auto login = decode_login_request(packet);
    if (!login || login->wants_tls) return;
    if (login->proof.size() > 255) return;  // may have come by a form that the encoder does not choose
    const Buffer again = payload_of([&](Writer& out) { encode_login_request(out, *login); });
    const auto second = decode_login_request(again.view());
    require(second && second->user == login->user && text_of(second->proof) == text_of(login->proof));
    decode_attributes(login->attributes);
}

void fuzz_rows(Bytes packet) {
    std::array<Value, 5> values;
    if (decode_text_row(packet, values)) {
        const Buffer again = payload_of([&](Writer& out) { encode_text_row(out, values); });
        std::array<Value, 5> second;
        require(decode_text_row(again.view(), second) && second == values);
    }
}

void fuzz_binary(Bytes packet) {
    std::array<ColumnDefinition, 4> columns;
    for (std::size_t i = 0; i < columns.size() && i < packet.size(); ++i)
        columns[i].type = ColumnType{packet[i]};
    std::array<BinaryValue, 4> values;
    decode_binary_row(packet, columns, values);
    ParameterTypes types;
    decode_parameters(packet, 3, types, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Bytes packet{data + 1, size - 1};
    const Capabilities tracking = Capability::protocol_41 | Capability::session_track;
    switch (data[0] % 10) {
    case 0: decode_ok(packet, Capability::protocol_41); break;
    case 1: decode_ok(packet, tracking); break;
    case 2: decode_err(packet); break;
    case 3: fuzz_column(packet); break;
    case 4: fuzz_login(packet); break;
    case 5: decode_greeting(packet); break;
    case 6: decode_change_user(packet, client_capabilities); break;
    case 7: fuzz_rows(packet); break;
    case 8: fuzz_binary(packet); break;
    case 9:
        decode_auth_switch(packet);
        decode_eof(packet);
        if (const auto command = decode_command(packet)) {
            decode_field_list(command->body);
            decode_set_option(command->body);
            decode_statement_execute(command->body);
            decode_statement_long_data(command->body);
            decode_statement_fetch(command->body);
        }
        break;
    }
    return 0;
}
