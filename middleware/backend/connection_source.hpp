// Where a statement's connections come from: the pool, or the session's open transaction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "middleware/backend/pool.hpp"
#include "middleware/net/task.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::backend {

// A connection for the time of one statement. The source owns it.
struct Loan {
    Connection* connection = nullptr;
    std::vector<std::string> before;  // statements that must go ahead in the same train: BEGIN, SAVEPOINT a
    std::string after;                // one that goes behind: COMMIT
};

class ConnectionSource {
public:
    virtual ~ConnectionSource() = default;
    // One connection per entry of `nodes`, all or none, in their order. A node is named at most
    // connections_per_node_max() times.
    virtual net::Task<protocol::Result<std::vector<Loan>>> borrow(std::vector<NodeIndex> nodes,
                                                                  std::shared_ptr<const SessionState> wanted,
                                                                  base::SteadyTime deadline) = 0;
    // One connection, if it is to be had without waiting and nothing goes ahead of the statement; else
    // borrow() is asked.
    virtual Connection* try_borrow(NodeIndex node, const SessionState* wanted) = 0;
    // How many connections to one node a statement may have at once: 1 where they are a transaction's.
    virtual std::size_t connections_per_node_max() const = 0;
    // Whether a read whose connection broke before any row was passed on may be sent again on a new one.
    virtual bool may_retry_reads() const = 0;
    // Whether a statement that fails takes all with it, so that its parts need no savepoint of their own.
    virtual bool ends_with_statement() const = 0;
    // Lets go of broken connections, so that borrow() gets new ones.
    virtual void drop_broken() = 0;
};

// Connections of the pool for one statement in autocommit; given back when this ends.
class PooledConnections final : public ConnectionSource {
public:
    explicit PooledConnections(Pool& pool) : pool_{pool} {}
    net::Task<protocol::Result<std::vector<Loan>>> borrow(std::vector<NodeIndex> nodes,
                                                          std::shared_ptr<const SessionState> wanted,
                                                          base::SteadyTime deadline) override;
    Connection* try_borrow(NodeIndex node, const SessionState* wanted) override;
    std::size_t connections_per_node_max() const override { return pool_.fleet().options().connections; }
    bool may_retry_reads() const override { return true; }
    bool ends_with_statement() const override { return false; }
    void drop_broken() override {
        first_.give_back();
        leases_.clear();
    }

private:
    Pool& pool_;
    Lease first_;  // of a statement in one place, the only one
    std::vector<Lease> leases_;
};

}  // namespace shardway::backend
