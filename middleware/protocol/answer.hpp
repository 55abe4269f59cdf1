// OK, ERR and EOF packets: how every command ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/capability.hpp"
#include "middleware/protocol/reader.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/protocol/status.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

constexpr std::uint8_t ok_header = 0x00;
constexpr std::uint8_t eof_header = 0xfe;  // EOF, and with deprecate_eof the OK at the end of a result set
constexpr std::uint8_t err_header = 0xff;
constexpr std::uint8_t local_infile_header = 0xfb;
constexpr std::size_t eof_payload_bytes_max = 8;  // above it a 0xfe begins something else

struct OkPacket {  // info is a view into the packet it was decoded from, which must stay alive
    std::uint64_t affected_rows = 0;
    std::uint64_t last_insert_id = 0;
    StatusFlags status;
    std::uint16_t warnings = 0;
    std::string_view info;  // "Rows matched: 1  Changed: 1  Warnings: 0"
};

struct EofPacket {
    std::uint16_t warnings = 0;
    StatusFlags status;
};

struct ErrPacket {  // views into the packet it was decoded from, which must stay alive
    std::uint16_t code;
    std::string_view sqlstate;  // five characters, such as "42S02"
    std::string_view message;

    SqlError to_sql_error() const { return {code, std::string{sqlstate}, std::string{message}}; }
};

// `capabilities` are those in force on the connection. Takes either header. What session_track brings
// (session_changes) is dropped along with its flag: whoever passes the packet on speaks to a client that did
// not ask for it.
std::optional<OkPacket> decode_ok(Bytes packet, Capabilities capabilities);
std::optional<EofPacket> decode_eof(Bytes packet);
std::optional<ErrPacket> decode_err(Bytes packet);

// `header` is ok_header, or eof_header at the end of a result set on a connection with deprecate_eof.
void encode_ok(Writer& packet, const OkPacket& ok, std::uint8_t header = ok_header);
void encode_eof(Writer& packet, const EofPacket& eof);
void encode_err(Writer& packet, const SqlError& error);
// To a client that has said nothing yet: no SQLSTATE, for whether it knows of them is not known.
void encode_early_err(Writer& packet, const SqlError& error);

// The packet that ends a result set, and the one between columns and rows, where the client knows them as EOF
// or not.
void encode_result_end(Writer& packet, const EofPacket& end, Capabilities client);

}  // namespace shardway::protocol
