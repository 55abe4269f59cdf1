#include "middleware/backend/answer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "middleware/protocol/frame.hpp"

namespace shardway::backend {

using protocol::ResultReader;
using Part = protocol::ResultReader::Part;

AnswerStream::AnswerStream(Train& train)
    : connection_{train.connection_},
      train_{train},
      reader_{ResultReader::Expect::query, train.connection_.capabilities(), train.answer_sequence_},
      prefix_left_{train.prefix_count_} {
    if (prefix_left_ == 0) prefix_statement_done();
}

AnswerStream::~AnswerStream() { connection_.channel().input().consume(handed_out_); }

net::ConnectionLost AnswerStream::violation(const char* what) {
    connection_.mark_broken();
    return {net::ConnectionLost::Reason::reset,
            fmt::format("{} broke the protocol: {}", connection_.node_name(), what)};
}

void AnswerStream::prefix_statement_done() {
    if (prefix_left_ > 0 && --prefix_left_ > 0) return;
    // All of the prefix is through: the connection has what the statement needs.
    if (train_.state_) connection_.state_ = train_.state_;
    if (!train_.database_.empty()) connection_.database_ = train_.database_;
}

void AnswerStream::answer_ended(protocol::StatusFlags status) {
    connection_.status_ = status;
    if (reader_.more_results()) return;
    done_ = true;
    --connection_.answers_owed_;
}

AnswerStream::Item AnswerStream::item_of(Part part) {
    switch (part) {
    case Part::ok: {
        const protocol::OkPacket& ok = reader_.ok();
        answer_ended(ok.status);
        return Ok{ok.affected_rows, ok.last_insert_id, ok.status, ok.warnings, ok.info};
    }
    case Part::result_end: {
        const protocol::EofPacket end = reader_.end();
        answer_ended(end.status);
        return End{end.status, end.warnings};
    }
    case Part::err:
        done_ = true;
        --connection_.answers_owed_;
        // How much of the state was brought over is not known.
        if (in_prefix()) connection_.mark_broken();
        return reader_.error().to_sql_error();
    // Nobody asked for a file of this host.
    case Part::local_infile: throw violation("it asked for a local file");
    default: throw violation("a packet that does not belong here");
    }
}

net::Task<AnswerStream::Item> AnswerStream::next() {
    for (;;) {
        if (auto item = poll()) co_return std::move(*item);
        co_await connection_.channel().fill();
    }
}

std::optional<AnswerStream::Item> AnswerStream::poll() {
    for (;;) {
        connection_.channel().input().consume(handed_out_);
        handed_out_ = 0;
        std::optional<Item> item = poll_item();
        if (!item || prefix_left_ == 0 || std::holds_alternative<protocol::SqlError>(*item)) return item;
        if (!std::holds_alternative<Ok>(*item)) throw violation("a prefix statement gave rows");
        prefix_statement_done();
        if (!done_) continue;
        // A prefix that went ahead of unparsed text is all there is; else the statement's own answer is
        // missing.
        if (prefix_left_ > 0 || !train_.prefix_goes_ahead_) throw violation("an answer is missing");
        return item;
    }
}

std::optional<AnswerStream::Item> AnswerStream::poll_item() {
    if (behind_rows_) {
        handed_out_ = behind_rows_bytes_;
        return item_of(*std::exchange(behind_rows_, std::nullopt));
    }
    if (reader_.inside_rows()) return poll_rows();
    if (reader_.inside_columns()) return poll_columns();
    const auto frame = protocol::front_frame(connection_.channel().input().view());
    const Part part = frame ? reader_.on_frame(frame->header, frame->payload) : Part::incomplete;
    if (part == Part::incomplete) return std::nullopt;
    if (part != Part::column_count) {
        handed_out_ = frame->header.frame_bytes();
        return item_of(part);
    }
    connection_.channel().input().consume(frame->header.frame_bytes());
    return poll_columns();
}

std::optional<AnswerStream::Item> AnswerStream::poll_columns() {
    const protocol::Bytes input = connection_.channel().input().view();
    while (!reader_.inside_rows()) {
        const auto frame = protocol::front_frame(input.subspan(columns_read_));
        const Part part = frame ? reader_.on_frame(frame->header, frame->payload) : Part::incomplete;
        if (part == Part::incomplete) return std::nullopt;
        if (part != Part::column && part != Part::columns_end)
            throw violation("a column definition is malformed");
        columns_read_ += frame->header.frame_bytes();
        if (part == Part::column) columns_bytes_ = columns_read_;
    }
    handed_out_ = std::exchange(columns_read_, 0);
    return Columns{static_cast<std::uint32_t>(reader_.column_count()),
                   input.first(std::exchange(columns_bytes_, 0))};
}

std::optional<AnswerStream::Item> AnswerStream::poll_rows() {
    // Frames above this are handed out in pieces, so that memory stays bounded whatever a row's size.
    constexpr std::size_t waited_for_max = 64 * 1024;
    protocol::Buffer& input = connection_.channel().input();
    if (input.empty()) return std::nullopt;
    const std::size_t headless = std::min(frame_left_, input.size());
    frame_left_ -= headless;
    std::size_t whole = headless;
    while (frame_left_ == 0) {
        const auto frame = protocol::front_frame(input.view().subspan(whole));
        const bool ready = frame && (frame->complete() || frame->header.payload_bytes > waited_for_max);
        const Part part = ready ? reader_.on_frame(frame->header, frame->payload) : Part::incomplete;
        if (part == Part::row || part == Part::row_continued) {
            whole += protocol::frame_header_bytes + frame->payload.size();
            frame_left_ = frame->header.payload_bytes - frame->payload.size();
            continue;
        }
        if (part == Part::incomplete) {
            if (whole > 0) break;
            return std::nullopt;
        }
        if (whole == 0) {
            handed_out_ = frame->header.frame_bytes();
            return item_of(part);
        }
        behind_rows_ = part;
        behind_rows_bytes_ = frame->header.frame_bytes();
        break;
    }
    handed_out_ = whole;
    return Rows{input.writable().first(whole), headless};
}

}  // namespace shardway::backend
