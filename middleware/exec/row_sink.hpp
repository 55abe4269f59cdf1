// Where a statement's rows go.
#pragma once

#include <span>

#include "middleware/backend/answer.hpp"
#include "middleware/exec/outcome.hpp"
#include "middleware/net/task.hpp"
#include "middleware/plan/plan.hpp"

namespace shardway::exec {

// Takes one result set, piece by piece; backend::AnswerStream is the source. A call's wait ends once the
// piece is taken (sent or copied), so a slow client stops the reading of the shards and nothing piles up
// between them (invariant 5). It may throw net::ConnectionLost when the client is gone; then the statement
// ends.
class RowSink {
public:
    virtual ~RowSink() = default;
    // Once, before any row. `names`: physical names that must be shown as logical ones.
    virtual net::Soon<void> columns(backend::AnswerStream::Columns columns,
                                    std::span<const plan::NameMapping> names) = 0;
    // Rows in the node's text protocol. The sink may renumber the frames in place.
    virtual net::Soon<void> rows(backend::AnswerStream::Rows rows) = 0;
    // A result that is not the statement's last has ended (CALL gives several).
    virtual net::Soon<void> more_results(const Outcome& outcome) = 0;
};

}  // namespace shardway::exec
