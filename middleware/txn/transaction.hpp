// A session's transaction, over the nodes it has touched.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/backend/connection_source.hpp"
#include "middleware/backend/statement_context.hpp"
#include "middleware/net/task.hpp"
#include "middleware/protocol/sql_error.hpp"

namespace shardway::txn {

// Opening sends nothing: each node's first statement carries the BEGIN, so that a transaction on one node
// costs no round trip more than a direct client's. Its connections are its own until it ends. At most one
// node may be written, unless it was made for one statement that writes to several (see `many_writers`).
class Transaction final : public backend::ConnectionSource {
public:
    enum class Writers : std::uint8_t { one_node, many_nodes };

    // `pool` outlives the transaction.
    explicit Transaction(backend::Pool& pool, Writers writers = Writers::one_node)
        : pool_{pool}, writers_{writers} {}

    // `start` is what each node is sent first: "BEGIN", "START TRANSACTION READ ONLY". `settings` go ahead of
    // it, such as "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE".
    void open(std::string start = "BEGIN", std::vector<std::string> settings = {});
    // The only statement carries its COMMIT along: one round trip for a write to several shards of one node.
    // Then commit() has nothing left to say.
    void commit_with_statement() { commit_with_statement_ = true; }
    bool is_open() const { return open_; }
    bool has_node(backend::NodeIndex node) const { return find(node) != nullptr; }
    std::optional<backend::NodeIndex> first_node() const;

    net::Task<protocol::Result<std::vector<backend::Loan>>> borrow(
        std::vector<backend::NodeIndex> nodes, std::shared_ptr<const backend::SessionState> wanted,
        base::SteadyTime deadline) override;
    backend::Connection* try_borrow(backend::NodeIndex node, const backend::SessionState* wanted) override;
    std::size_t connections_per_node_max() const override { return 1; }
    bool may_retry_reads() const override { return false; }
    bool ends_with_statement() const override { return writers_ == Writers::many_nodes; }
    void drop_broken() override {}

    // Before a statement writes to `nodes`: the error when that would be a second node.
    std::optional<protocol::SqlError> refuse_writes(const std::vector<backend::NodeIndex>& nodes) const;
    void will_write(const std::vector<backend::NodeIndex>& nodes);

    // After a statement: whether each node still has the transaction. A node that was lost, or that rolled
    // back by itself (a deadlock), ends it: everything is rolled back, and after a loss each statement gets
    // lost() until ROLLBACK.
    net::Task<void> after_statement(bool failed);
    const std::optional<protocol::SqlError>& lost() const { return lost_; }

    // Both end it, whatever they say. With several writers a failure between two commits is an error that
    // names the nodes that committed.
    net::Task<protocol::Result<void>> commit();
    net::Task<protocol::Result<void>> rollback();

    // On every node touched; nodes that join later get them first, in order.
    net::Task<protocol::Result<void>> savepoint(std::string name);
    net::Task<protocol::Result<void>> rollback_to(std::string name);
    net::Task<protocol::Result<void>> release(std::string name);

    // A node's name and address are not needed to end it: the connections are closed, which rolls back there.
    void abandon();

private:
    struct Participant {
        backend::NodeIndex node;
        backend::Lease lease;
        bool started = false;  // BEGIN has left
        bool wrote = false;
    };
    Participant* find(backend::NodeIndex node);
    const Participant* find(backend::NodeIndex node) const;
    void close();
    net::Task<protocol::Result<void>> run_on_all(std::string statement);
    net::Task<protocol::Result<void>> commit_in_turn();

    backend::Pool& pool_;
    const Writers writers_;
    bool open_ = false;
    bool commit_with_statement_ = false;
    std::string start_;
    std::vector<std::string> settings_;
    std::vector<Participant> participants_;  // in the order of joining
    std::vector<std::string> savepoints_;    // quoted names, in order
    std::optional<protocol::SqlError> lost_;
};

}  // namespace shardway::txn
