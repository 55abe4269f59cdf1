#include "middleware/admin/proxy_report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "middleware/admin/ask.hpp"
#include "middleware/net/parallel.hpp"
#include "middleware/session/registry.hpp"

namespace shardway::admin {

using backend::BackendCounter;
using session::SessionCounter;

namespace {

struct ThreadReport {
    std::vector<std::size_t> idle;  // by node
    plan::PlannerCounters plans;
    std::size_t plan_bytes = 0;
};

net::Task<ThreadReport> report_of(const session::ThreadServices& services) {
    ThreadReport report;
    for (std::size_t node = 0; node < services.shared.fleet.size(); ++node)
        report.idle.push_back(services.pool.idle(static_cast<backend::NodeIndex>(node)));
    report.plans = services.planner.counters();
    report.plan_bytes = services.planner.cache_bytes();
    co_return report;
}

net::Task<void> ask_thread(net::IoThread& here, const session::ThreadServices& services,
                           base::SteadyTime deadline, std::optional<ThreadReport>& answer) {
    std::function<net::Task<ThreadReport>()> work = [&services] { return report_of(services); };
    answer = co_await ask(here, services.thread, std::move(work), deadline);
}

net::Task<void> ask_probe(net::IoThread& here, NodeProbe& probe, base::SteadyTime deadline,
                          std::optional<std::vector<NodeState>>& answer) {
    std::function<net::Task<std::vector<NodeState>>()> work = [&probe] { return probe.look(); };
    answer = co_await ask(here, probe.thread(), std::move(work), deadline);
}

void add_counters(ProxyReport& report, const Proxy& proxy) {
    const auto& sessions = proxy.services.counters;
    report.logins = sessions.sum(SessionCounter::logins);
    report.failed_logins = sessions.sum(SessionCounter::failed_logins);
    report.connections_refused = sessions.sum(SessionCounter::connections_refused);
    report.statements = sessions.sum(SessionCounter::statements);
    report.failed_statements = sessions.sum(SessionCounter::failed_statements);
    report.sessions = proxy.services.registry.size();
    const auto& backends = proxy.services.fleet.counters();
    report.connections_opened = backends.sum(BackendCounter::connections_opened);
    report.connections_failed = backends.sum(BackendCounter::connections_failed);
    report.connections_closed = backends.sum(BackendCounter::connections_closed);
    report.connections_moved = backends.sum(BackendCounter::connections_moved);
    report.waits = backends.sum(BackendCounter::waits);
    report.wait_timeouts = backends.sum(BackendCounter::wait_timeouts);
    report.trains = backends.sum(BackendCounter::trains);
    report.buffered_bytes = proxy.services.budget.used();
    report.buffered_bytes_max = proxy.services.budget.limit() == SIZE_MAX ? 0 : proxy.services.budget.limit();
}

void add_statements(ProxyReport& report, const Proxy& proxy) {
    constexpr auto kinds = static_cast<std::size_t>(plan::StatementKind::session) + 1;
    constexpr auto strategies = static_cast<std::size_t>(plan::Strategy::scatter_write) + 1;
    for (std::size_t cell = 0; cell < kinds * strategies; ++cell) {
        StatementCount counted{static_cast<plan::StatementKind>(cell / strategies),
                               static_cast<plan::Strategy>(cell % strategies), 0};
        for (const auto& thread : proxy.threads)
            counted.count += thread->metrics.count(counted.kind, counted.strategy);
        if (counted.count > 0) report.planned.push_back(counted);
    }
    std::uint64_t micros = 0;
    for (const auto& thread : proxy.threads) {
        for (std::size_t bucket = 0; bucket < report.took.size(); ++bucket)
            report.took[bucket] += thread->metrics.in_bucket(bucket);
        micros += thread->metrics.micros();
    }
    report.took_seconds = static_cast<double>(micros) / 1e6;
}

// What stands before and behind the command's name in /proc/self/stat is counted from its closing
// parenthesis, since the name may hold anything.
void read_stat(ProcessReport& report) {
    std::ifstream file{"/proc/self/stat"};
    std::string line;
    std::getline(file, line);
    const auto name_end = line.rfind(')');
    if (name_end == line.npos) return;
    unsigned long user = 0, system = 0;
    unsigned long long started = 0;
    long resident = 0;
    const int read = std::sscanf(line.c_str() + name_end + 1,
                                 " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d "
                                 "%*d %llu %*u %ld",
                                 &user, &system, &started, &resident);
    if (read != 4) return;
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    report.cpu_seconds = static_cast<double>(user + system) / ticks;
    report.resident_bytes =
        static_cast<std::uint64_t>(resident) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    std::ifstream all{"/proc/stat"};
    for (std::string each; std::getline(all, each);)
        if (each.starts_with("btime "))
            report.started = std::stod(each.substr(6)) + static_cast<double>(started) / ticks;
}

}  // namespace

std::string_view label_of(plan::StatementKind kind) {
    using plan::StatementKind;
    switch (kind) {
    case StatementKind::select: return "select";
    case StatementKind::insert: return "insert";
    case StatementKind::replace: return "replace";
    case StatementKind::update: return "update";
    case StatementKind::delete_: return "delete";
    case StatementKind::show: return "show";
    case StatementKind::explain: return "explain";
    case StatementKind::ddl: return "ddl";
    case StatementKind::call: return "call";
    case StatementKind::other: return "other";
    case StatementKind::session: return "session";
    }
    return {};
}

std::string_view label_of(plan::Strategy strategy) {
    using plan::Strategy;
    switch (strategy) {
    case Strategy::session: return "session";
    case Strategy::one_place: return "one_place";
    case Strategy::split_write: return "split_write";
    case Strategy::everywhere_write: return "everywhere_write";
    case Strategy::scatter_read: return "scatter_read";
    case Strategy::scatter_write: return "scatter_write";
    }
    return {};
}

ProcessReport process_report() {
    ProcessReport report;
    read_stat(report);
    if (DIR* folder = opendir("/proc/self/fd")) {
        while (const dirent* entry = readdir(folder))
            if (entry->d_name[0] != '.') ++report.open_files;
        closedir(folder);
        if (report.open_files > 0) --report.open_files;  // the folder itself
    }
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) report.open_files_max = files.rlim_cur;
    return report;
}

std::size_t ProxyReport::nodes_up() const {
    return static_cast<std::size_t>(
        std::count_if(nodes.begin(), nodes.end(), [](const NodeReport& node) { return node.state.is_up; }));
}

net::Task<ProxyReport> make_report(Proxy proxy, net::IoThread& here) {
    const auto now = here.clock().steady();
    const auto deadline = now + report_time_max;
    std::vector<std::optional<ThreadReport>> threads(proxy.threads.size());
    std::optional<std::vector<NodeState>> states;
    std::vector<net::Task<void>> questions;
    for (std::size_t index = 0; index < threads.size(); ++index)
        questions.push_back(ask_thread(here, *proxy.threads[index], deadline, threads[index]));
    questions.push_back(ask_probe(here, proxy.probe, deadline, states));
    co_await net::in_parallel(here, std::move(questions));

    ProxyReport report;
    report.version = SHARDWAY_VERSION;
    report.announced_version = proxy.services.identity.version;
    report.uptime_seconds = std::chrono::duration<double>(now - proxy.services.identity.started).count();
    report.threads = static_cast<std::uint32_t>(proxy.threads.size());
    add_counters(report, proxy);
    add_statements(report, proxy);
    report.process = process_report();
    const backend::Fleet& fleet = proxy.services.fleet;
    for (std::size_t index = 0; index < fleet.size(); ++index) {
        const auto node = static_cast<backend::NodeIndex>(index);
        NodeReport& each = report.nodes.emplace_back();
        each.name = fleet.node(node).name;
        each.address = fleet.node(node).address;
        each.connections = fleet.permits_in_use(node);
        each.connections_max = fleet.options().connections;
        each.waiting = fleet.waiting(node);
        if (states) each.state = (*states)[index];
        if (!states) each.state.error = "the thread that looks after the nodes does not answer";
        for (const auto& thread : threads)
            if (thread) each.idle += static_cast<std::uint32_t>(thread->idle[index]);
    }
    for (std::size_t index = 0; index < threads.size(); ++index) {
        if (!threads[index]) {
            report.silent_threads.push_back(index);
            continue;
        }
        report.plans.hits += threads[index]->plans.hits;
        report.plans.misses += threads[index]->plans.misses;
        report.plans.evictions += threads[index]->plans.evictions;
        report.plan_bytes += threads[index]->plan_bytes;
    }
    co_return report;
}

}  // namespace shardway::admin
