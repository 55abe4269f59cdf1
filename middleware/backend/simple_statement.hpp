// A statement of ours whose answer is an OK or an error: COMMIT, ROLLBACK, SAVEPOINT.
#pragma once

#include <string>

#include "middleware/backend/connection.hpp"
#include "middleware/net/task.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::backend {

struct SimpleAnswer {
    std::uint64_t affected_rows = 0;
    protocol::StatusFlags status;
};

// Runs it in the connection's present state. A lost connection is an error that names the node:
// connection_lost when nothing had left, else outcome_unknown; the connection is broken then.
net::Task<protocol::Result<SimpleAnswer>> run_simple(Connection& connection, std::string statement);

}  // namespace shardway::backend
