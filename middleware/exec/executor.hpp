// Runs a routed statement.
#pragma once

#include <memory>

#include "middleware/backend/connection_source.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/exec/outcome.hpp"
#include "middleware/exec/row_sink.hpp"
#include "middleware/net/task.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::exec {

// Works for one statement. All that it is given outlives it.
class Executor {
public:
    Executor(backend::ConnectionSource& source, backend::StatementContext& context,
             std::shared_ptr<const backend::SessionState> state)
        : source_{source}, context_{context}, state_{std::move(state)} {}

    // Sends every part where it belongs and makes one answer of what comes back: rows go to `sink`, the rest
    // is the outcome. A write of several parts is not undone here when one of them fails (the session's
    // transaction does that), but for those of one node inside an open transaction, which are taken back to
    // where the statement began. Throws net::ConnectionLost only when the sink's client is gone.
    net::Task<protocol::Result<Outcome>> run(const plan::Routed& routed, RowSink& sink);

private:
    // The parts of one node, which share a connection and a train.
    struct NodeWork {
        backend::NodeIndex node;
        std::vector<const plan::Part*> parts;
        backend::Loan loan;
        // Behind each part its warnings are asked for in the same train: afterwards only those of the last
        // statement can be had.
        bool asks_for_warnings = false;
        std::vector<backend::Diagnostic> warnings;
        Outcome outcome;
        std::optional<protocol::SqlError> error;
    };

    net::Task<protocol::Result<Outcome>> run_one_place(const plan::Plan& plan, const plan::Part& part,
                                                       RowSink& sink);
    net::Task<protocol::Result<Outcome>> run_writes(const plan::Routed& routed);
    net::Task<protocol::Result<Outcome>> run_scatter(const plan::Routed& routed, RowSink& sink);
    net::Task<void> run_on_node(const plan::Plan& plan, NodeWork& work,
                                std::shared_ptr<const backend::SessionState> state);
    net::Task<void> read_write_answers(const plan::Plan& plan, NodeWork& work, backend::Train& train);
    void take_warnings(std::vector<NodeWork>& works, bool only_first);
    net::Task<void> undo_on_node(NodeWork& work);

    backend::ConnectionSource& source_;
    backend::StatementContext& context_;
    const std::shared_ptr<const backend::SessionState> state_;
};

}  // namespace shardway::exec
