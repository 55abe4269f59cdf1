#include "middleware/admin/status_variables.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shardway::admin {

std::vector<std::pair<std::string, std::string>> status_variables(const ProxyReport& report) {
    std::vector<std::pair<std::string, std::string>> out;
    const auto number = [&](std::string name, auto value) {
        out.emplace_back(std::move(name), std::to_string(value));
    };
    const auto uptime = static_cast<std::uint64_t>(report.uptime_seconds);
    number("Uptime", uptime);
    number("Questions", report.statements);
    number("Queries", report.statements);
    number("Connections", report.logins + report.failed_logins);
    number("Aborted_connects", report.failed_logins);
    number("Threads_connected", report.sessions);

    out.emplace_back("Shardway_version", report.version);
    number("Shardway_uptime", uptime);
    number("Shardway_threads", report.threads);
    number("Shardway_threads_silent", report.silent_threads.size());
    number("Shardway_sessions", report.sessions);
    number("Shardway_logins", report.logins);
    number("Shardway_failed_logins", report.failed_logins);
    number("Shardway_connections_refused", report.connections_refused);
    number("Shardway_statements", report.statements);
    number("Shardway_statement_errors", report.failed_statements);
    // By how they run; a name for each that there is, so that the list does not change its length.
    for (std::size_t at = 0; at <= static_cast<std::size_t>(plan::Strategy::scatter_write); ++at) {
        const auto strategy = static_cast<plan::Strategy>(at);
        std::uint64_t count = 0;
        for (const StatementCount& each : report.planned)
            if (each.strategy == strategy) count += each.count;
        number(fmt::format("Shardway_statements_{}", label_of(strategy)), count);
    }
    number("Shardway_plan_cache_hits", report.plans.hits);
    number("Shardway_plan_cache_misses", report.plans.misses);
    number("Shardway_plan_cache_evictions", report.plans.evictions);
    number("Shardway_plan_cache_bytes", report.plan_bytes);
    number("Shardway_buffered_bytes", report.buffered_bytes);
    number("Shardway_buffered_bytes_max", report.buffered_bytes_max);
    number("Shardway_nodes", report.nodes.size());
    number("Shardway_nodes_up", report.nodes_up());
    std::uint64_t connections = 0, idle = 0, waiting = 0;
    for (const NodeReport& node : report.nodes) {
        connections += node.connections;
        idle += node.idle;
        waiting += node.waiting;
    }
    number("Shardway_backend_connections", connections);
    number("Shardway_backend_connections_idle", idle);
    number("Shardway_backend_waiting", waiting);
    number("Shardway_backend_connections_opened", report.connections_opened);
    number("Shardway_backend_connections_failed", report.connections_failed);
    number("Shardway_backend_connections_closed", report.connections_closed);
    number("Shardway_backend_connections_moved", report.connections_moved);
    number("Shardway_backend_waits", report.waits);
    number("Shardway_backend_wait_timeouts", report.wait_timeouts);
    number("Shardway_backend_trains", report.trains);
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace shardway::admin
