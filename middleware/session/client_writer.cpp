#include "middleware/session/client_writer.hpp"

#include "middleware/protocol/frame.hpp"
#include "middleware/protocol/packet_writer.hpp"

namespace shardway::session {

using protocol::Bytes;
using protocol::Writer;

void ClientWriter::column_count(std::size_t count) {
    protocol::append_packet(out_, sequence_, [&](Writer& packet) { packet.lenenc(count); });
}

net::Soon<void> ClientWriter::columns(backend::AnswerStream::Columns columns,
                                      std::span<const plan::NameMapping> names) {
    rows_written_ = 0;
    column_count(columns.count);
    const std::uint8_t first = sequence_;
    if (const Bytes shown = memo_.find(columns.frames, names, first); !shown.empty()) {
        out_.append(shown);
        sequence_ = static_cast<std::uint8_t>(first + columns.count);
    } else {
        const std::size_t before = out_.size();
        encode(columns.frames, names);
        memo_.keep(columns.frames, names, first, out_.view().subspan(before));
    }
    if (!capabilities_.has(protocol::Capability::deprecate_eof)) result_end({0, status_});
    return {};
}

// What the node said of its columns, in the client's terms.
void ClientWriter::encode(Bytes frames, std::span<const plan::NameMapping> names) {
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
    frame_left_ -= rows.headless;
    std::size_t at = rows.headless;
    while (at < rows.frames.size()) {
        const auto frame = rows.frames.subspan(at);
        protocol::renumber_frame(frame, sequence_++);
        const protocol::FrameHeader header = protocol::frame_header(frame);
        if (!row_goes_on_) ++rows_written_;
        row_goes_on_ = header.continues();
        at += header.frame_bytes();
    }
    frame_left_ += at - rows.frames.size();
}

net::Soon<void> ClientWriter::rows(backend::AnswerStream::Rows rows) {
    renumber(rows);
    if (out_.size() + rows.frames.size() > collected_bytes_max) return send(rows.frames);
    out_.append(Bytes{rows.frames});
    return {};
}

net::Task<void> ClientWriter::send(Bytes rows) {
    co_await flush();
    co_await channel_.write(rows);
}

net::Soon<void> ClientWriter::more_results(const exec::Outcome& outcome) {
    const auto status = status_ | protocol::StatusFlag::more_results;
    const auto warnings = protocol::capped_warnings(outcome.warnings);
    if (outcome.has_rows) {
        result_end({warnings, status});
    } else {
        ok({outcome.affected_rows, outcome.last_insert_id, status, warnings, outcome.info});
    }
    if (out_.size() > collected_bytes_max) return flush();
    return {};
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

net::Soon<void> ClientWriter::flush() {
    if (out_.empty()) return {};
    net::Soon<void> written = channel_.write(out_.view());
    if (!written.await_ready()) return flush_slowly(std::move(written));
    flushed();
    return {};
}

net::Task<void> ClientWriter::flush_slowly(net::Soon<void> written) {
    co_await written;
    flushed();
}

void ClientWriter::flushed() {
    out_.clear();
    out_.shrink(collected_bytes_max);
}

}  // namespace shardway::session
