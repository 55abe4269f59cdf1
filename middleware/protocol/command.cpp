#include "middleware/protocol/command.hpp"

namespace shardway::protocol {

std::string_view name_of(CommandKind kind) {
    switch (kind) {
    case CommandKind::sleep: return "Sleep";
    case CommandKind::quit: return "Quit";
    case CommandKind::init_db: return "Init DB";
    case CommandKind::query: return "Query";
    case CommandKind::field_list: return "Field List";
    case CommandKind::create_db: return "Create DB";
    case CommandKind::drop_db: return "Drop DB";
    case CommandKind::refresh: return "Refresh";
    case CommandKind::shutdown: return "Shutdown";
    case CommandKind::statistics: return "Statistics";
    case CommandKind::process_info: return "Processlist";
    case CommandKind::connect: return "Connect";
    case CommandKind::process_kill: return "Kill";
    case CommandKind::debug: return "Debug";
    case CommandKind::ping: return "Ping";
    case CommandKind::time: return "Time";
    case CommandKind::delayed_insert: return "Delayed insert";
    case CommandKind::change_user: return "Change user";
    case CommandKind::binlog_dump: return "Binlog Dump";
    case CommandKind::table_dump: return "Table Dump";
    case CommandKind::connect_out: return "Connect Out";
    case CommandKind::register_slave: return "Register Slave";
    case CommandKind::stmt_prepare: return "Prepare";
    case CommandKind::stmt_execute: return "Execute";
    case CommandKind::stmt_send_long_data: return "Long Data";
    case CommandKind::stmt_close: return "Close stmt";
    case CommandKind::stmt_reset: return "Reset stmt";
    case CommandKind::set_option: return "Set option";
    case CommandKind::stmt_fetch: return "Fetch";
    case CommandKind::daemon: return "Daemon";
    case CommandKind::binlog_dump_gtid: return "Binlog Dump GTID";
    case CommandKind::reset_connection: return "Reset Connection";
    }
    return "Error";
}

}  // namespace shardway::protocol
