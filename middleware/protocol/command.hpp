// The first byte of a client's packet: what it wants.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/writer.hpp"

namespace shardway::protocol {

// COM_QUERY is CommandKind::query. A byte that is none of these is answered with unknown_command().
enum class CommandKind : std::uint8_t {
    sleep = 0x00,
    quit = 0x01,
    init_db = 0x02,
    query = 0x03,
    field_list = 0x04,
    create_db = 0x05,
    drop_db = 0x06,
    refresh = 0x07,
    shutdown = 0x08,
    statistics = 0x09,
    process_info = 0x0a,
    connect = 0x0b,
    process_kill = 0x0c,
    debug = 0x0d,
    ping = 0x0e,
    time = 0x0f,
    delayed_insert = 0x10,
    change_user = 0x11,
    binlog_dump = 0x12,
    table_dump = 0x13,
    connect_out = 0x14,
    register_slave = 0x15,
    stmt_prepare = 0x16,
    stmt_execute = 0x17,
    stmt_send_long_data = 0x18,
    stmt_close = 0x19,
    stmt_reset = 0x1a,
    set_option = 0x1b,
    stmt_fetch = 0x1c,
    daemon = 0x1d,
    binlog_dump_gtid = 0x1e,
    reset_connection = 0x1f,
};

// "Query", "Init DB", …: the words of SHOW PROCESSLIST. "Error" for a byte that is no command.
std::string_view name_of(CommandKind kind);

// Commands that are never answered.
constexpr bool is_silent(CommandKind kind) {
    return kind == CommandKind::quit || kind == CommandKind::stmt_close ||
           kind == CommandKind::stmt_send_long_data;
}

// A client's packet. `body` is what follows the command byte: a view into the packet, which must stay alive.
struct Command {
    CommandKind kind;
    Bytes body;

    // Of query, stmt_prepare and init_db: the statement, or the database's name.
    std::string_view text() const { return text_of(body); }
};

// nullopt for an empty packet (malformed_packet()); a byte that is no command comes through, and name_of()
// tells.
inline std::optional<Command> decode_command(Bytes packet) {
    if (packet.empty()) return std::nullopt;
    return Command{CommandKind{packet[0]}, packet.subspan(1)};
}
inline void encode_command(Writer& packet, CommandKind kind, std::string_view body = {}) {
    packet.u8(static_cast<std::uint8_t>(kind));
    packet.string(body);
}

// The bodies of commands with structure; nullopt is malformed_packet(). Views into the body.

struct FieldList {
    std::string_view table;
    std::string_view wildcard;  // a LIKE pattern on columns, often empty
};
std::optional<FieldList> decode_field_list(Bytes body);

enum class SetOption : std::uint16_t { multi_statements_on = 0, multi_statements_off = 1 };
std::optional<SetOption> decode_set_option(Bytes body);

std::optional<std::uint32_t> decode_process_kill(Bytes body);  // a connection's id

// The statement's id of stmt_close and stmt_reset.
std::optional<std::uint32_t> decode_statement_id(Bytes body);

struct StatementFetch {
    std::uint32_t statement_id;
    std::uint32_t rows;
};
std::optional<StatementFetch> decode_statement_fetch(Bytes body);

struct StatementLongData {
    std::uint32_t statement_id;
    std::uint16_t parameter;  // from 0
    Bytes data;
};
std::optional<StatementLongData> decode_statement_long_data(Bytes body);

// stmt_execute as far as it can be read without the statement; binary_params.hpp reads the values.
struct StatementExecute {
    std::uint32_t statement_id;
    std::uint8_t cursor_flags;  // 1: read only; 2: for update; 4: scrollable; 8: the parameter count follows
    Bytes parameters;           // null bitmap, types, values; empty when there are none
};
std::optional<StatementExecute> decode_statement_execute(Bytes body);

}  // namespace shardway::protocol
