#include "middleware/exec/attendance.hpp"

#include "middleware/protocol/errors.hpp"

namespace shardway::exec {

protocol::SqlError loss_error(const plan::Plan& plan, const backend::StatementContext& context,
                              const backend::Connection& connection, bool left,
                              const net::ConnectionLost& loss) {
    if (context.cancellation.why()) return *context.cancellation.why();
    if (loss.reason == net::ConnectionLost::Reason::timed_out) return protocol::statement_timed_out();
    if (plan.writes && left) return protocol::outcome_unknown(connection.node_name());
    return protocol::connection_lost(connection.node_name());
}

void give_up(backend::Connection& connection, const net::ConnectionLost& loss) {
    if (loss.reason == net::ConnectionLost::Reason::timed_out) {
        connection.abort();
    } else {
        connection.mark_broken();
    }
}

protocol::SqlError budget_error(base::StatementBudget::Verdict verdict,
                                const backend::StatementContext& context) {
    if (verdict == base::StatementBudget::Verdict::over_statement)
        return protocol::statement_budget_exceeded(context.budget.limit());
    return protocol::process_budget_exceeded(context.budget.process_limit());
}

}  // namespace shardway::exec
