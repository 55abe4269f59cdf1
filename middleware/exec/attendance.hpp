// A statement at a connection: what both must know of each other while one waits for the other.
#pragma once

#include "middleware/backend/connection.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/net/channel.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::exec {

// For as long as it lives, the connection hears of the statement's cancellation and has its deadline.
class Attendance {
public:
    Attendance(backend::Connection& connection, backend::StatementContext& context)
        : connection_{connection} {
        connection.channel().deadline(context.deadline);
        context.cancellation.enter(connection);
    }
    ~Attendance() {
        connection_.leave();
        connection_.forget_stop();
        connection_.channel().deadline(base::SteadyTime::max());
    }
    Attendance(const Attendance&) = delete;
    Attendance& operator=(const Attendance&) = delete;

private:
    backend::Connection& connection_;
};

// What the client is told when a connection broke while the statement waited for it. `left`: bytes of it may
// have reached the node.
protocol::SqlError loss_error(const plan::Plan& plan, const backend::StatementContext& context,
                              const backend::Connection& connection, bool left,
                              const net::ConnectionLost& loss);

// The connection is of no use any more. Where the deadline broke it, the node still works: it is told to
// stop.
void give_up(backend::Connection& connection, const net::ConnectionLost& loss);

protocol::SqlError budget_error(base::StatementBudget::Verdict verdict,
                                const backend::StatementContext& context);

}  // namespace shardway::exec
