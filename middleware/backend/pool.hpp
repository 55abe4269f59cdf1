// A thread's connections to the nodes, and the loan of one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "middleware/backend/connection.hpp"
#include "middleware/backend/fleet.hpp"
#include "middleware/backend/session_state.hpp"
#include "middleware/net/task.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::backend {

// A connection on loan. Goes back to its pool when it ends, or is closed when it is of no use any more:
// broken, in a transaction, or with an answer that nobody read.
class Lease {
public:
    Lease() = default;
    Lease(Pool& pool, std::unique_ptr<Connection> connection)
        : pool_{&pool}, connection_{std::move(connection)} {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
        give_back();
        pool_ = other.pool_;
        connection_ = std::move(other.connection_);
        return *this;
    }
    ~Lease() { give_back(); }

    explicit operator bool() const { return connection_ != nullptr; }
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }
    void give_back();

private:
    Pool* pool_ = nullptr;
    std::unique_ptr<Connection> connection_;
};

// One per thread; used by it alone, but for what the fleet asks of it by the mailbox.
class Pool {
public:
    // Idle connections that are looked at for one that has the wanted state already; the last used comes
    // first.
    static constexpr std::size_t looked_at_max = 4;
    // A connection that was idle for longer is asked whether it still lives before it is lent.
    static constexpr std::chrono::milliseconds trusted_idle{1000};

    Pool(Fleet& fleet, net::IoThread& thread);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    net::IoThread& thread() { return thread_; }
    Fleet& fleet() { return fleet_; }

    // An idle connection, without waiting; an empty lease when there is none or somebody waits for that node.
    // `wanted` is a wish: the state that the statement needs.
    Lease try_acquire(NodeIndex node, const SessionState* wanted);
    // One connection to each of `nodes`, all or none, in their order. A node may be named more than once.
    // Waits up to `deadline` and the rules' wait_timeout for its turn; connecting takes up to connect_timeout
    // beyond that. Errors name the node.
    net::Task<protocol::Result<std::vector<Lease>>> acquire(std::vector<NodeIndex> nodes,
                                                            const SessionState* wanted,
                                                            base::SteadyTime deadline);

    std::size_t idle(NodeIndex node) const { return idle_[node].size(); }
    // Closes what has been idle for that long.
    void close_idle(std::chrono::milliseconds longer_than);

private:
    friend class Fleet;
    friend class Lease;

    void give_back(std::unique_ptr<Connection> connection);
    void close(std::unique_ptr<Connection> connection);  // and gives its permit back
    void give_up_idle(const std::vector<NodeIndex>& nodes);
    std::unique_ptr<Connection> take_idle(NodeIndex node, const SessionState* wanted);
    bool trade_idle(NodeIndex node);

    // What acquire() has for one place: a connection, or a permit to open one.
    struct Place {
        NodeIndex node;
        std::unique_ptr<Connection> connection;
    };
    bool take_without_waiting(std::vector<Place>& places, const std::vector<NodeIndex>& nodes,
                              const SessionState* wanted);
    net::Task<protocol::Result<std::vector<Lease>>> open_missing(std::vector<Place> places, bool found_rows,
                                                                 base::SteadyTime deadline);

    Fleet& fleet_;
    net::IoThread& thread_;
    std::vector<std::vector<std::unique_ptr<Connection>>> idle_;  // by node; the last used at the end
};

}  // namespace shardway::backend
