// The first byte of a client's packet: what it wants.
#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace shardway::protocol
