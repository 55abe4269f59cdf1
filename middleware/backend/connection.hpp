// One connection to a node.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "middleware/backend/fleet.hpp"
#include "middleware/backend/session_state.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/net/channel.hpp"
#include "middleware/net/task.hpp"
#include "middleware/protocol/bytes.hpp"
#include "middleware/protocol/capability.hpp"
#include "middleware/protocol/sql_error.hpp"
#include "middleware/protocol/status.hpp"

namespace shardway::backend {

// Logged in, with a state of its own that a Train brings to what the next statement needs. Belongs to the
// pool of one thread or to whom that lent it. While a statement waits for it, it is a waiter of the
// statement's cancellation: told to stop, it breaks, and the node is told to end what runs there.
class Connection final : public Cancellation::Waiter {
public:
    // Logs in to the node within `deadline` and the rules' connect_timeout. The error names the node.
    static net::Task<protocol::Result<std::unique_ptr<Connection>>> open(Fleet& fleet, NodeIndex node,
                                                                         net::IoThread& thread,
                                                                         base::SteadyTime deadline,
                                                                         bool found_rows = false);
    Connection(Fleet& fleet, NodeIndex node, std::unique_ptr<net::Channel> channel);
    ~Connection() override;

    NodeIndex node() const { return node_; }
    const std::string& node_name() const { return fleet_.node(node_).name; }
    net::Channel& channel() { return *channel_; }
    protocol::Capabilities capabilities() const { return capabilities_; }
    std::uint64_t server_thread_id() const { return server_thread_id_; }
    const std::string& server_version() const { return server_version_; }

    const SessionState& state() const { return *state_; }
    // The caller has set the variables itself, by statements of its own.
    void assume_state(std::shared_ptr<const SessionState> state) { state_ = std::move(state); }
    std::string_view database() const { return database_; }
    bool multi_statements() const { return multi_statements_; }

    // The status flags of the last OK or end of a result.
    protocol::StatusFlags status() const { return status_; }
    bool in_transaction() const { return status_.has(protocol::StatusFlag::in_transaction); }

    // Closed instead of pooled from now on.
    void mark_broken() { broken_ = true; }
    bool is_broken() const { return broken_; }
    // Ends at once what runs here: the connection breaks, and the node is told to kill it.
    void abort();
    // What happens here when a statement is told to stop: abort(), or, where a transaction must stay, the
    // node is asked to end the query (KILL QUERY) and its answer is awaited. abort() where the node cannot be
    // asked.
    void keep_when_stopped(bool keep) { kept_when_stopped_ = keep; }
    // The statement that was told to stop is over, whether it left or not.
    void forget_stop() { kill_when_sent_ = false; }
    // Before anything else is sent: a KILL QUERY that is under way has done its work, and hits nothing that
    // comes later.
    bool has_kill_under_way() const { return kill_ != nullptr; }
    net::Task<void> settle_kill();
    // Clean: nothing unread, no transaction, not broken (invariant 8).
    bool is_reusable() const;

    void went_idle(base::SteadyTime at) { idle_since_ = at; }
    base::SteadyTime idle_since() const { return idle_since_; }

private:
    friend class Train;
    friend class AnswerStream;

    void stop() override;
    void ask_to_end_query();
    static net::Task<void> end_query(Connection& self, Fleet& fleet, NodeIndex node, net::IoThread& thread,
                                     std::uint64_t server_thread_id, std::weak_ptr<net::Event> kill,
                                     std::shared_ptr<void> counted);
    net::Task<protocol::Result<void>> log_in(bool found_rows);

    Fleet& fleet_;
    const NodeIndex node_;
    std::unique_ptr<net::Channel> channel_;
    protocol::Capabilities capabilities_;
    std::string server_version_;
    std::uint64_t server_thread_id_ = 0;
    std::shared_ptr<const SessionState> state_;
    std::string database_;
    protocol::Buffer spare_packet_;  // where the next train is built
    bool multi_statements_ = true;
    protocol::StatusFlags status_;
    std::uint32_t answers_owed_ = 0;  // commands sent whose answers are not read to their end
    bool broken_ = false;
    bool kept_when_stopped_ = false;
    bool kill_when_sent_ = false;
    std::shared_ptr<net::Event> kill_;  // set when the KILL QUERY was answered
    base::SteadyTime idle_since_{};
};

}  // namespace shardway::backend
