#include "middleware/admin/metrics.hpp"

#include <deque>
#include <limits>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace shardway::admin {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

class Families {
public:
    MetricFamily& add(MetricType type, std::string name, std::string help) {
        MetricFamily& family = families_.emplace_back();
        family.name = std::move(name);
        family.help = std::move(help);
        family.type = type;
        return family;
    }
    static void sample(MetricFamily& family, double value, Labels labels = {}) {
        ClientMetric& metric = family.metric.emplace_back();
        metric.label = std::move(labels);
        (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    }
    void counter(std::string name, std::string help, std::uint64_t value) {
        sample(add(MetricType::Counter, std::move(name), std::move(help)), static_cast<double>(value));
    }
    void gauge(std::string name, std::string help, double value) {
        sample(add(MetricType::Gauge, std::move(name), std::move(help)), value);
    }
    std::string text() const {
        const prometheus::TextSerializer serializer;
        return static_cast<const prometheus::Serializer&>(serializer)
            .Serialize({families_.begin(), families_.end()});
    }

private:
    std::deque<MetricFamily> families_;  // references to what add() gave last
};

void add_sessions(Families& out, const ProxyReport& report) {
    auto& build = out.add(MetricType::Gauge, "shardway_build_info", "Always 1; the labels say what runs");
    Families::sample(build, 1,
                     {{"version", report.version}, {"announced_version", report.announced_version}});
    out.gauge("shardway_uptime_seconds", "Time since Shardway began to serve", report.uptime_seconds);
    out.gauge("shardway_threads", "Threads that serve clients", report.threads);
    out.gauge("shardway_threads_silent", "Threads that did not answer this scrape in time",
              static_cast<double>(report.silent_threads.size()));
    out.gauge("shardway_sessions", "Clients logged in", static_cast<double>(report.sessions));
    out.counter("shardway_logins_total", "Logins that succeeded", report.logins);
    out.counter("shardway_failed_logins_total", "Logins that were refused", report.failed_logins);
    out.counter("shardway_connections_refused_total", "Clients turned away before their login",
                report.connections_refused);
}

void add_statements(Families& out, const ProxyReport& report) {
    auto& statements = out.add(MetricType::Counter, "shardway_statements_total",
                               "Statements that were planned, by kind and by how they run");
    for (const StatementCount& each : report.planned)
        Families::sample(
            statements, static_cast<double>(each.count),
            {{"kind", std::string{label_of(each.kind)}}, {"strategy", std::string{label_of(each.strategy)}}});
    out.counter("shardway_queries_total", "Statements that came in, planned or refused", report.statements);
    out.counter("shardway_statement_errors_total", "Statements that were answered by an error",
                report.failed_statements);
    auto& durations = out.add(MetricType::Histogram, "shardway_statement_duration_seconds",
                              "From a statement's arrival to the last byte of its answer");
    auto& histogram = durations.metric.emplace_back().histogram;
    const auto& bounds = session::StatementMetrics::bounds;
    for (std::size_t bucket = 0; bucket < report.took.size(); ++bucket) {
        histogram.sample_count += report.took[bucket];
        const double bound = bucket < bounds.size() ? std::chrono::duration<double>(bounds[bucket]).count()
                                                    : std::numeric_limits<double>::infinity();
        histogram.bucket.push_back({histogram.sample_count, bound});
    }
    histogram.sample_sum = report.took_seconds;
}

void add_planning(Families& out, const ProxyReport& report) {
    out.counter("shardway_plan_cache_hits_total", "Statements whose plan was known", report.plans.hits);
    out.counter("shardway_plan_cache_misses_total", "Statements that were planned anew", report.plans.misses);
    out.counter("shardway_plan_cache_evictions_total", "Plans that gave way to others",
                report.plans.evictions);
    out.gauge("shardway_plan_cache_bytes", "Memory of the plans that are kept",
              static_cast<double>(report.plan_bytes));
    out.gauge("shardway_buffered_bytes", "Rows held by statements at this moment",
              static_cast<double>(report.buffered_bytes));
    out.gauge("shardway_buffered_bytes_max", "limits.total_memory; 0: no limit",
              static_cast<double>(report.buffered_bytes_max));
}

void add_nodes(Families& out, const ProxyReport& report) {
    auto& up = out.add(MetricType::Gauge, "shardway_node_up", "1 when the node answers");
    auto& open = out.add(MetricType::Gauge, "shardway_node_connections", "Connections to the node by state");
    auto& cap = out.add(MetricType::Gauge, "shardway_node_connections_max", "backend.connections");
    auto& waiting = out.add(MetricType::Gauge, "shardway_node_waiting",
                            "Statements that wait for a connection to the node");
    for (const NodeReport& node : report.nodes) {
        const auto in_use = node.connections > node.idle ? node.connections - node.idle : 0;
        Families::sample(up, node.state.is_up ? 1 : 0, {{"node", node.name}});
        Families::sample(open, in_use, {{"node", node.name}, {"state", "in_use"}});
        Families::sample(open, node.idle, {{"node", node.name}, {"state", "idle"}});
        Families::sample(cap, node.connections_max, {{"node", node.name}});
        Families::sample(waiting, node.waiting, {{"node", node.name}});
    }
    out.counter("shardway_backend_connections_opened_total", "Connections to nodes that were opened",
                report.connections_opened);
    out.counter("shardway_backend_connections_failed_total", "Connections to nodes that could not be opened",
                report.connections_failed);
    out.counter("shardway_backend_connections_closed_total", "Connections to nodes that were closed",
                report.connections_closed);
    out.counter("shardway_backend_connections_moved_total", "Connections that were handed to another thread",
                report.connections_moved);
    out.counter("shardway_backend_waits_total", "Statements that had to wait for a connection", report.waits);
    out.counter("shardway_backend_wait_timeouts_total", "Statements that waited in vain",
                report.wait_timeouts);
    out.counter("shardway_backend_trains_total", "Writes that left for a node", report.trains);
}

// The names that dashboards for any process know.
void add_process(Families& out, const ProcessReport& process) {
    auto& cpu = out.add(MetricType::Counter, "process_cpu_seconds_total", "User and system time");
    Families::sample(cpu, process.cpu_seconds);
    out.gauge("process_resident_memory_bytes", "Resident memory",
              static_cast<double>(process.resident_bytes));
    out.gauge("process_open_fds", "Open file descriptors", static_cast<double>(process.open_files));
    out.gauge("process_max_fds", "File descriptors that may be open",
              static_cast<double>(process.open_files_max));
    out.gauge("process_start_time_seconds", "Start, in seconds since 1970", process.started);
}

}  // namespace

std::string metrics_text(const ProxyReport& report) {
    Families families;
    add_sessions(families, report);
    add_statements(families, report);
    add_planning(families, report);
    add_nodes(families, report);
    add_process(families, report.process);
    return families.text();
}

}  // namespace shardway::admin
