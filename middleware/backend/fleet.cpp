#include "middleware/backend/fleet.hpp"

#include <algorithm>
#include <cassert>

#include "middleware/backend/connection.hpp"
#include "middleware/backend/pool.hpp"

namespace shardway::backend {

Fleet::Fleet(std::vector<Node> nodes, BackendOptions options, net::IoThreads& threads, base::Random& random)
    : nodes_{std::move(nodes)},
      options_{std::move(options)},
      tls_{net::TlsContext::client(options_.tls_ca)},
      threads_{threads},
      random_{random},
      counters_{threads.size()},
      states_(nodes_.size()),
      pools_(threads.size(), nullptr) {}

Fleet::~Fleet() = default;

Fleet::Ticket::Ticket(Pool& waiting_pool, std::vector<NodeIndex> wanted)
    : pool{waiting_pool},
      nodes{std::move(wanted)},
      gained(nodes.size()),
      missing{nodes.size()},
      complete{waiting_pool.thread()} {}

void Fleet::enter(Pool& pool) { pools_[pool.thread().index()] = &pool; }

bool Fleet::count_up(NodeIndex node) {
    auto& permits = states_[node].permits;
    std::uint32_t used = permits.load();
    while (used < options_.connections)
        if (permits.compare_exchange_weak(used, used + 1)) return true;
    return false;
}

bool Fleet::take_permit(NodeIndex node) { return !anybody_waits(node) && count_up(node); }

void Fleet::give_permit(NodeIndex node) {
    states_[node].permits.fetch_sub(1);
    // enter() makes itself known before it looks at the count, so one of the two sees the other.
    if (!anybody_waits(node)) return;
    const std::lock_guard lock{mutex_};
    const auto need = oldest_need(node);
    if (need && count_up(node)) fill(*need, nullptr);
}

std::unique_ptr<Connection> Fleet::offer(std::unique_ptr<Connection> connection) {
    const std::lock_guard lock{mutex_};
    const auto need = oldest_need(connection->node());
    if (!need) return connection;
    fill(*need, std::move(connection));
    return nullptr;
}

std::optional<Fleet::Need> Fleet::oldest_need(NodeIndex node) {
    for (const auto& ticket : queue_)
        for (std::size_t place = 0; place < ticket->nodes.size(); ++place)
            if (ticket->nodes[place] == node && !ticket->gained[place]) return Need{ticket, place};
    return std::nullopt;
}

void Fleet::fill(const Need& need, std::unique_ptr<Connection> connection) {
    const auto& ticket = need.ticket;
    if (connection && &connection->channel().thread() != &ticket->pool.thread()) {
        connection->channel().detach();
        counters_.row(connection->channel().thread().index()).add(BackendCounter::connections_moved);
    }
    ticket->gained[need.place] = std::move(connection);
    states_[ticket->nodes[need.place]].waiting.fetch_sub(1);
    if (--ticket->missing > 0) return;
    std::erase(queue_, ticket);
    ticket->pool.thread().post([ticket] { ticket->complete.set(); });
}

void Fleet::enter(const std::shared_ptr<Ticket>& ticket) {
    {
        const std::lock_guard lock{mutex_};
        queue_.push_back(ticket);
        for (std::size_t place = 0; place < ticket->nodes.size(); ++place) {
            const NodeIndex node = ticket->nodes[place];
            states_[node].waiting.fetch_add(1);
            const auto need = oldest_need(node);
            // Older ones come first.
            if (need && need->ticket == ticket && count_up(node)) fill(*need, nullptr);
        }
        if (ticket->missing == 0) return;
    }
    // A thread that gives back after this sees that somebody waits; what was given back before lies idle and
    // is asked for here. So no connection stays idle while a ticket needs it.
    for (Pool* pool : pools_)
        if (pool) pool->thread().post([pool, nodes = ticket->nodes] { pool->give_up_idle(nodes); });
}

NodeIndex Fleet::leave(const std::shared_ptr<Ticket>& ticket) {
    NodeIndex scarce = ticket->nodes.front();
    std::vector<std::pair<NodeIndex, std::unique_ptr<Connection>>> returned;
    {
        const std::lock_guard lock{mutex_};
        std::erase(queue_, ticket);
        for (std::size_t place = 0; place < ticket->nodes.size(); ++place) {
            const NodeIndex node = ticket->nodes[place];
            if (ticket->gained[place]) {
                returned.emplace_back(node, std::move(*ticket->gained[place]));
            } else {
                states_[node].waiting.fetch_sub(1);
                scarce = node;
            }
        }
    }
    for (auto& [node, connection] : returned) {
        if (!connection) {
            give_permit(node);
            continue;
        }
        if (connection->channel().is_detached()) connection->channel().attach(ticket->pool.thread());
        ticket->pool.give_back(std::move(connection));
    }
    return scarce;
}

}  // namespace shardway::backend
