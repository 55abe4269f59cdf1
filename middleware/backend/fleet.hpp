// The nodes and who may be connected to them: one for the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "middleware/net/io_thread.hpp"
#include "middleware/net/tls.hpp"
#include "schema/base/counters.hpp"
#include "schema/base/random.hpp"

namespace shardway::backend {

class Connection;
class Pool;

// Position of a node in Fleet::nodes, the same as in the rules.
using NodeIndex = std::uint32_t;

enum class BackendCounter : std::uint8_t {
    connections_opened,
    connections_failed,
    connections_closed,
    connections_moved,  // handed to another thread
    waits,              // statements that had to wait for a connection
    wait_timeouts,
    trains,  // writes that left for a node
    count_
};

struct BackendOptions {
    enum class Tls : std::uint8_t { disabled, preferred, required };
    std::string user, password;
    Tls tls = Tls::preferred;
    std::string tls_ca;
    std::uint32_t connections = 64;                        // per node, all threads together
    std::size_t packet_bytes_max = std::size_t{16} << 20;  // the nodes' max_allowed_packet, the lowest
    std::chrono::milliseconds connect_timeout{3000};
    std::chrono::milliseconds wait_timeout{10000};
};

// Caps the connections per node and decides who gets one when they are scarce.
//
// A permit is the right to have one connection to a node. An idle connection holds its permit. While nobody
// waits, permits are one atomic count and idle connections a list of each thread. Who finds too few enters a
// queue with all the nodes it needs; whatever is given back for a node goes to the oldest ticket that still
// needs that node. So the oldest always gets all it needs, and two that need the same nodes cannot hold half
// each for ever.
class Fleet {
public:
    struct Node {
        std::string name;
        std::string address;  // "host:port" or "unix:/path"
    };

    Fleet(std::vector<Node> nodes, BackendOptions options, net::IoThreads& threads, base::Random& random);
    ~Fleet();

    std::size_t size() const { return nodes_.size(); }
    const Node& node(NodeIndex index) const { return nodes_[index]; }
    const BackendOptions& options() const { return options_; }
    const net::TlsContext& tls() const { return tls_; }
    base::Random& random() { return random_; }
    net::IoThreads& threads() { return threads_; }
    base::Counters<BackendCounter>& counters() { return counters_; }
    base::CounterRow<BackendCounter>& counters(const net::IoThread& thread) {
        return counters_.row(thread.index());
    }

    // One pool per thread, entered by its constructor.
    void enter(Pool& pool);

    // Connections of our own that tell nodes to end a statement.
    std::atomic<std::uint32_t> kills_under_way = 0;

    std::uint32_t permits_in_use(NodeIndex node) const {
        return states_[node].permits.load(std::memory_order_relaxed);
    }
    bool anybody_waits(NodeIndex node) const { return states_[node].waiting.load() > 0; }
    std::uint32_t waiting(NodeIndex node) const {
        return states_[node].waiting.load(std::memory_order_relaxed);
    }

    // A statement in the queue. `gained` fills up with a connection, or null for a bare permit, per entry of
    // `nodes`.
    struct Ticket {
        Ticket(Pool& waiting_pool, std::vector<NodeIndex> wanted);
        Pool& pool;
        const std::vector<NodeIndex> nodes;
        std::vector<std::optional<std::unique_ptr<Connection>>> gained;
        std::size_t missing;
        net::Event complete;  // set on the pool's thread
    };

    // Without waiting; false when the cap is reached or somebody waits already.
    bool take_permit(NodeIndex node);
    // Gives a permit back, to who waits for it or to the count.
    void give_permit(NodeIndex node);
    // Hands a connection to who waits for its node; gives it back when nobody does.
    std::unique_ptr<Connection> offer(std::unique_ptr<Connection> connection);

    // Enters the queue; takes what is free at once and asks every thread for an idle connection. The ticket
    // stays where it is until complete is set or leave() was called.
    void enter(const std::shared_ptr<Ticket>& ticket);
    // Leaves the queue, complete or not, and gives away what was gained: after a deadline.
    // Says a node that was missing.
    NodeIndex leave(const std::shared_ptr<Ticket>& ticket);

private:
    struct NodeState {
        std::atomic<std::uint32_t> permits = 0;  // connections open or being opened
        std::atomic<std::uint32_t> waiting = 0;  // places in tickets not filled yet
    };

    // The oldest ticket that needs the node, with the place in it; null for none. Under the mutex.
    struct Need {
        std::shared_ptr<Ticket> ticket;
        std::size_t place;
    };
    std::optional<Need> oldest_need(NodeIndex node);
    bool count_up(NodeIndex node);  // false at the cap
    void fill(const Need& need, std::unique_ptr<Connection> connection);

    const std::vector<Node> nodes_;
    const BackendOptions options_;
    const net::TlsContext tls_;
    net::IoThreads& threads_;
    base::Random& random_;
    base::Counters<BackendCounter> counters_;
    std::vector<NodeState> states_;
    std::vector<Pool*> pools_;  // by thread

    std::mutex mutex_;  // only where somebody waits
    std::deque<std::shared_ptr<Ticket>> queue_;
};

}  // namespace shardway::backend
