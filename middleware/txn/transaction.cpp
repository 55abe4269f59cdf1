#include "middleware/txn/transaction.hpp"

#include <algorithm>

#include <strings.h>

#include "middleware/backend/simple_statement.hpp"
#include "middleware/protocol/errors.hpp"
#include "schema/base/failpoint.hpp"

namespace shardway::txn {

using backend::Loan;
using backend::NodeIndex;
using protocol::Result;
using protocol::SqlError;

namespace {

// `a``b` is a`b.
std::string unquoted(std::string_view name) {
    std::string out;
    for (std::size_t at = 1; at + 1 < name.size(); ++at) {
        out += name[at];
        if (name[at] == '`') ++at;
    }
    return out;
}

}  // namespace

void Transaction::open(std::string start, std::vector<std::string> settings) {
    open_ = true;
    start_ = std::move(start);
    settings_ = std::move(settings);
}

void Transaction::close() {
    open_ = false;
    participants_.clear();
    savepoints_.clear();
    lost_.reset();
}

void Transaction::abandon() {
    for (Participant& participant : participants_)
        if (participant.started) participant.lease->mark_broken();
    close();
}

Transaction::Participant* Transaction::find(NodeIndex node) {
    const auto found = std::find_if(participants_.begin(), participants_.end(),
                                    [&](const Participant& each) { return each.node == node; });
    return found == participants_.end() ? nullptr : &*found;
}

const Transaction::Participant* Transaction::find(NodeIndex node) const {
    return const_cast<Transaction*>(this)->find(node);
}

std::optional<NodeIndex> Transaction::first_node() const {
    if (participants_.empty()) return std::nullopt;
    return participants_.front().node;
}

backend::Connection* Transaction::try_borrow(NodeIndex node, const backend::SessionState*) {
    Participant* const participant = find(node);
    if (lost_ || commit_with_statement_ || participant == nullptr || !participant->started) return nullptr;
    participant->lease->keep_when_stopped(true);
    return &*participant->lease;
}

net::Task<Result<std::vector<Loan>>> Transaction::borrow(std::vector<NodeIndex> nodes,
                                                         std::shared_ptr<const backend::SessionState> wanted,
                                                         base::SteadyTime deadline) {
    if (lost_) co_return *lost_;
    std::vector<NodeIndex> missing;
    for (const NodeIndex node : nodes)
        if (!find(node)) missing.push_back(node);
    if (missing.size() == 1) {
        if (backend::Lease lease = pool_.try_acquire(missing.front(), wanted.get())) {
            Participant participant{missing.front(), std::move(lease)};
            participants_.push_back(std::move(participant));
            missing.clear();
        }
    }
    if (!missing.empty()) {
        auto acquired = co_await pool_.acquire(missing, wanted.get(), deadline);
        if (acquired.has_error()) co_return std::move(acquired).error();
        for (std::size_t index = 0; index < missing.size(); ++index) {
            Participant participant{missing[index], std::move(acquired.value()[index])};
            participants_.push_back(std::move(participant));
        }
    }
    std::vector<Loan> loans;
    for (const NodeIndex node : nodes) {
        Participant& participant = *find(node);
        Loan loan{&*participant.lease, {}, {}};
        participant.lease->keep_when_stopped(true);
        if (!participant.started) {
            loan.before = settings_;
            loan.before.push_back(start_);
            for (const std::string& name : savepoints_) loan.before.push_back("SAVEPOINT " + name);
            participant.started = true;
        }
        if (commit_with_statement_) loan.after = "COMMIT";
        loans.push_back(std::move(loan));
    }
    co_return loans;
}

std::optional<SqlError> Transaction::refuse_writes(const std::vector<NodeIndex>& nodes) const {
    if (writers_ == Writers::many_nodes) return std::nullopt;
    auto name_of = [this](NodeIndex node) { return pool_.fleet().node(node).name; };
    if (nodes.size() > 1) return protocol::second_node_refused(name_of(nodes[0]), name_of(nodes[1]));
    for (const Participant& participant : participants_)
        if (participant.wrote && participant.node != nodes.front())
            return protocol::second_node_refused(name_of(participant.node), name_of(nodes.front()));
    return std::nullopt;
}

void Transaction::will_write(const std::vector<NodeIndex>& nodes) {
    for (const NodeIndex node : nodes)
        if (Participant* participant = find(node)) participant->wrote = true;
}

net::Task<void> Transaction::after_statement(bool failed) {
    if (!open_ || lost_) co_return;
    bool ended = false;
    for (Participant& participant : participants_) {
        if (participant.lease->is_broken()) {
            lost_ = protocol::transaction_node_lost(participant.lease->node_name());
            break;
        }
        // An error says nothing of the transaction: a deadlock has ended it, a lock wait has not. So the node
        // is asked.
        if (failed && participant.started) {
            const auto asked = co_await backend::run_simple(*participant.lease, "DO 0");
            if (asked.has_error()) {
                lost_ = protocol::transaction_node_lost(participant.lease->node_name());
                break;
            }
        }
        if (participant.started && !participant.lease->in_transaction()) ended = true;
    }
    if (lost_) {
        // The others must not commit what is only half of it. The session stays in its transaction until it
        // says ROLLBACK.
        for (Participant& participant : participants_) participant.lease->mark_broken();
        participants_.clear();
    } else if (ended) {
        co_await rollback();
    }
}

net::Task<Result<void>> Transaction::run_on_all(std::string statement) {
    if (lost_) co_return *lost_;
    std::optional<SqlError> failure;
    for (Participant& participant : participants_) {
        if (!participant.started) continue;
        auto ran = co_await backend::run_simple(*participant.lease, statement);
        if (ran.has_error() && !failure) failure = std::move(ran).error();
    }
    if (failure) co_return std::move(*failure);
    co_return Result<void>{};
}

net::Task<Result<void>> Transaction::commit() {
    if (commit_with_statement_) {
        for (Participant& participant : participants_) participant.started = false;
        abandon();
        co_return Result<void>{};
    }
    if (lost_) {
        SqlError error = *lost_;
        abandon();
        co_return error;
    }
    // A node that was written decides; those that were only read follow.
    std::stable_partition(participants_.begin(), participants_.end(),
                          [](const Participant& each) { return each.wrote; });
    auto outcome = co_await commit_in_turn();
    abandon();
    co_return outcome;
}

net::Task<Result<void>> Transaction::commit_in_turn() {
    std::vector<std::string_view> committed, failed;
    std::optional<SqlError> failure;
    for (Participant& participant : participants_) {
        if (!participant.started) continue;
        if (FAILPOINT("txn.commit")) participant.lease->channel().cancel();
        if (!failure) {
            auto ran = co_await backend::run_simple(*participant.lease, "COMMIT");
            if (!ran.has_error()) {
                participant.started = false;
                if (participant.wrote) committed.push_back(participant.lease->node_name());
                continue;
            }
            failure = std::move(ran).error();
        }
        if (participant.wrote) failed.push_back(participant.lease->node_name());
    }
    if (!failure) co_return Result<void>{};
    if (committed.empty() || failed.empty()) co_return std::move(*failure);
    co_return protocol::partial_commit(committed, failed, failure->message);
}

net::Task<Result<void>> Transaction::rollback() {
    for (Participant& participant : participants_) {
        if (!participant.started || participant.lease->is_broken()) continue;
        // A rollback that cannot be said is done by the node when the connection closes.
        const auto ran = co_await backend::run_simple(*participant.lease, "ROLLBACK");
        if (ran.has_error()) {
            participant.lease->mark_broken();
        } else {
            participant.started = false;
        }
    }
    abandon();
    co_return Result<void>{};
}

net::Task<Result<void>> Transaction::savepoint(std::string name) {
    auto set = co_await run_on_all("SAVEPOINT " + name);
    if (set.has_error()) co_return set;
    // MySQL compares savepoint names without case; a new one of the same name takes the place of the old.
    std::erase_if(savepoints_,
                  [&](const std::string& each) { return strcasecmp(each.c_str(), name.c_str()) == 0; });
    savepoints_.push_back(std::move(name));
    co_return set;
}

net::Task<Result<void>> Transaction::rollback_to(std::string name) {
    const auto found = std::find_if(savepoints_.begin(), savepoints_.end(), [&](const std::string& each) {
        return strcasecmp(each.c_str(), name.c_str()) == 0;
    });
    if (found == savepoints_.end()) co_return protocol::unknown_savepoint(unquoted(name));
    auto ran = co_await run_on_all("ROLLBACK TO SAVEPOINT " + name);
    if (!ran.has_error()) savepoints_.erase(found + 1, savepoints_.end());
    co_return ran;
}

net::Task<Result<void>> Transaction::release(std::string name) {
    const auto found = std::find_if(savepoints_.begin(), savepoints_.end(), [&](const std::string& each) {
        return strcasecmp(each.c_str(), name.c_str()) == 0;
    });
    if (found == savepoints_.end()) co_return protocol::unknown_savepoint(unquoted(name));
    auto ran = co_await run_on_all("RELEASE SAVEPOINT " + name);
    if (!ran.has_error()) savepoints_.erase(found, savepoints_.end());
    co_return ran;
}

}  // namespace shardway::txn
