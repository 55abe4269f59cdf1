// What a client reads: answers as packets, rows passed on as they came.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "middleware/exec/row_sink.hpp"
#include "middleware/net/channel.hpp"
#include "middleware/protocol/answer.hpp"
#include "middleware/protocol/capability.hpp"
#include "middleware/protocol/column.hpp"
#include "middleware/protocol/text_row.hpp"
#include "middleware/session/column_memo.hpp"

namespace shardway::session {

// One per session; the memo is its thread's. Packets collect in a buffer that leaves when it is full or the
// command is answered, so that a small result is one write. Its channel outlives it. Every call that writes
// may throw net::ConnectionLost.
class ClientWriter final : public exec::RowSink {
public:
    static constexpr std::size_t collected_bytes_max = 16 * 1024;

    ClientWriter(net::Channel& channel, ColumnMemo& memo) : channel_{channel}, memo_{memo} {}

    void set_capabilities(protocol::Capabilities capabilities) { capabilities_ = capabilities; }
    // The first packet of the answer to come has this number.
    void begin(std::uint8_t sequence) { sequence_ = sequence; }
    std::uint8_t next_sequence() const { return sequence_; }
    // What the session's status flags are, for ends of results written in between.
    void set_status(protocol::StatusFlags status) { status_ = status; }

    net::Soon<void> columns(backend::AnswerStream::Columns columns,
                            std::span<const plan::NameMapping> names) override;
    net::Soon<void> rows(backend::AnswerStream::Rows rows) override;
    net::Soon<void> more_results(const exec::Outcome& outcome) override;

    // Results of our own.
    void columns(std::span<const protocol::ColumnDefinition> columns);
    void row(std::span<const protocol::Value> values);

    void packet(protocol::Bytes payload);
    void ok(const protocol::OkPacket& ok);
    void error(const protocol::SqlError& error);
    void early_error(const protocol::SqlError& error);
    // Ends a result set: EOF, or OK where the client takes that.
    void result_end(const protocol::EofPacket& end);

    net::Soon<void> flush();

    // A row has begun whose rest has not come: whatever followed would be read as that.
    bool inside_row() const { return frame_left_ > 0 || row_goes_on_; }
    // Of the last result set.
    std::uint64_t rows_written() const { return rows_written_; }

private:
    net::Task<void> send(protocol::Bytes rows);
    net::Task<void> flush_slowly(net::Soon<void> written);
    void flushed();
    void encode(protocol::Bytes frames, std::span<const plan::NameMapping> names);
    void renumber(backend::AnswerStream::Rows rows);
    void column_count(std::size_t count);

    net::Channel& channel_;
    ColumnMemo& memo_;
    protocol::Capabilities capabilities_;
    protocol::StatusFlags status_;
    protocol::Buffer out_;
    std::uint64_t rows_written_ = 0;
    std::size_t frame_left_ = 0;  // bytes of the last frame that are still to come
    bool row_goes_on_ = false;    // the last frame was a full one: the next belongs to the same row
    std::uint8_t sequence_ = 0;
};

}  // namespace shardway::session
