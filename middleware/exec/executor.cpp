#include "middleware/exec/executor.hpp"

#include <fmt/format.h>

#include "middleware/backend/answer.hpp"
#include "middleware/backend/fetch.hpp"
#include "middleware/backend/simple_statement.hpp"
#include "middleware/backend/train.hpp"
#include "middleware/exec/attendance.hpp"
#include "middleware/exec/logical.hpp"
#include "middleware/exec/pinned_state.hpp"
#include "middleware/exec/scatter_read.hpp"
#include "middleware/exec/warnings.hpp"
#include "middleware/net/parallel.hpp"
#include "middleware/protocol/errors.hpp"
#include "schema/base/failpoint.hpp"

namespace shardway::exec {

using backend::AnswerStream;
using backend::Connection;
using backend::Train;
using plan::Part;
using plan::Plan;
using protocol::Result;
using protocol::SqlError;

namespace {

// Set around the parts of a statement inside a transaction, so that a failed one leaves nothing behind.
constexpr std::string_view statement_savepoint = "shardway_statement";
constexpr std::string_view show_warnings = "SHOW WARNINGS";

Outcome outcome_of(const AnswerStream::Ok& ok) {
    Outcome outcome;
    outcome.affected_rows = ok.affected_rows;
    outcome.last_insert_id = ok.last_insert_id;
    outcome.warnings = ok.warnings;
    outcome.status = ok.status;
    outcome.info = std::string{ok.info};
    return outcome;
}

Outcome outcome_of(const AnswerStream::End& end) {
    Outcome outcome;
    outcome.has_rows = true;
    outcome.warnings = end.warnings;
    outcome.status = end.status;
    return outcome;
}

// Servers say "Records: …" of several rows only. A part with one of the client's several rows says it too, so
// that the sum speaks of all. A row that was there already is written twice or not at all.
std::string info_of_one_row(const Plan& plan, const Part& part, const Outcome& outcome) {
    const bool inserts =
        plan.kind == plan::StatementKind::insert || plan.kind == plan::StatementKind::replace;
    if (!inserts || part.rows.size() != 1) return {};
    return fmt::format("Records: 1  Duplicates: {}  Warnings: {}", outcome.affected_rows == 1 ? 0 : 1,
                       outcome.warnings);
}

}  // namespace

net::Task<Result<Outcome>> Executor::run(const plan::Routed& routed, RowSink& sink) {
    if (routed.parts.size() == 1) return run_one_place(*routed.plan, routed.parts.front(), sink);
    if (routed.strategy == plan::Strategy::scatter_read) return run_scatter(routed, sink);
    return run_writes(routed);
}

net::Task<Result<Outcome>> Executor::run_scatter(const plan::Routed& routed, RowSink& sink) {
    const auto state = pinned_state(state_, *routed.plan, context_);
    for (bool first_try = true;; first_try = false) {
        if (!first_try) source_.drop_broken();
        ScatterRead read{routed, source_, context_, state, sink};
        auto outcome = co_await read.run();
        const bool retry = outcome.has_error() && first_try && read.may_be_repeated() &&
                           source_.may_retry_reads() && !routed.plan->locking_read;
        if (!retry) co_return outcome;
    }
}

net::Task<Result<Outcome>> Executor::run_one_place(const Plan& plan, const Part& part, RowSink& sink) {
    // A pooled connection may have died while it was idle. A read of which no row was passed on is then sent
    // once more, on a new connection; a write whose bytes have left never is (invariant 11).
    for (bool first_try = true;; first_try = false) {
        if (!first_try) source_.drop_broken();
        std::vector<std::string> before;
        Connection* borrowed = source_.try_borrow(part.node.value, state_.get());
        if (borrowed == nullptr) {
            std::vector<backend::NodeIndex> nodes{part.node.value};
            auto loans = co_await source_.borrow(std::move(nodes), state_, context_.deadline);
            if (loans.has_error()) co_return std::move(loans).error();
            borrowed = loans.value().front().connection;
            before = std::move(loans.value().front().before);
        }
        Connection& connection = *borrowed;
        const Attendance attendance{connection, context_};
        Train train{connection, state_, part.default_database};
        for (const std::string& statement : before) train.before(statement);
        if (plan.unparsed) {
            train.carry_unparsed(part.text);
        } else {
            train.carry(part.text);
        }

        bool passed_on = false;
        std::optional<SqlError> failure;
        std::optional<Outcome> outcome;
        std::optional<net::ConnectionLost> lost;
        bool at_sink = false;  // what is lost then is the client, not the node
        try {
            auto departed = co_await train.depart();
            if (departed.has_error()) co_return logical_error(std::move(departed).error(), part);
            AnswerStream answer{train};
            while (!answer.done()) {
                auto item = answer.poll();
                if (!item) {
                    co_await connection.channel().fill();
                    continue;
                }
                at_sink = true;
                if (const auto* rows = std::get_if<AnswerStream::Rows>(&*item)) {
                    co_await sink.rows(*rows);
                } else if (const auto* columns = std::get_if<AnswerStream::Columns>(&*item)) {
                    passed_on = true;
                    co_await sink.columns(*columns, part.names);
                } else if (const auto* end = std::get_if<AnswerStream::End>(&*item)) {
                    outcome = outcome_of(*end);
                } else if (const auto* ok = std::get_if<AnswerStream::Ok>(&*item)) {
                    outcome = outcome_of(*ok);
                } else {
                    failure = logical_error(std::move(std::get<SqlError>(*item)), part);
                }
                if (outcome && !answer.done()) {
                    passed_on = true;
                    co_await sink.more_results(*outcome);
                    outcome.reset();
                }
                at_sink = false;
            }
        } catch (const net::ConnectionLost& loss) {
            if (at_sink) {
                connection.abort();  // the node stops
                throw;
            }
            lost.emplace(loss);
        }
        if (lost) {
            const bool retry = first_try && !passed_on && !plan.writes && !plan.locking_read &&
                               source_.may_retry_reads() && !context_.cancellation.why() &&
                               lost->reason != net::ConnectionLost::Reason::timed_out;
            SqlError error = loss_error(plan, context_, connection, train.left(), *lost);
            give_up(connection, *lost);
            if (!retry) co_return error;
            continue;
        }
        if (failure) co_return std::move(*failure);
        if (!outcome)
            co_return protocol::node_protocol_violation(connection.node_name(), "an answer is missing");
        if (outcome->warnings > 0)
            co_await collect_warnings(connection, part, outcome->warnings, context_.diagnostics);
        co_return std::move(*outcome);
    }
}

net::Task<Result<Outcome>> Executor::run_writes(const plan::Routed& routed) {
    const Plan& plan = *routed.plan;
    const auto state = pinned_state(state_, plan, context_);
    std::vector<NodeWork> works;
    std::vector<backend::NodeIndex> nodes;
    for (const Part& part : routed.parts) {  // in rising order of node
        if (nodes.empty() || nodes.back() != part.node.value) {
            nodes.push_back(part.node.value);
            works.emplace_back().node = part.node.value;
        }
        works.back().parts.push_back(&part);
    }
    auto loans = co_await source_.borrow(nodes, state, context_.deadline);
    if (loans.has_error()) co_return std::move(loans).error();
    std::vector<net::Task<void>> running;
    for (std::size_t index = 0; index < works.size(); ++index) {
        works[index].loan = std::move(loans.value()[index]);
        running.push_back(run_on_node(plan, works[index], state));
    }
    // Copies of one row are locked on the first node first: two writers that took them in any order could
    // wait for each other on different nodes, where no server sees it.
    if (routed.strategy == plan::Strategy::everywhere_write) {
        co_await std::move(running.front());
        running.erase(running.begin());
        if (works.front().error) co_return std::move(*works.front().error);
    }
    co_await net::in_parallel(works.front().loan.connection->channel().thread(), std::move(running));
    for (NodeWork& work : works)
        if (work.error) co_return std::move(*work.error);
    // A reference table's rows were written on every node, but are one table's rows.
    const bool copies = routed.strategy == plan::Strategy::everywhere_write;
    take_warnings(works, copies);
    if (copies) co_return std::move(works.front().outcome);
    Outcome sum = std::move(works.front().outcome);
    for (std::size_t index = 1; index < works.size(); ++index) add(sum, works[index].outcome);
    co_return sum;
}

net::Task<void> Executor::run_on_node(const Plan& plan, NodeWork& work,
                                      std::shared_ptr<const backend::SessionState> state) {
    Connection& connection = *work.loan.connection;
    const Attendance attendance{connection, context_};
    Train train{connection, std::move(state), work.parts.front()->default_database};
    for (const std::string& statement : work.loan.before) train.before(statement);
    const bool may_undo = work.parts.size() > 1 && !source_.ends_with_statement();
    if (may_undo) train.before(fmt::format("SAVEPOINT {}", statement_savepoint));
    work.asks_for_warnings = work.parts.size() > 1 || !work.loan.after.empty();
    for (const Part* part : work.parts) {
        train.carry(part->text);
        if (work.asks_for_warnings) train.carry(show_warnings);
    }
    if (may_undo) train.after(fmt::format("RELEASE SAVEPOINT {}", statement_savepoint));
    if (!work.loan.after.empty()) train.after(work.loan.after);
    std::optional<net::ConnectionLost> lost;
    try {
        auto departed = co_await train.depart();
        if (departed.has_error()) {
            work.error = logical_error(std::move(departed).error(), *work.parts.front());
            co_return;
        }
        co_await read_write_answers(plan, work, train);
    } catch (const net::ConnectionLost& loss) {
        lost.emplace(loss);
    }
    if (lost) {
        work.error = loss_error(plan, context_, connection, train.left(), *lost);
        give_up(connection, *lost);
    } else if (work.error) {
        if (may_undo) co_await undo_on_node(work);
    } else if (!work.asks_for_warnings && work.outcome.warnings > 0) {
        const auto rows = co_await backend::fetch_rows(connection, std::string{show_warnings});
        if (!rows.has_error()) work.warnings = diagnostics_of(rows.value(), *work.parts.front());
    }
}

net::Task<void> Executor::read_write_answers(const Plan& plan, NodeWork& work, Train& train) {
    AnswerStream answer{train};
    std::optional<backend::RowCollector> rows;
    bool warnings_are_next = false;
    for (std::size_t index = 0; !answer.done();) {
        const Part& part = *work.parts[std::min(index, work.parts.size() - 1)];
        auto item = co_await answer.next();
        if (auto* error = std::get_if<SqlError>(&item)) {
            work.error = logical_error(std::move(*error), part);
            co_return;
        }
        if (const auto* columns = std::get_if<AnswerStream::Columns>(&item)) rows.emplace(columns->count);
        if (const auto* piece = std::get_if<AnswerStream::Rows>(&item)) rows->add(piece->frames);
        if (std::holds_alternative<AnswerStream::End>(item) && warnings_are_next && rows) {
            warnings_are_next = false;
            for (backend::Diagnostic& each : diagnostics_of(rows->take(), *work.parts[index - 1]))
                work.warnings.push_back(std::move(each));
        }
        const auto* ok = std::get_if<AnswerStream::Ok>(&item);
        const bool is_part = ok && !warnings_are_next && index < work.parts.size();  // else one of ours
        if (ok) warnings_are_next = false;
        if (!is_part) continue;
        warnings_are_next = work.asks_for_warnings;
        Outcome outcome = outcome_of(*ok);
        if (outcome.info.empty()) outcome.info = info_of_one_row(plan, part, outcome);
        if (index++ == 0) {
            work.outcome = std::move(outcome);
        } else {
            add(work.outcome, outcome);
        }
    }
}

// All that the nodes said of the statement, as one server would have said it.
void Executor::take_warnings(std::vector<NodeWork>& works, bool only_first) {
    std::vector<backend::Diagnostic> all;
    std::uint32_t count = 0;
    for (NodeWork& work : works) {
        all.insert(all.end(), std::make_move_iterator(work.warnings.begin()),
                   std::make_move_iterator(work.warnings.end()));
        count += work.outcome.warnings;
        if (only_first) break;
    }
    sort_by_row(all);
    const auto known = static_cast<std::uint32_t>(all.size());
    for (backend::Diagnostic& each : all)
        context_.diagnostics.add(each.level, each.code, std::move(each.message));
    if (known < count) context_.diagnostics.add_count(count - known);
}

net::Task<void> Executor::undo_on_node(NodeWork& work) {
    // Where the transaction itself has ended (a deadlock) there is nothing to go back to, and that is no new
    // error.
    co_await backend::run_simple(*work.loan.connection,
                                 fmt::format("ROLLBACK TO SAVEPOINT {}", statement_savepoint));
}

}  // namespace shardway::exec
