#include "middleware/exec/scatter_read.hpp"

#include <algorithm>
#include <charconv>

#include "middleware/exec/attendance.hpp"
#include "middleware/exec/warnings.hpp"
#include "middleware/net/parallel.hpp"
#include "middleware/protocol/errors.hpp"

namespace shardway::exec {

using plan::Merge;
using plan::Part;
using protocol::Result;
using protocol::SqlError;
using Step = PartStream::Step;

namespace {

// What servers take where max_sort_length was not set.
constexpr std::size_t max_sort_length_default = 1024;
// What each of many streams reads at once.
constexpr std::size_t window_bytes = 16 * 1024;
// A stream that loses in a merge for long must not lose its connection; the server's default is a minute.
constexpr std::string_view stream_write_timeout = "86400";

std::size_t sort_bytes_of(const backend::SessionState& state) {
    std::size_t bytes = max_sort_length_default;
    if (const std::string* set = state.find("max_sort_length"))
        std::from_chars(set->data(), set->data() + set->size(), bytes);
    return bytes;
}

// Rows that may be needed of each part.
std::uint64_t rows_needed(const Merge& merge) {
    if (!merge.limit || *merge.limit > UINT64_MAX - merge.offset) return UINT64_MAX;
    return *merge.limit + merge.offset;
}

}  // namespace

// One stream at a time hands rows on, in the order of asking.
class ScatterRead::TurnOrder {
public:
    explicit TurnOrder(net::IoThread& thread) : thread_{thread} {}

    net::Task<void> take() {
        if (!taken_) {
            taken_ = true;
            co_return;
        }
        net::Event mine{thread_};
        waiting_.push_back(&mine);
        co_await mine.wait(base::SteadyTime::max());
    }
    void give() {
        taken_ = !waiting_.empty();
        if (!taken_) return;
        net::Event* next = waiting_.front();
        waiting_.pop_front();
        next->set();
    }

private:
    net::IoThread& thread_;
    std::deque<net::Event*> waiting_;
    bool taken_ = false;
};

// A stream's turn; given back however its owner is left.
class ScatterRead::Turn {
public:
    explicit Turn(TurnOrder& order) : order_{order} {}
    ~Turn() { release(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    net::Task<void> take() {
        if (holds_) co_return;
        co_await order_.take();
        holds_ = true;
    }
    void release() {
        if (std::exchange(holds_, false)) order_.give();
    }

private:
    TurnOrder& order_;
    bool holds_ = false;
};

ScatterRead::ScatterRead(const plan::Routed& routed, backend::ConnectionSource& source,
                         backend::StatementContext& context,
                         std::shared_ptr<const backend::SessionState> state, RowSink& sink)
    : routed_{routed},
      merge_{*routed.merge},
      source_{source},
      context_{context},
      state_{std::move(state)},
      sort_bytes_max_{sort_bytes_of(*state_)},
      columns_{merge_.hidden},
      output_{sink, columns_, merge_} {}

ScatterRead::~ScatterRead() { context_.budget.give(held_bytes_); }

std::size_t ScatterRead::streams_wanted(std::size_t parts) const {
    const bool streams_side_by_side =
        merge_.kind == Merge::Kind::ordered && rows_needed(merge_) > held_rows_max;
    return streams_side_by_side ? std::min(parts, source_.connections_per_node_max()) : 1;
}

net::Task<Result<void>> ScatterRead::borrow_streams() {
    std::vector<backend::NodeIndex> nodes;
    std::vector<std::vector<const Part*>> parts;
    const std::vector<Part>& all = routed_.parts;  // in rising order of node
    bool several = false;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        while (end < all.size() && all[end].node == all[begin].node) ++end;
        const std::size_t count = streams_wanted(end - begin);
        several = several || count > 1;
        for (std::size_t i = 0; i < count; ++i) {
            nodes.push_back(all[begin].node.value);
            std::vector<const Part*>& of_stream = parts.emplace_back();
            for (std::size_t at = begin + (end - begin) * i / count;
                 at < begin + (end - begin) * (i + 1) / count; ++at)
                of_stream.push_back(&all[at]);
        }
    }
    if (several) state_ = state_->with("net_write_timeout", std::string{stream_write_timeout});
    auto loans = co_await source_.borrow(std::move(nodes), state_, context_.deadline);
    if (loans.has_error()) co_return std::move(loans).error();
    for (std::size_t i = 0; i < parts.size(); ++i)
        streams_.push_back(std::make_unique<PartStream>(
            *routed_.plan, std::move(loans.value()[i]), std::move(parts[i]), context_, state_, columns_,
            several ? window_bytes : net::Channel::read_bytes_max));
    held_.resize(streams_.size());
    for (const auto& stream : streams_) live_.push_back({stream.get()});
    turns_ = std::make_unique<TurnOrder>(streams_.front()->connection().channel().thread());
    co_return Result<void>{};
}

net::Task<Result<Outcome>> ScatterRead::run() {
    auto borrowed = co_await borrow_streams();
    if (borrowed.has_error()) co_return std::move(borrowed).error();
    std::exception_ptr client_gone;
    try {
        if (merge_.kind == Merge::Kind::concatenate) co_await run_all(&ScatterRead::concatenate);
        if (merge_.kind == Merge::Kind::aggregate) {
            co_await run_all(&ScatterRead::fold);
            if (!error_) co_await emit_groups();
        }
        if (merge_.kind == Merge::Kind::ordered) {
            co_await run_all(&ScatterRead::hold);
            if (!error_) co_await merge();
        }
        if (!error_) co_await output_.flush();
    } catch (const net::ConnectionLost&) {
        client_gone = std::current_exception();
    }
    if (client_gone) {
        for (const auto& stream : streams_) stream->abort();
        std::rethrow_exception(client_gone);
    }
    co_await finish_streams();
    if (error_) co_return std::move(*error_);
    Outcome outcome;
    outcome.has_rows = true;
    for (const auto& stream : streams_) {
        outcome.warnings += stream->warnings();
        outcome.status = outcome.status | stream->status();
    }
    if (outcome.warnings > 0) co_await collect_all_warnings();
    co_return outcome;
}

net::Task<void> ScatterRead::run_all(net::Task<void> (ScatterRead::*work)(std::size_t)) {
    std::vector<net::Task<void>> running;
    for (std::size_t i = 0; i < streams_.size(); ++i) running.push_back((this->*work)(i));
    co_await net::in_parallel(streams_.front()->connection().channel().thread(), std::move(running));
}

void ScatterRead::fail(SqlError error) {
    if (error_) return;
    error_ = std::move(error);
    stop_others();
}

// Streams that were stopped break, which is no news.
void ScatterRead::fail(const PartStream& stream) {
    if (stopped_) return;
    lost_ = stream.lost();
    fail(*stream.error());
}

// What the nodes still have to say is of no use. Where they are in a transaction they are heard to the end.
void ScatterRead::stop_others() {
    stopped_ = true;
    if (!source_.may_retry_reads()) return;
    for (const auto& stream : streams_) stream->abort();
}

bool ScatterRead::rest_is_short() const { return rows_needed(merge_) <= held_rows_max; }

net::Task<void> ScatterRead::finish_streams() {
    for (const auto& stream : streams_) {
        if (!source_.may_retry_reads() || (!error_ && rest_is_short())) {
            co_await stream->drain();
        } else {
            stream->abort();
        }
    }
}

net::Task<void> ScatterRead::collect_all_warnings() {
    for (const auto& stream : streams_) {
        if (stream->warnings() == 0) continue;
        // SHOW WARNINGS knows a connection's last statement only.
        if (stream->part_count() == 1 && stream->done()) {
            stream->let_go();
            co_await collect_warnings(stream->connection(), stream->part(), stream->warnings(),
                                      context_.diagnostics);
        } else {
            context_.diagnostics.add_count(stream->warnings());
        }
    }
}

net::Task<void> ScatterRead::concatenate(std::size_t index) {
    PartStream& stream = *streams_[index];
    Turn turn{*turns_};
    if (output_.passes_all()) {
        co_await pass_rows(stream, turn);
    } else {
        co_await add_rows(stream, turn);
    }
    if (stream.error()) fail(stream);
}

net::Task<void> ScatterRead::pass_rows(PartStream& stream, Turn& turn) {
    while (!stopped_) {
        const auto piece = stream.take_piece();
        if (piece.frames.empty()) {
            const Step step = stream.step();
            if (step == Step::failed || stream.done()) co_return;
            if (step == Step::wait) co_await stream.wait();
            continue;
        }
        co_await turn.take();
        if (stopped_) co_return;
        co_await output_.pass(piece);
        if (stream.between_rows()) turn.release();
    }
}

net::Task<void> ScatterRead::add_rows(PartStream& stream, Turn& turn) {
    while (!stopped_) {
        switch (stream.step()) {
        case Step::failed: co_return;
        case Step::wait: co_await stream.wait(); break;
        case Step::part_ended:
            if (stream.done()) co_return;
            break;
        case Step::row:
            output_.add(stream.row());
            if (output_.wants_flush()) {
                co_await turn.take();
                if (stopped_) co_return;
                co_await output_.flush();
                turn.release();
            }
            if (output_.is_full() && !rest_is_short()) stop_others();
        }
    }
}

net::Task<void> ScatterRead::fold(std::size_t index) {
    PartStream& stream = *streams_[index];
    while (!stopped_) {
        switch (stream.step()) {
        case Step::failed: fail(stream); co_return;
        case Step::wait: co_await stream.wait(); break;
        case Step::part_ended:
            if (stream.done()) co_return;
            break;
        case Step::row:
            if (!fold_) {
                auto made = Fold::make(merge_, columns_.shapes(), sort_bytes_max_, context_);
                if (made.has_error()) {
                    fail(std::move(made).error());
                    co_return;
                }
                fold_ = std::move(made).value();
            }
            if (auto failed = fold_->add(stream.row())) {
                fail(std::move(*failed));
                co_return;
            }
        }
    }
}

net::Task<void> ScatterRead::emit_groups() {
    if (!fold_) co_return;
    if (auto failed = fold_->finish()) {
        fail(std::move(*failed));
        co_return;
    }
    for (std::size_t i = 0; i < fold_->size() && !output_.is_full(); ++i) {
        output_.add(fold_->row(i), true);
        if (output_.wants_flush()) co_await output_.flush();
    }
}

bool ScatterRead::read_key(PartStream& stream, std::string& key) {
    if (!order_of_) {
        auto made = KeyEncoder::make(merge_.order, columns_.shapes(), merge_.hidden, KeyEncoder::Use::order,
                                     sort_bytes_max_);
        if (made.has_error()) {
            fail(std::move(made).error());
            return false;
        }
        order_of_ = std::move(made).value();
        scratch_.resize(columns_.shapes().size());
    }
    key.clear();
    if (!protocol::decode_text_row(stream.row(), scratch_) || !order_of_->append(scratch_, key)) {
        fail(protocol::node_protocol_violation(stream.connection().node_name(), "a row is malformed"));
        return false;
    }
    return true;
}

bool ScatterRead::keeps_order(const PartStream& stream, const std::string& before, const std::string& key) {
    if (before <= key) return true;
    const Part& part = stream.part();
    fail(protocol::merge_order_violated(part.shard ? std::to_string(part.shard->value) : "?"));
    return false;
}

// Reads all parts of a connection but the last, and the first row of that.
net::Task<void> ScatterRead::hold(std::size_t index) {
    PartStream& stream = *streams_[index];
    std::vector<HeldRow>& held = held_[index];
    while (!stopped_) {
        if (stream.parts_ended() + 1 == stream.part_count()) break;
        const std::size_t sorted_until = held.size();
        std::string before, key;
        Step step = Step::wait;
        while (!stopped_ && step != Step::part_ended) {
            step = stream.step();
            if (step == Step::wait) {
                co_await stream.wait();
            } else if (step == Step::failed) {
                fail(stream);
            } else if (step == Step::row) {
                if (!read_key(stream, key) || !keeps_order(stream, before, key)) co_return;
                before = key;
                if (!keep_row(held, sorted_until, key, stream.row())) co_return;
            }
        }
        merge_held(held, sorted_until);
    }
    if (!stopped_) co_await advance(live_[index]);
}

bool ScatterRead::keep_row(std::vector<HeldRow>& held, std::size_t sorted_until, const std::string& key,
                           protocol::Bytes row) {
    // As many better ones are there already.
    const std::uint64_t needed = rows_needed(merge_);
    if (sorted_until >= needed && (needed == 0 || held[needed - 1].key <= key)) return true;
    if (held.size() - sorted_until >= needed) return true;
    const std::size_t bytes = sizeof(HeldRow) + key.size() + row.size();
    const auto verdict = context_.budget.take(bytes);
    if (verdict != base::StatementBudget::Verdict::granted) {
        fail(budget_error(verdict, context_));
        return false;
    }
    held_bytes_ += bytes;
    held.push_back({key, std::string{protocol::text_of(row)}});
    return true;
}

void ScatterRead::merge_held(std::vector<HeldRow>& held, std::size_t sorted_until) {
    const auto middle = held.begin() + static_cast<std::ptrdiff_t>(sorted_until);
    std::inplace_merge(held.begin(), middle, held.end(),
                       [](const HeldRow& a, const HeldRow& b) { return a.key < b.key; });
    std::size_t given = 0;
    for (; held.size() > rows_needed(merge_); held.pop_back())
        given += sizeof(HeldRow) + held.back().key.size() + held.back().payload.size();
    held_bytes_ -= given;
    context_.budget.give(given);
}

// To a live source's next row, or its end.
net::Task<void> ScatterRead::advance(LiveSource& source) {
    PartStream& stream = *source.stream;
    source.has_row = false;
    while (!stopped_) {
        switch (stream.step()) {
        case Step::failed: fail(stream); co_return;
        case Step::wait: co_await stream.wait(); break;
        case Step::part_ended: co_return;  // it was the last
        case Step::row: take_row(source); co_return;
        }
    }
}

void ScatterRead::take_row(LiveSource& source) {
    source.key.swap(source.before);
    source.has_row =
        read_key(*source.stream, source.key) && keeps_order(*source.stream, source.before, source.key);
}

net::Task<void> ScatterRead::merge() {
    // Of equal rows those of earlier parts come first.
    struct Source {
        const std::string* key;
        std::size_t index;  // of the stream
        bool is_live;
        std::size_t next;  // of held rows
    };
    const auto later = [](const Source& a, const Source& b) {
        const int compared = a.key->compare(*b.key);
        if (compared != 0) return compared > 0;
        return a.index != b.index ? a.index > b.index : a.is_live && !b.is_live;
    };
    std::vector<Source> heap;  // the first is next
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        if (!held_[i].empty()) heap.push_back({&held_[i].front().key, i, false, 0});
        if (live_[i].has_row) heap.push_back({&live_[i].key, i, true, 0});
    }
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty() && !output_.is_full() && !stopped_) {
        std::pop_heap(heap.begin(), heap.end(), later);
        Source& first = heap.back();
        LiveSource& live = live_[first.index];
        output_.add(first.is_live ? live.stream->row()
                                  : protocol::bytes_of(held_[first.index][first.next].payload));
        if (output_.wants_flush()) co_await output_.flush();
        bool goes_on = false;
        if (!first.is_live) {
            goes_on = ++first.next < held_[first.index].size();
            if (goes_on) first.key = &held_[first.index][first.next].key;
        } else {
            // Most rows are there: no coroutine for those.
            const Step step = live.stream->step();
            if (step == Step::row) {
                take_row(live);
            } else if (step == Step::wait) {
                co_await live.stream->wait();
                co_await advance(live);
            } else {
                live.has_row = false;
                if (step == Step::failed) fail(*live.stream);
            }
            goes_on = live.has_row;
        }
        if (goes_on) {
            std::push_heap(heap.begin(), heap.end(), later);
        } else {
            heap.pop_back();
        }
    }
}

}  // namespace shardway::exec
