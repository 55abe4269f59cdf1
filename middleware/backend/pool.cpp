#include "middleware/backend/pool.hpp"

#include <algorithm>

#include "middleware/net/parallel.hpp"
#include "middleware/protocol/errors.hpp"

namespace shardway::backend {

using protocol::Result;

void Lease::give_back() {
    if (connection_) pool_->give_back(std::move(connection_));
}

Pool::Pool(Fleet& fleet, net::IoThread& thread) : fleet_{fleet}, thread_{thread}, idle_(fleet.size()) {
    fleet_.enter(*this);
}

Pool::~Pool() = default;

std::unique_ptr<Connection> Pool::take_idle(NodeIndex node, const SessionState* wanted) {
    auto& idle = idle_[node];
    for (;;) {
        auto best = idle.rend();
        std::size_t looked_at = 0;
        for (auto each = idle.rbegin(); each != idle.rend() && looked_at < looked_at_max; ++each) {
            if (wanted && (*each)->state().found_rows() != wanted->found_rows()) continue;
            if (best == idle.rend()) best = each;
            ++looked_at;
            if (!wanted) break;
            if (&(*each)->state() == wanted || (*each)->state().signature() == wanted->signature()) {
                best = each;
                break;
            }
        }
        if (best == idle.rend()) return nullptr;
        std::unique_ptr<Connection> connection = std::move(*best);
        idle.erase(std::next(best).base());
        const bool trusted = thread_.timers().recent() - connection->idle_since() < trusted_idle;
        if (trusted || !connection->channel().is_stale()) return connection;
        close(std::move(connection));
    }
}

// Closes an idle connection that does not fit, and keeps its permit for one that does.
bool Pool::trade_idle(NodeIndex node) {
    if (idle_[node].empty()) return false;
    idle_[node].erase(idle_[node].begin());
    fleet_.counters(thread_).add(BackendCounter::connections_closed);
    return true;
}

Lease Pool::try_acquire(NodeIndex node, const SessionState* wanted) {
    if (fleet_.anybody_waits(node)) return {};
    auto connection = take_idle(node, wanted);
    return connection ? Lease{*this, std::move(connection)} : Lease{};
}

bool Pool::take_without_waiting(std::vector<Place>& places, const std::vector<NodeIndex>& nodes,
                                const SessionState* wanted) {
    for (const NodeIndex node : nodes) {
        std::unique_ptr<Connection> connection;
        if (!fleet_.anybody_waits(node)) connection = take_idle(node, wanted);
        const bool waited_for = fleet_.anybody_waits(node);
        if (!connection && !fleet_.take_permit(node) && (waited_for || !trade_idle(node))) {
            for (Place& place : places) {
                if (place.connection) {
                    give_back(std::move(place.connection));
                } else {
                    fleet_.give_permit(place.node);
                }
            }
            places.clear();
            return false;
        }
        places.push_back({node, std::move(connection)});
    }
    return true;
}

net::Task<Result<std::vector<Lease>>> Pool::acquire(std::vector<NodeIndex> nodes, const SessionState* wanted,
                                                    base::SteadyTime deadline) {
    std::vector<Place> places;
    if (!take_without_waiting(places, nodes, wanted)) {
        const auto began = thread_.clock().steady();
        fleet_.counters(thread_).add(BackendCounter::waits);
        const auto ticket = std::make_shared<Fleet::Ticket>(*this, nodes);
        fleet_.enter(ticket);
        const bool complete =
            co_await ticket->complete.wait(std::min(deadline, began + fleet_.options().wait_timeout));
        if (!complete) {
            fleet_.counters(thread_).add(BackendCounter::wait_timeouts);
            const NodeIndex scarce = fleet_.leave(ticket);
            const auto waited =
                std::chrono::duration_cast<std::chrono::milliseconds>(thread_.clock().steady() - began);
            co_return protocol::connections_exhausted(fleet_.node(scarce).name, fleet_.options().connections,
                                                      waited);
        }
        for (std::size_t place = 0; place < nodes.size(); ++place) {
            std::unique_ptr<Connection> connection = std::move(*ticket->gained[place]);
            if (connection && connection->channel().is_detached()) connection->channel().attach(thread_);
            if (connection && wanted && connection->state().found_rows() != wanted->found_rows())
                connection.reset();
            places.push_back({nodes[place], std::move(connection)});
        }
    }
    co_return co_await open_missing(std::move(places), wanted && wanted->found_rows(), deadline);
}

net::Task<Result<std::vector<Lease>>> Pool::open_missing(std::vector<Place> places, bool found_rows,
                                                         base::SteadyTime deadline) {
    std::vector<Lease> leases(places.size());
    std::optional<protocol::SqlError> failure;
    std::vector<net::Task<void>> openings;
    for (std::size_t index = 0; index < places.size(); ++index) {
        if (places[index].connection) {
            leases[index] = Lease{*this, std::move(places[index].connection)};
            continue;
        }
        openings.push_back([](Pool& pool, NodeIndex node, base::SteadyTime until, bool with_found_rows,
                              Lease& lease, std::optional<protocol::SqlError>& failed) -> net::Task<void> {
            auto opened = co_await Connection::open(pool.fleet_, node, pool.thread_, until, with_found_rows);
            if (opened.has_error()) {
                pool.fleet_.give_permit(node);
                if (!failed) failed = std::move(opened).error();
                co_return;
            }
            lease = Lease{pool, std::move(opened).value()};
        }(*this, places[index].node, deadline, found_rows, leases[index], failure));
    }
    if (!openings.empty()) co_await net::in_parallel(thread_, std::move(openings));
    if (failure) co_return std::move(*failure);
    co_return leases;
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
    if (!connection->is_reusable()) return close(std::move(connection));
    connection->keep_when_stopped(false);
    connection->went_idle(thread_.timers().recent());
    const NodeIndex node = connection->node();
    if (fleet_.anybody_waits(node)) {
        connection = fleet_.offer(std::move(connection));
        if (!connection) return;
    }
    idle_[node].push_back(std::move(connection));
}

void Pool::close(std::unique_ptr<Connection> connection) {
    const NodeIndex node = connection->node();
    connection.reset();
    fleet_.counters(thread_).add(BackendCounter::connections_closed);
    fleet_.give_permit(node);
}

void Pool::give_up_idle(const std::vector<NodeIndex>& nodes) {
    for (const NodeIndex node : nodes) {
        while (fleet_.anybody_waits(node)) {
            auto connection = take_idle(node, nullptr);
            if (!connection) break;
            connection = fleet_.offer(std::move(connection));
            if (connection) {
                idle_[node].push_back(std::move(connection));
                break;
            }
        }
    }
}

void Pool::close_idle(std::chrono::milliseconds longer_than) {
    const auto oldest = thread_.timers().recent() - longer_than;
    for (auto& idle : idle_) {
        // The longest idle ones are at the front.
        while (!idle.empty() && idle.front()->idle_since() < oldest) {
            auto connection = std::move(idle.front());
            idle.erase(idle.begin());
            close(std::move(connection));
        }
    }
}

}  // namespace shardway::backend
