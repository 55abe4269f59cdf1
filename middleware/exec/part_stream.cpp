#include "middleware/exec/part_stream.hpp"

#include "middleware/exec/logical.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/protocol/frame.hpp"

namespace shardway::exec {

using backend::AnswerStream;
using protocol::FrameHeader;

PartStream::PartStream(const plan::Plan& plan, backend::Loan loan, std::vector<const plan::Part*> parts,
                       backend::StatementContext& context, std::shared_ptr<const backend::SessionState> state,
                       ResultColumns& columns, std::size_t read_bytes_max)
    : plan_{plan},
      loan_{std::move(loan)},
      parts_{std::move(parts)},
      context_{context},
      columns_{columns},
      attendance_{*loan_.connection, context},
      train_{*loan_.connection, std::move(state), parts_.front()->default_database} {
    connection().channel().set_read_bytes_max(read_bytes_max);
    for (const std::string& statement : loan_.before) train_.before(statement);
    for (const plan::Part* part : parts_) train_.carry(part->text);
}

PartStream::~PartStream() {
    context_.budget.give(charged_);
    connection().channel().set_read_bytes_max(net::Channel::read_bytes_max);
}

PartStream::Step PartStream::step() {
    if (error_) return Step::failed;
    if (assembled_is_row_) {
        assembled_is_row_ = false;
        assembled_.clear();
        assembled_.shrink(net::Channel::kept_bytes_max);
        context_.budget.give(std::exchange(charged_, 0));
    }
    while (!piece_.empty()) {
        if (frame_left_ == 0) {
            const FrameHeader header = protocol::frame_header(piece_);
            piece_ = piece_.subspan(protocol::frame_header_bytes);
            if (!row_goes_on_ && !header.continues() && header.payload_bytes <= piece_.size()) {
                row_ = piece_.first(header.payload_bytes);
                piece_ = piece_.subspan(header.payload_bytes);
                return Step::row;
            }
            frame_left_ = header.payload_bytes;
            frame_continues_ = header.continues();
        }
        const std::size_t taken = std::min(frame_left_, piece_.size());
        if (!assemble(piece_.first(taken))) return Step::failed;
        piece_ = piece_.subspan(taken);
        frame_left_ -= taken;
        if (frame_left_ > 0) break;
        row_goes_on_ = frame_continues_;
        if (row_goes_on_) continue;
        row_ = assembled_.view();
        assembled_is_row_ = true;
        return Step::row;
    }
    if (!part_end_pending_) return Step::wait;
    part_end_pending_ = false;
    ++ended_;
    return Step::part_ended;
}

bool PartStream::assemble(protocol::Bytes bytes) {
    const auto verdict = context_.budget.take(bytes.size());
    if (verdict != base::StatementBudget::Verdict::granted) {
        fail(budget_error(verdict, context_));
        return false;
    }
    charged_ += bytes.size();
    assembled_.append(bytes);
    return true;
}

AnswerStream::Rows PartStream::take_piece() {
    const AnswerStream::Rows piece{piece_, std::min(frame_left_, piece_.size())};
    frame_left_ -= piece.headless;
    for (std::size_t at = piece.headless; at < piece_.size();) {
        const FrameHeader header = protocol::frame_header(piece_.subspan(at));
        const std::size_t there = piece_.size() - at;
        row_goes_on_ = header.continues();
        frame_left_ = header.frame_bytes() > there ? header.frame_bytes() - there : 0;
        at += std::min(header.frame_bytes(), there);
    }
    piece_ = {};
    return piece;
}

net::Task<void> PartStream::wait() {
    std::optional<net::ConnectionLost> loss;
    try {
        if (!answer_) {
            auto departed = co_await train_.depart();
            if (departed.has_error()) {
                fail(logical_error(std::move(departed).error(), part()));
                co_return;
            }
            answer_.emplace(train_);
        }
        co_await take_item();
    } catch (const net::ConnectionLost& caught) {
        loss.emplace(caught);
    }
    if (!loss) co_return;
    lost_ = loss->reason != net::ConnectionLost::Reason::timed_out && !context_.cancellation.why();
    fail(loss_error(plan_, context_, connection(), train_.left(), *loss));
    give_up(connection(), *loss);
}

net::Task<void> PartStream::take_item() {
    auto item = co_await answer_->next();
    if (auto* error = std::get_if<protocol::SqlError>(&item)) {
        fail(logical_error(std::move(*error), part()));
    } else if (const auto* columns = std::get_if<AnswerStream::Columns>(&item)) {
        if (auto differ = columns_.take(*columns, part(), connection().node_name())) fail(std::move(*differ));
    } else if (const auto* rows = std::get_if<AnswerStream::Rows>(&item)) {
        piece_ = rows->frames;
    } else if (const auto* end = std::get_if<AnswerStream::End>(&item)) {
        warnings_ += end->warnings;
        status_ = status_ | end->status;
        part_end_pending_ = true;
    } else {
        connection().mark_broken();
        fail(protocol::node_protocol_violation(connection().node_name(), "rows are missing"));
    }
}

void PartStream::abort() {
    // Before the parts have left there is nothing to stop.
    if (has_unread() || (!answer_ && train_.left())) connection().abort();
}

net::Task<void> PartStream::drain() {
    try {
        while (has_unread()) co_await answer_->next();
    } catch (const net::ConnectionLost&) {
        connection().mark_broken();
    }
}

}  // namespace shardway::exec
