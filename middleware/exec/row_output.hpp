// Merged rows on their way to the client.
#pragma once

#include "middleware/exec/result_columns.hpp"
#include "middleware/exec/row_sink.hpp"
#include "middleware/net/task.hpp"
#include "middleware/plan/merge.hpp"

namespace shardway::exec {

// Cuts off hidden columns, skips the offset, stops at the limit, and hands rows on in batches, so that a
// small result is one call. All outlive it.
class RowOutput {
public:
    static constexpr std::size_t batch_bytes = 16 * 1024;

    RowOutput(RowSink& sink, const ResultColumns& columns, const plan::Merge& merge)
        : sink_{sink}, columns_{columns}, hidden_{merge.hidden}, to_skip_{merge.offset}, left_{merge.limit} {}

    // `payload` is a row as a part sent it, or, where `is_visible`, without hidden columns.
    void add(protocol::Bytes payload, bool is_visible = false);
    // No more rows are wanted.
    bool is_full() const { return left_ == 0; }
    bool wants_flush() const { return frames_.size() >= batch_bytes; }
    net::Task<void> flush();
    // Rows as they came, where nothing is hidden, skipped or counted.
    net::Task<void> pass(backend::AnswerStream::Rows rows);
    bool passes_all() const { return hidden_ == 0 && to_skip_ == 0 && !left_; }
    // Something has been shown to the client: there is no second try.
    bool has_begun() const { return begun_; }

private:
    net::Task<void> begin();

    RowSink& sink_;
    const ResultColumns& columns_;
    const std::uint32_t hidden_;
    std::uint64_t to_skip_;
    std::optional<std::uint64_t> left_;
    protocol::Buffer frames_;
    bool begun_ = false;
};

}  // namespace shardway::exec
