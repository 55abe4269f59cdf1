#include "middleware/exec/row_output.hpp"

#include "middleware/protocol/packet_writer.hpp"
#include "middleware/protocol/text_row.hpp"

namespace shardway::exec {

namespace {

protocol::Bytes first_values(protocol::Bytes row, std::uint32_t count) {
    protocol::Reader in{row};
    for (std::uint32_t i = 0; i < count; ++i) in.value();
    return row.first(row.size() - in.rest().size());
}

}  // namespace

void RowOutput::add(protocol::Bytes payload, bool is_visible) {
    if (is_full()) return;
    if (to_skip_ > 0) {
        --to_skip_;
        return;
    }
    if (left_) --*left_;
    if (hidden_ > 0 && !is_visible) payload = first_values(payload, columns_.visible());
    std::uint8_t sequence = 0;  // the sink numbers them
    protocol::append_packet(frames_, sequence, payload);
}

net::Task<void> RowOutput::begin() {
    if (begun_) co_return;
    begun_ = true;
    co_await sink_.columns(columns_.visible_columns(), columns_.names());
}

net::Task<void> RowOutput::flush() {
    co_await begin();
    if (frames_.empty()) co_return;
    backend::AnswerStream::Rows rows{frames_.writable(), 0};
    co_await sink_.rows(rows);
    frames_.clear();
    frames_.shrink(2 * batch_bytes);
}

net::Task<void> RowOutput::pass(backend::AnswerStream::Rows rows) {
    co_await begin();
    co_await sink_.rows(rows);
}

}  // namespace shardway::exec
