// Answers the statements that speak of Shardway itself.
#pragma once

#include "middleware/admin/proxy_report.hpp"
#include "middleware/admin/statement.hpp"
#include "middleware/session/shardway_handler.hpp"

namespace shardway::admin {

// One for the process. EXPLAIN SHARDWAY and SHARDWAY HELP are for everyone, as are one's own sessions and
// SHOW STATUS; the rest of SHARDWAY … is for users with `admin: true`.
class Handler final : public session::ShardwayHandler {
public:
    explicit Handler(Proxy proxy) : proxy_{proxy} {}

    bool takes(std::string_view text, const sqlparse::ParseOptions& options) const override;
    net::Task<protocol::Result<session::OwnResult>> answer(std::string_view text,
                                                           const session::Asker& asker) override;
    net::Task<protocol::Result<session::OwnResult>> show_processlist(bool full,
                                                                     const session::Asker& asker) override;
    net::Task<protocol::Result<session::OwnResult>> show_status(std::optional<std::string> like,
                                                                const session::Asker& asker) override;

private:
    net::Task<protocol::Result<session::OwnResult>> answer_admin(Statement statement,
                                                                 const session::Asker& asker);
    net::Task<session::OwnResult> nodes_table(std::optional<std::string> like, const session::Asker& asker);
    net::Task<session::OwnResult> sessions_table(bool full, std::optional<std::string> like,
                                                 const session::Asker& asker);

    const Proxy proxy_;
};

}  // namespace shardway::admin
