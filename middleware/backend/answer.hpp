// A node's answer as it arrives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "middleware/backend/connection.hpp"
#include "middleware/backend/train.hpp"
#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/result_reader.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/protocol/status.hpp"

namespace shardway::backend {

// Reads the answers to a train, in pieces as large as what has arrived: rows are handed out as the frames
// they came in, so that they can be forwarded without being looked at. Views live until the next call of
// next(). The source does not read ahead: what is not taken stays in the socket, and the node waits
// (invariant 5).
class AnswerStream {
public:
    struct Ok {
        std::uint64_t affected_rows, last_insert_id;
        protocol::StatusFlags status;
        std::uint16_t warnings;
        std::string_view info;
    };
    struct Columns {
        std::uint32_t count;
        protocol::Bytes frames;  // `count` packets with their headers
    };
    // Frames with their headers, as they arrived. A frame that is too large to wait for comes in several
    // pieces: then the first `headless` bytes go on with the frame that the last piece began, and the last
    // frame may be cut.
    struct Rows {
        std::span<std::uint8_t> frames;
        std::size_t headless;
    };
    struct End {  // of a result set
        protocol::StatusFlags status;
        std::uint16_t warnings;
    };
    using Item = std::variant<Ok, protocol::SqlError, Columns, Rows, End>;

    // The train has departed; both outlive the stream.
    explicit AnswerStream(Train& train);
    ~AnswerStream();  // consumes what the last item views; the connection's next answer begins behind it
    AnswerStream(const AnswerStream&) = delete;
    AnswerStream& operator=(const AnswerStream&) = delete;

    // The next piece of the client's answers; those of the prefix are read over. A SqlError while in_prefix()
    // is that of a prefix statement: the carried statement has not run. After an error, or when done(), there
    // is no more. Throws net::ConnectionLost.
    net::Task<Item> next();
    // The same without waiting: nothing when more of the answer must arrive first, by channel().fill().
    std::optional<Item> poll();
    bool in_prefix() const { return prefix_left_ > 0; }
    bool done() const { return done_; }

private:
    std::optional<Item> poll_item();
    std::optional<Item> poll_columns();
    std::optional<Item> poll_rows();
    Item item_of(protocol::ResultReader::Part part);
    void prefix_statement_done();
    void answer_ended(protocol::StatusFlags status);
    net::ConnectionLost violation(const char* what);  // to be thrown

    Connection& connection_;
    Train& train_;
    protocol::ResultReader reader_;
    std::uint32_t prefix_left_;
    bool done_ = false;
    std::size_t handed_out_ = 0;  // bytes at the front of the input that the last item views
    std::size_t frame_left_ = 0;  // bytes to come of a frame that was handed out before it was whole
    // Column definitions at the front of the input that the reader knows; with the EOF behind them.
    std::size_t columns_bytes_ = 0, columns_read_ = 0;
    // What stands behind the rows that were handed out, already known to the reader, with its size.
    std::optional<protocol::ResultReader::Part> behind_rows_;
    std::size_t behind_rows_bytes_ = 0;
};

}  // namespace shardway::backend
