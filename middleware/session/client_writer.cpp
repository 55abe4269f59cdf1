#include "middleware/session/client_writer.hpp"

#include "middleware/protocol/frame.hpp"
#include "middleware/protocol/packet_writer.hpp"

namespace shardway::session {

using protocol::Bytes;
using protocol::Writer;

void ClientWriter::column_count(std::size_t count) {
    protocol::append_packet(out_, sequence_, [&](Writer& packet) { packet.lenenc(count); });
}

net::Task<void> ClientWriter::columns(backend::AnswerStream::Columns columns,
                                      std::span<const plan::NameMapping> names) {
    rows_written_ = 0;
    column_count(columns.count);
    Bytes frames = columns.frames;
    while (!frames.empty()) {
        const auto frame = protocol::front_frame(frames);
        frames = frames.subspan(frame->header.frame_bytes());
        auto column = names.empty() ? std::nullopt : protocol::decode_column(frame->payload);
        if (!column) {
            packet(frame->payload);
            continue;
        }
        for (const plan::NameMapping& name : names) {
            if (column->schema != name.physical_database) continue;
            column->schema = name.logical_database;
            // A derived table's columns say its database, but the derived table's own name.
            if (column->org_table != name.physical_table) break;
            // Without an alias a column says its table's physical name.
            if (column->table == name.physical_table) column->table = name.logical_table;
            column->org_table = name.logical_table;
            break;
        }
        protocol::append_packet(out_, sequence_,
                                [&](Writer& packet) { protocol::encode_column(packet, *column); });
    }
    if (!capabilities_.has(protocol::Capability::deprecate_eof)) result_end({0, status_});
    co_return;
}

void ClientWriter::columns(std::span<const protocol::ColumnDefinition> columns) {
    rows_written_ = 0;
    column_count(columns.size());
    for (const protocol::ColumnDefinition& column : columns)
        protocol::append_packet(out_, sequence_,
                                [&](Writer& packet) { protocol::encode_column(packet, column); });
    if (!capabilities_.has(protocol::Capability::deprecate_eof)) result_end({0, status_});
}

void ClientWriter::row(std::span<const protocol::Value> values) {
    ++rows_written_;
    protocol::append_packet(out_, sequence_,
                            [&](Writer& packet) { protocol::encode_text_row(packet, values); });
}

void ClientWriter::renumber(backend::AnswerStream::Rows rows) {
    std::size_t at = rows.headless;
    while (at < rows.frames.size()) {
        const auto frame = rows.frames.subspan(at);
        protocol::renumber_frame(frame, sequence_++);
        const protocol::FrameHeader header = protocol::frame_header(frame);
        if (!row_goes_on_) ++rows_written_;
        row_goes_on_ = header.continues();
        at += header.frame_bytes();
    }
}

net::Task<void> ClientWriter::rows(backend::AnswerStream::Rows rows) {
    renumber(rows);
    if (out_.size() + rows.frames.size() <= collected_bytes_max) {
        out_.append(Bytes{rows.frames});
        co_return;
    }
    co_await flush();
    co_await channel_.write(rows.frames);
}

net::Task<void> ClientWriter::more_results(const exec::Outcome& outcome) {
    const auto status = status_ | protocol::StatusFlag::more_results;
    const auto warnings = protocol::capped_warnings(outcome.warnings);
    if (outcome.has_rows) {
        result_end({warnings, status});
    } else {
        ok({outcome.affected_rows, outcome.last_insert_id, status, warnings, outcome.info});
    }
    if (out_.size() > collected_bytes_max) co_await flush();
}

void ClientWriter::packet(Bytes payload) { protocol::append_packet(out_, sequence_, payload); }

void ClientWriter::ok(const protocol::OkPacket& ok) {
    protocol::append_packet(out_, sequence_, [&](Writer& packet) { protocol::encode_ok(packet, ok); });
}

void ClientWriter::error(const protocol::SqlError& error) {
    protocol::append_packet(out_, sequence_, [&](Writer& packet) { protocol::encode_err(packet, error); });
}

void ClientWriter::early_error(const protocol::SqlError& error) {
    protocol::append_packet(out_, sequence_,
                            [&](Writer& packet) { protocol::encode_early_err(packet, error); });
}

void ClientWriter::result_end(const protocol::EofPacket& end) {
    protocol::append_packet(out_, sequence_,
                            [&](Writer& packet) { protocol::encode_result_end(packet, end, capabilities_); });
}

net::Task<void> ClientWriter::flush() {
    if (out_.empty()) co_return;
    co_await channel_.write(out_.view());
    out_.clear();
    out_.shrink(collected_bytes_max);
}

}  // namespace shardway::session
