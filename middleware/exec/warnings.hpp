// What a node has to say about a statement beside its answer.
#pragma once

#include <vector>

#include "middleware/backend/connection.hpp"
#include "middleware/backend/fetch.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/net/task.hpp"
#include "middleware/plan/plan.hpp"

namespace shardway::exec {

// The texts of the `count` warnings of the statement that `connection` ran last, in the client's terms, while
// the connection is still held: afterwards nobody could say whose they were.
net::Task<void> collect_warnings(backend::Connection& connection, const plan::Part& part, std::uint32_t count,
                                 backend::Diagnostics& diagnostics);

// The rows of SHOW WARNINGS, in the client's terms.
std::vector<backend::Diagnostic> diagnostics_of(const std::vector<backend::FetchedRow>& rows,
                                                const plan::Part& part);

// In the order of the client's rows, as one server would have met them. What names no row comes first.
void sort_by_row(std::vector<backend::Diagnostic>& diagnostics);

}  // namespace shardway::exec
