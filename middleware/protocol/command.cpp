#include "middleware/protocol/command.hpp"

#include "middleware/protocol/reader.hpp"

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

std::optional<FieldList> decode_field_list(Bytes body) {
    Reader in{body};
    FieldList list;
    list.table = in.nul_string();
    list.wildcard = in.rest();
    if (list.wildcard.ends_with('\0')) list.wildcard.remove_suffix(1);
    return in.ok() ? std::optional{list} : std::nullopt;
}

std::optional<SetOption> decode_set_option(Bytes body) {
    Reader in{body};
    const std::uint16_t option = in.u16();
    if (!in.ok() || option > 1) return std::nullopt;
    return SetOption{option};
}

std::optional<std::uint32_t> decode_process_kill(Bytes body) { return decode_statement_id(body); }

std::optional<std::uint32_t> decode_statement_id(Bytes body) {
    Reader in{body};
    const std::uint32_t id = in.u32();
    return in.ok() ? std::optional{id} : std::nullopt;
}

std::optional<StatementFetch> decode_statement_fetch(Bytes body) {
    Reader in{body};
    StatementFetch fetch;
    fetch.statement_id = in.u32();
    fetch.rows = in.u32();
    return in.ok() ? std::optional{fetch} : std::nullopt;
}

std::optional<StatementLongData> decode_statement_long_data(Bytes body) {
    Reader in{body};
    StatementLongData part;
    part.statement_id = in.u32();
    part.parameter = in.u16();
    part.data = in.rest_bytes();
    return in.ok() ? std::optional{part} : std::nullopt;
}

std::optional<StatementExecute> decode_statement_execute(Bytes body) {
    Reader in{body};
    StatementExecute execute;
    execute.statement_id = in.u32();
    execute.cursor_flags = in.u8();
    if (in.u32() != 1) in.fail();  // iterations: nothing else was ever defined
    execute.parameters = in.rest_bytes();
    return in.ok() ? std::optional{execute} : std::nullopt;
}

}  // namespace shardway::protocol
