// Everything that Shardway can say of itself in numbers, gathered once for whoever shows it: /metrics,
// /healthz, SHOW STATUS, SHARDWAY SHOW NODES.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "middleware/admin/node_probe.hpp"
#include "middleware/backend/fleet.hpp"
#include "middleware/net/task.hpp"
#include "middleware/plan/plan.hpp"
#include "middleware/session/services.hpp"

namespace shardway::admin {

// The running proxy, as admin sees it. All of it outlives admin.
struct Proxy {
    session::Services& services;
    const std::vector<std::unique_ptr<session::ThreadServices>>& threads;  // by the threads' indexes
    NodeProbe& probe;
};

struct NodeReport {
    std::string name, address;
    NodeState state;
    std::uint32_t connections = 0;  // open or being opened
    std::uint32_t idle = 0;         // of these
    std::uint32_t connections_max = 0;
    std::uint32_t waiting = 0;  // places in statements that wait for a connection
};

// Names for programs, which stay whatever the words that people read: "one_place", "select".
std::string_view label_of(plan::StatementKind kind);
std::string_view label_of(plan::Strategy strategy);

struct StatementCount {
    plan::StatementKind kind;
    plan::Strategy strategy;
    std::uint64_t count;
};

struct ProcessReport {  // of the kernel; zeros where it does not say
    std::uint64_t resident_bytes = 0;
    double cpu_seconds = 0;
    std::uint64_t open_files = 0, open_files_max = 0;
    double started = 0;  // seconds since 1970
};
ProcessReport process_report();

struct ProxyReport {
    std::string version;            // ours
    std::string announced_version;  // what clients see
    double uptime_seconds = 0;
    std::uint32_t threads = 0;
    std::vector<std::size_t> silent_threads;  // did not answer in time: what is theirs is missing

    std::uint64_t sessions = 0;
    std::uint64_t logins = 0, failed_logins = 0, connections_refused = 0;
    std::uint64_t statements = 0, failed_statements = 0;
    std::vector<StatementCount> planned;  // those that are not 0
    std::array<std::uint64_t, session::StatementMetrics::bucket_count> took{};
    double took_seconds = 0;

    plan::PlannerCounters plans;
    std::uint64_t plan_bytes = 0;
    std::uint64_t buffered_bytes = 0, buffered_bytes_max = 0;  // max 0: no limit

    std::uint64_t connections_opened = 0, connections_failed = 0, connections_closed = 0,
                  connections_moved = 0, waits = 0, wait_timeouts = 0, trains = 0;
    std::vector<NodeReport> nodes;
    ProcessReport process;

    std::size_t nodes_up() const;
};

// Asks all threads and nodes; takes at most `report_time_max`. From `here`, the calling thread.
net::Task<ProxyReport> make_report(Proxy proxy, net::IoThread& here);
constexpr std::chrono::milliseconds report_time_max{1500};

}  // namespace shardway::admin
