// The rows of the parts that run one after the other on one connection.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "middleware/backend/answer.hpp"
#include "middleware/backend/connection_source.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/backend/train.hpp"
#include "middleware/exec/attendance.hpp"
#include "middleware/exec/result_columns.hpp"
#include "middleware/net/io_thread.hpp"
#include "middleware/net/task.hpp"
#include "middleware/plan/plan.hpp"

namespace shardway::exec {

// Pulled row by row, without a coroutine for each: step() takes what has arrived, and only when that is used
// up is there a wait. Reads nothing ahead, so a stream that loses in a merge holds its node back. Memory is
// the connection's buffer, and a row that does not fit in it, which counts in the statement's budget.
class PartStream {
public:
    enum class Step {
        row,         // row() is the next one
        wait,        // call wait()
        part_ended,  // go on with step() if there are more parts, see done()
        failed       // see error() and lost()
    };

    // All but `loan`, `parts` outlive the stream. `read_bytes_max` is read ahead of what is asked for.
    PartStream(const plan::Plan& plan, backend::Loan loan, std::vector<const plan::Part*> parts,
               backend::StatementContext& context, std::shared_ptr<const backend::SessionState> state,
               ResultColumns& columns, std::size_t read_bytes_max = net::Channel::read_bytes_max);
    ~PartStream();

    Step step();
    // The first wait sends the parts. Throws nothing.
    net::Task<void> wait();

    protocol::Bytes row() const { return row_; }  // until the next step()
    // What has arrived of the current part's rows, whole frames or not, instead of step(). Empty when there
    // is nothing: then step() says why.
    backend::AnswerStream::Rows take_piece();
    // The pieces taken so far end between two rows.
    bool between_rows() const { return frame_left_ == 0 && !row_goes_on_; }

    bool done() const { return ended_ == parts_.size(); }
    std::size_t parts_ended() const { return ended_; }
    std::size_t part_count() const { return parts_.size(); }
    const plan::Part& part() const { return *parts_[std::min(ended_, parts_.size() - 1)]; }
    std::uint32_t warnings() const { return warnings_; }
    protocol::StatusFlags status() const { return status_; }

    const std::optional<protocol::SqlError>& error() const { return error_; }
    // All parts have ended: lets go of the last answer, so that the connection can be asked something else.
    void let_go() { answer_.reset(); }
    // The connection broke by itself, and the error says so.
    bool lost() const { return lost_; }
    // What has not been read: either the node is told to stop and the connection is closed, or, where that
    // would end a transaction, it is read and dropped.
    void abort();
    net::Task<void> drain();

    backend::Connection& connection() { return *loan_.connection; }

private:
    net::Task<void> take_item();
    void fail(protocol::SqlError error) { error_ = std::move(error); }
    bool assemble(protocol::Bytes bytes);
    bool has_unread() const { return answer_ && !answer_->done(); }

    const plan::Plan& plan_;
    backend::Loan loan_;
    const std::vector<const plan::Part*> parts_;
    backend::StatementContext& context_;
    ResultColumns& columns_;
    const Attendance attendance_;
    backend::Train train_;  // before answer_, which reads it
    std::optional<backend::AnswerStream> answer_;

    std::span<std::uint8_t> piece_;  // frames that have arrived and are not taken
    std::size_t frame_left_ = 0;     // bytes to come of a frame that was cut
    bool frame_continues_ = false;   // that frame is a full one: the row goes on in the next
    bool row_goes_on_ = false;       // the last frame was a full one
    protocol::Bytes row_;
    protocol::Buffer assembled_;  // a row that came in several pieces
    bool assembled_is_row_ = false;
    std::size_t charged_ = 0;  // of the budget, for it

    bool part_end_pending_ = false;
    std::size_t ended_ = 0;
    std::uint32_t warnings_ = 0;
    protocol::StatusFlags status_;
    std::optional<protocol::SqlError> error_;
    bool lost_ = false;
};

}  // namespace shardway::exec
