// EXPLAIN SHARDWAY and `shardway explain`: one text for both.
#pragma once

#include <string>
#include <string_view>

#include "middleware/plan/plan.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::admin {

// Plans `statement` as a session with this context would, runs nothing, and says what would be done: lines,
// or one line of JSON; both without a newline at their end. The error is the one that the statement itself
// would get.
protocol::Result<std::string> explain_statement(plan::Planner& planner, const plan::PlanContext& context,
                                                std::string_view statement, bool json);

}  // namespace shardway::admin
