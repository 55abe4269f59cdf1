// Which nodes answer, found out when somebody asks.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "middleware/backend/connection.hpp"
#include "middleware/backend/fleet.hpp"
#include "middleware/net/io_thread.hpp"
#include "middleware/net/task.hpp"

namespace shardway::admin {

struct NodeState {
    bool is_up = false;
    std::string version;  // as its greeting says, of the last time it was up
    std::string error;    // why it is not up
};

// Keeps a connection to each node, beyond the cap of `connections`, and sends COM_PING when asked for the
// state; so an idle Shardway sends nothing. Belongs to one thread.
class NodeProbe {
public:
    // A node that has not answered after that is down.
    static constexpr std::chrono::milliseconds answer_time_max{1000};
    // A state younger than that is not asked for again.
    static constexpr std::chrono::milliseconds trusted{250};

    NodeProbe(backend::Fleet& fleet, net::IoThread& thread);

    net::IoThread& thread() { return thread_; }
    // All nodes side by side, in their order. On its thread; several may ask at the same time.
    net::Task<std::vector<NodeState>> look();
    // Does nobody look at this moment? Any thread; for the end, which comes after it (answer_time_max at
    // most).
    bool is_idle() const { return looks_.load() == 0; }

private:
    struct Probed {
        std::unique_ptr<backend::Connection> connection;
        NodeState state;
        base::SteadyTime looked_at{};
        std::shared_ptr<net::Event> looking;  // set while somebody looks
    };
    net::Task<void> look_at(backend::NodeIndex node);
    net::Task<bool> ping(Probed& probed, base::SteadyTime deadline);

    backend::Fleet& fleet_;
    net::IoThread& thread_;
    std::vector<Probed> nodes_;
    std::atomic<std::uint32_t> looks_ = 0;
};

}  // namespace shardway::admin
