// What sessions are given: what the process shares, and what belongs to their thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "middleware/backend/fleet.hpp"
#include "middleware/backend/pool.hpp"
#include "middleware/net/io_thread.hpp"
#include "middleware/net/tls.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/protocol/charset.hpp"
#include "middleware/protocol/rsa_key.hpp"
#include "middleware/session/column_memo.hpp"
#include "middleware/session/metrics.hpp"
#include "rules/ids.hpp"
#include "rules/topology.hpp"
#include "schema/base/budget.hpp"
#include "schema/base/counters.hpp"
#include "schema/base/random.hpp"

namespace shardway::session {

class Registry;
class ShardwayHandler;

enum class SessionCounter : std::uint8_t {
    logins,
    failed_logins,
    statements,
    failed_statements,
    connections_refused,
    count_
};

// What we say of ourselves.
struct ServerIdentity {
    std::string version;  // the lowest of the nodes', with -shardway
    protocol::ServerKind kind = protocol::ServerKind::mysql;
    std::uint32_t version_number = 90700;                  // 9.7.0
    std::string sql_mode;                                  // the nodes' global one, which sessions start with
    std::size_t packet_bytes_max = std::size_t{16} << 20;  // max_allowed_packet: the lowest of the nodes'
    std::string hostname;
    std::uint16_t port = 0;
    base::SteadyTime started{};
};

// Made before the first session, ended after the last.
struct Services {
    net::IoThreads& threads;
    backend::Fleet& fleet;
    Registry& registry;
    base::ProcessBudget& budget;
    base::Random& random;
    base::Counters<SessionCounter>& counters;
    const ServerIdentity identity;
    const net::TlsContext* tls = nullptr;  // null: none offered
    bool tls_required = false;
    const protocol::RsaKey* rsa_key = nullptr;
    std::atomic<std::uint64_t> next_session_id = 1;
    rules::IdSources* ids = nullptr;     // outlives the threads' services; null: none are made
    ShardwayHandler* handler = nullptr;  // outlives the sessions; null: such statements are refused
};

// One thread's ids, as the planner asks for them.
class SessionIds final : public plan::IdProvider {
public:
    explicit SessionIds(rules::IdSources& sources) : ids_{sources} {}
    rules::GeneratedIdResult next(std::string_view database, const rules::TableState& table,
                                  std::optional<rules::Slot> slot) override {
        return ids_.next(database, table, slot);
    }

private:
    rules::ThreadIds ids_;
};

// One per thread.
struct ThreadServices {
    ThreadServices(Services& all, net::IoThread& its_thread, std::shared_ptr<const rules::Topology> first)
        : shared{all}, thread{its_thread}, pool{all.fleet, its_thread}, topology{std::move(first)} {
        if (all.ids != nullptr) ids.emplace(*all.ids);
    }

    Services& shared;
    net::IoThread& thread;
    backend::Pool pool;
    plan::Planner planner;
    std::optional<SessionIds> ids;
    StatementMetrics metrics;
    ColumnMemo column_memo;
    std::shared_ptr<const rules::Topology> topology;  // the newest; a new one comes by the mailbox
};

}  // namespace shardway::session
