// Statements that are answered by Shardway as a whole, not by one session or by the nodes: SHARDWAY …,
// EXPLAIN SHARDWAY …, SHOW PROCESSLIST, SHOW STATUS. The session is handed a handler for them; admin/ has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/net/task.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/session/services.hpp"

namespace shardway::session {

// A result set of our own making.
struct OwnColumn {
    std::string name;
    bool is_number = false;
    bool is_nullable = false;
    std::uint32_t characters = 64;  // at most, as the column's definition says
};
struct OwnResult {
    std::vector<OwnColumn> columns;
    std::vector<std::vector<std::optional<std::string>>> rows;
};

// Who asks. All that it refers to lives until the answer.
struct Asker {
    const plan::PlanContext& context;
    ThreadServices& services;
    const rules::User& user;
    bool is_tls = false;
};

// One for the process; called on the asking session's thread.
class ShardwayHandler {
public:
    virtual ~ShardwayHandler() = default;

    // Is it SHARDWAY … or EXPLAIN SHARDWAY …? Asked of every statement, so it looks no further than it must.
    virtual bool takes(std::string_view text, const sqlparse::ParseOptions& options) const = 0;
    // `text` lives until the answer.
    virtual net::Task<protocol::Result<OwnResult>> answer(std::string_view text, const Asker& asker) = 0;
    virtual net::Task<protocol::Result<OwnResult>> show_processlist(bool full, const Asker& asker) = 0;
    // `like`: the pattern, if one was given.
    virtual net::Task<protocol::Result<OwnResult>> show_status(std::optional<std::string> like,
                                                               const Asker& asker) = 0;
};

}  // namespace shardway::session
