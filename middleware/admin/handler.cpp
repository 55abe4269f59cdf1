#include "middleware/admin/handler.hpp"

#include <algorithm>

#include "middleware/admin/ask.hpp"
#include "middleware/admin/explain_statement.hpp"
#include "middleware/admin/status_variables.hpp"
#include "middleware/admin/topology_tables.hpp"
#include "middleware/net/parallel.hpp"
#include "middleware/plan/explain.hpp"
#include "middleware/protocol/errors.hpp"
#include "middleware/session/like.hpp"
#include "middleware/session/registry.hpp"
#include "middleware/session/session.hpp"

namespace shardway::admin {

using protocol::Result;
using session::Asker;
using session::OwnResult;

namespace {

using Snapshots = std::vector<session::Session::Snapshot>;

constexpr std::size_t info_characters_max = 100;  // of SHOW PROCESSLIST without FULL, as on a server
constexpr std::chrono::milliseconds list_time_max{1000};

// One row per line.
OwnResult explanation_result(const std::string& text) {
    OwnResult out;
    out.columns = {{"EXPLAIN", false, false, 1024}};
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        out.rows.push_back({text.substr(from, end - from)});
        from = end + 1;
    }
    return out;
}

OwnResult help_table() {
    OwnResult out;
    out.columns = {{"Statement", false, false, 80}, {"Shows", false, false, 255}};
    for (const auto& [statement, what] : statement_help()) out.rows.push_back({statement, what});
    return out;
}

OwnResult status_table(const ProxyReport& report, const std::optional<std::string>& like) {
    OwnResult out;
    out.columns = {{"Variable_name"}, {"Value", false, true, 1024}};
    for (const auto& [name, value] : status_variables(report))
        if (!like || session::is_like(name, *like)) out.rows.push_back({name, value});
    return out;
}

// The first characters of UTF-8 text.
std::string shortened(const std::string& text, std::size_t characters) {
    std::size_t end = 0;
    for (; end < text.size(); ++end)
        if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && characters-- == 0) break;
    return text.substr(0, end);
}

net::Task<Snapshots> sessions_of(const session::Registry& registry, const net::IoThread& thread) {
    Snapshots found;
    registry.for_each_on(thread, [&](const session::Session& each) { found.push_back(each.snapshot()); });
    co_return found;
}

net::Task<void> ask_sessions(net::IoThread& here, session::ThreadServices& there, base::SteadyTime deadline,
                             Snapshots& all) {
    std::function<net::Task<Snapshots>()> work = [&there] {
        return sessions_of(there.shared.registry, there.thread);
    };
    auto found = co_await ask(here, there.thread, std::move(work), deadline);
    if (found) std::move(found->begin(), found->end(), std::back_inserter(all));
}

}  // namespace

bool Handler::takes(std::string_view text, const sqlparse::ParseOptions& options) const {
    const std::size_t first = behind_spaces(text);
    if (first == text.size()) return false;
    const char c = static_cast<char>(text[first] | 0x20);
    const bool may_explain =
        c == 'e' || c == 'd' || text[first] == '/' || text[first] == '-' || text[first] == '#';
    return is_shardway_statement(text, options) || (may_explain && plan::explain_request(text, options));
}

net::Task<Result<OwnResult>> Handler::answer(std::string_view text, const Asker& asker) {
    if (const auto request = plan::explain_request(text, asker.context.options)) {
        const auto explained =
            explain_statement(asker.services.planner, asker.context, request->statement, request->json);
        if (explained.has_error()) co_return explained.error();
        co_return explanation_result(explained.value());
    }
    auto statement = parse_statement(text, asker.context.options);
    if (statement.has_error()) co_return statement.error();
    if (statement.value().kind == StatementKind::help) co_return help_table();
    if (!asker.user.admin) co_return protocol::privilege_needed("SHARDWAY ADMIN (admin: true in the rules)");
    co_return co_await answer_admin(std::move(statement).value(), asker);
}

net::Task<Result<OwnResult>> Handler::answer_admin(Statement statement, const Asker& asker) {
    const rules::Topology& topology = asker.context.topology;
    if (!statement.database.empty() && !topology.database(statement.database))
        co_return protocol::unknown_database(statement.database);
    switch (statement.kind) {
    case StatementKind::help: break;
    case StatementKind::show_nodes: co_return co_await nodes_table(statement.like, asker);
    case StatementKind::show_shards: co_return shards_table(topology, statement.database, statement.like);
    case StatementKind::show_tables: co_return tables_table(topology, statement.database, statement.like);
    case StatementKind::show_processlist:
        co_return co_await sessions_table(statement.full, statement.like, asker);
    case StatementKind::show_status: {
        const std::string shardways = "shardway%";
        co_return co_await show_status(statement.like ? statement.like : std::optional{shardways}, asker);
    }
    }
    co_return help_table();
}

net::Task<Result<OwnResult>> Handler::show_status(std::optional<std::string> like, const Asker& asker) {
    const ProxyReport report = co_await make_report(proxy_, asker.services.thread);
    co_return status_table(report, like);
}

net::Task<Result<OwnResult>> Handler::show_processlist(bool full, const Asker& asker) {
    co_return co_await sessions_table(full, std::nullopt, asker);
}

net::Task<OwnResult> Handler::nodes_table(std::optional<std::string> like, const Asker& asker) {
    const ProxyReport report = co_await make_report(proxy_, asker.services.thread);
    const auto& rules = asker.context.topology.rules();
    OwnResult out;
    out.columns = {{"Node"},
                   {"Address"},
                   {"State"},
                   {"Version", false, true},
                   {"In_use", true, false},
                   {"Idle", true, false},
                   {"Max", true, false},
                   {"Waiting", true, false},
                   {"Replicas", false, true, 1024},
                   {"Error", false, true, 1024}};
    for (std::size_t index = 0; index < report.nodes.size(); ++index) {
        const NodeReport& node = report.nodes[index];
        if (like && !session::is_like(node.name, *like)) continue;
        std::optional<std::string> replicas, version, error;
        if (index < rules.nodes.size())
            for (const rules::Address& replica : rules.nodes[index].replicas)
                replicas = replicas ? *replicas + ", " + replica.text() : replica.text();
        if (!node.state.version.empty()) version = node.state.version;
        if (!node.state.error.empty()) error = node.state.error;
        const auto in_use = node.connections > node.idle ? node.connections - node.idle : 0;
        out.rows.push_back({node.name, node.address, node.state.is_up ? "up" : "down", version,
                            std::to_string(in_use), std::to_string(node.idle),
                            std::to_string(node.connections_max), std::to_string(node.waiting), replicas,
                            error});
    }
    co_return out;
}

net::Task<OwnResult> Handler::sessions_table(bool full, std::optional<std::string> like, const Asker& asker) {
    net::IoThread& here = asker.services.thread;
    const auto now = here.clock().steady();
    Snapshots sessions;
    std::vector<net::Task<void>> questions;
    for (const auto& thread : proxy_.threads)
        questions.push_back(ask_sessions(here, *thread, now + list_time_max, sessions));
    co_await net::in_parallel(here, std::move(questions));
    std::sort(sessions.begin(), sessions.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    OwnResult out;
    out.columns = {{"Id", true, false},
                   {"User"},
                   {"Host"},
                   {"db", false, true},
                   {"Command"},
                   {"Time", true, false},
                   {"State", false, true},
                   {"Info", false, true, full ? 65535U : static_cast<std::uint32_t>(info_characters_max)}};
    const bool is_mariadb = proxy_.services.identity.kind == protocol::ServerKind::mariadb;
    if (is_mariadb) out.columns.push_back({"Progress"});
    for (const auto& each : sessions) {
        // Others' statements are for administrators, as on a server.
        if (!asker.user.admin && each.user != asker.user.name) continue;
        if (like && !session::is_like(each.user, *like)) continue;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - each.since).count();
        std::optional<std::string> database, info;
        if (!each.database.empty()) database = each.database;
        if (each.runs) info = full ? each.text : shortened(each.text, info_characters_max);
        auto& row = out.rows.emplace_back();
        row = {std::to_string(each.id),
               each.user,
               each.host,
               database,
               each.runs ? "Query" : "Sleep",
               std::to_string(std::max<std::int64_t>(seconds, 0)),
               each.in_transaction ? "in transaction" : "",
               info};
        if (is_mariadb) row.emplace_back("0.000");
    }
    co_return out;
}

}  // namespace shardway::admin
