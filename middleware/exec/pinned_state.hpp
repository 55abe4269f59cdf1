// One clock for all parts of a statement.
#pragma once

#include <memory>

#include "middleware/backend/session_state.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/plan/plan.hpp"

namespace shardway::exec {

// The session's state, in which NOW() and its kin stand still where the plan reads them: else copies of a row
// would differ, and shards would answer for different moments. The pin is part of the state, so it is undone
// by whatever uses the connection next.
std::shared_ptr<const backend::SessionState> pinned_state(std::shared_ptr<const backend::SessionState> state,
                                                          const plan::Plan& plan,
                                                          backend::StatementContext& context);

}  // namespace shardway::exec
