#include "middleware/backend/fetch.hpp"

#include "middleware/backend/answer.hpp"
#include "middleware/backend/train.hpp"
#include "middleware/protocol/command.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/packet_writer.hpp"
#include "middleware/protocol/result_reader.hpp"
#include "middleware/protocol/text_row.hpp"

namespace shardway::backend {

using protocol::Result;

bool RowCollector::add(protocol::Bytes frames) {
    bytes_ += frames.size();
    pending_.append(frames);
    for (;;) {
        const auto frame = protocol::front_frame(pending_.view());
        if (!frame || !frame->complete()) return true;
        row_.append(frame->payload);
        const bool whole = !frame->header.continues();
        pending_.consume(frame->header.frame_bytes());
        if (whole && !finish_row()) return false;
    }
}

bool RowCollector::finish_row() {
    std::vector<protocol::Value> values(columns_);
    if (!protocol::decode_text_row(row_.view(), values)) return false;
    FetchedRow row;
    for (const protocol::Value& value : values)
        row.push_back(value ? std::optional<std::string>{*value} : std::nullopt);
    rows_.push_back(std::move(row));
    row_.clear();
    return true;
}

net::Task<Result<std::vector<FetchedRow>>> fetch_rows(Connection& connection, std::string statement,
                                                      FetchSetting setting, std::size_t bytes_max) {
    Train train{connection, setting.state, setting.database};
    for (const std::string& each : setting.before) train.before(each);
    train.carry(statement);
    std::optional<RowCollector> rows;
    try {
        auto departed = co_await train.depart();
        if (departed.has_error()) co_return std::move(departed).error();
        AnswerStream answer{train};
        while (!answer.done()) {
            auto item = co_await answer.next();
            if (auto* error = std::get_if<protocol::SqlError>(&item)) co_return std::move(*error);
            if (const auto* columns = std::get_if<AnswerStream::Columns>(&item)) rows.emplace(columns->count);
            if (const auto* piece = std::get_if<AnswerStream::Rows>(&item)) {
                if (!rows->add(piece->frames) || rows->bytes() > bytes_max) {
                    connection.mark_broken();
                    co_return protocol::node_protocol_violation(connection.node_name(),
                                                                "an unexpected result");
                }
            }
        }
    } catch (const net::ConnectionLost&) {
        connection.mark_broken();
        co_return protocol::connection_lost(connection.node_name());
    }
    co_return rows ? rows->take() : std::vector<FetchedRow>{};
}

net::Task<Result<std::vector<protocol::Buffer>>> fetch_columns(Connection& connection,
                                                               std::shared_ptr<const SessionState> state,
                                                               std::string database, std::string table,
                                                               std::string pattern) {
    using Part = protocol::ResultReader::Part;
    FetchSetting setting;
    setting.state = std::move(state);
    setting.database = database;
    auto ready = co_await fetch_rows(connection, "DO 0", std::move(setting));
    if (ready.has_error()) co_return std::move(ready).error();
    protocol::Buffer packet;
    std::uint8_t sequence = 0;
    protocol::append_packet(packet, sequence, [&](protocol::Writer& out) {
        out.u8(static_cast<std::uint8_t>(protocol::CommandKind::field_list));
        out.nul_string(table);
        out.string(pattern);
    });
    protocol::ResultReader reader{protocol::ResultReader::Expect::columns, connection.capabilities()};
    std::vector<protocol::Buffer> definitions;
    try {
        co_await connection.channel().write(packet.view());
        while (!reader.finished()) {
            const auto frame = protocol::front_frame(connection.channel().input().view());
            const Part part = frame ? reader.on_frame(frame->header, frame->payload) : Part::incomplete;
            if (part == Part::incomplete) {
                co_await connection.channel().fill();
                continue;
            }
            if (part == Part::column) definitions.emplace_back(frame->payload);
            std::optional<protocol::SqlError> error;
            if (part == Part::err) error = reader.error().to_sql_error();
            connection.channel().input().consume(frame->header.frame_bytes());
            if (error) co_return std::move(*error);
            if (part == Part::violation) {
                connection.mark_broken();
                co_return protocol::node_protocol_violation(connection.node_name(),
                                                            "a column definition is malformed");
            }
        }
    } catch (const net::ConnectionLost&) {
        connection.mark_broken();
        co_return protocol::connection_lost(connection.node_name());
    }
    co_return definitions;
}

}  // namespace shardway::backend
