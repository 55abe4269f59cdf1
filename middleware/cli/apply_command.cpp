#include "middleware/cli/apply_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "middleware/cli/apply_run.hpp"
#include "middleware/cli/targets.hpp"
#include "rules/load.hpp"
#include "rules/stored_maps.hpp"
#include "schema/meta_store.hpp"

namespace shardway::cli {

namespace {

constexpr int status_done = 0, status_failed = 1, status_wrong_files = 2;

// The maps in force. `apply` seeds none: before the first `serve` there is no store, and `place` says it all.
rules::StoredMaps stored_maps(const rules::Rules& rules, const std::string& data) {
    std::filesystem::path file{rules.meta.sqlite};
    if (file.empty()) return {};
    if (!data.empty()) file = std::filesystem::path{data} / file.filename();
    if (!std::filesystem::exists(file)) return {};
    const auto store = schema::open_sqlite_store(file.string());
    return rules::load_maps(rules, *store);
}

// A bar on standard error, redrawn at most ten times a second.
class ProgressBar {
public:
    explicit ProgressBar(bool shown) : shown_{shown} {}
    ~ProgressBar() {
        if (drawn_) std::fputs("\r\x1b[K", stderr);
    }
    void show(std::size_t done, std::size_t total) {
        if (!shown_ || total == 0) return;
        const std::lock_guard lock{mutex_};
        const auto now = std::chrono::steady_clock::now();
        if (done < total && now - last_ < std::chrono::milliseconds{100}) return;
        last_ = now;
        drawn_ = true;
        constexpr std::size_t width = 40;
        const std::size_t filled = std::min(done * width / total, width);
        std::fputs(
            fmt::format("\r[{:=<{}}{:>{}}] {}/{}", "", filled, "", width - filled, done, total).c_str(),
            stderr);
        std::fflush(stderr);
    }

private:
    const bool shown_;
    bool drawn_ = false;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point last_{};
};

int complain(const ApplyOptions& options, int status, const std::vector<std::string>& lines) {
    if (options.json) {
        boost::json::array problems;
        for (const std::string& line : lines) problems.emplace_back(line);
        fmt::print("{}\n",
                   boost::json::serialize(boost::json::object{{"status", status}, {"problems", problems}}));
    } else {
        for (const std::string& line : lines) fmt::print(stderr, "{}\n", line);
    }
    return status;
}

std::optional<std::string> read_file(const std::string& path, std::size_t bytes_max) {
    std::ifstream file{path, std::ios::binary};
    if (!file) return std::nullopt;
    std::string text;
    char buffer[65536];
    while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(file.gcount()));
        if (text.size() > bytes_max) return std::nullopt;
    }
    return file.bad() ? std::nullopt : std::optional{std::move(text)};
}

struct Connected {
    std::vector<backend::ControlConnection> connections;  // by NodeId
    std::vector<std::string> problems;
};

Connected connect_all(const rules::Rules& rules) {
    std::vector<std::optional<protocol::Result<backend::ControlConnection>>> results(rules.nodes.size());
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < results.size(); ++i)
            threads.emplace_back([&rules, &results, i] {
                results[i].emplace(
                    backend::ControlConnection::connect(control_target(rules, rules::NodeId{i})));
            });
    }
    Connected connected;
    for (auto& result : results) {
        if (result->has_error())
            connected.problems.push_back(result->error().message);
        else
            connected.connections.push_back(std::move(**result));
    }
    for (const auto& connection : connected.connections)
        if (connection.is_mariadb() != connected.connections.front().is_mariadb())
            return {
                {},
                {fmt::format(
                    "node '{}' runs {} and node '{}' runs {}: the nodes of one rules file are all MySQL or "
                    "all MariaDB",
                    connected.connections.front().node(), connected.connections.front().server_version(),
                    connection.node(), connection.server_version())}};
    return connected;
}

// "9.7.4-2" → 90704, "10.11.19-MariaDB" → 101119: as /*!NNNNN counts.
std::uint32_t version_number(std::string_view version) {
    std::uint32_t parts[3] = {0, 0, 0};
    std::size_t part = 0;
    for (const char c : version) {
        if (c >= '0' && c <= '9')
            parts[part] = std::min<std::uint32_t>(parts[part] * 10 + static_cast<std::uint32_t>(c - '0'), 99);
        else if (c == '.' && part < 2)
            ++part;
        else
            break;
    }
    return parts[0] * 10000 + parts[1] * 100 + parts[2];
}

sqlparse::ParseOptions parse_options(const std::vector<backend::ControlConnection>& connections) {
    sqlparse::ParseOptions options;
    if (connections.empty()) return options;
    options.dialect =
        connections.front().is_mariadb() ? sqlparse::Dialect::mariadb : sqlparse::Dialect::mysql;
    options.server_version = version_number(connections.front().server_version());
    for (const auto& connection : connections)
        options.server_version =
            std::min(options.server_version, version_number(connection.server_version()));
    return options;
}

void print_json(const ApplyPlan& plan, const ApplyReport& report, int status) {
    boost::json::array nodes;
    for (const NodeReport& node : report.nodes) {
        boost::json::array differences;
        for (const Difference& difference : node.differences)
            differences.push_back(boost::json::object{
                {"table", difference.table}, {"found", difference.found}, {"expected", difference.expected}});
        boost::json::object entry{{"node", node.node},
                                  {"version", node.version},
                                  {"databases_made", node.databases_made},
                                  {"databases_found", node.databases_found},
                                  {"tables_made", node.tables_made},
                                  {"tables_found", node.tables_found},
                                  {"differences", differences}};
        if (!node.error.empty()) entry["error"] = node.error;
        nodes.push_back(std::move(entry));
    }
    boost::json::array notes;
    for (const std::string& note : plan.notes) notes.emplace_back(note);
    const boost::json::object result{{"status", status},
                                     {"seconds", static_cast<double>(report.took.count()) / 1000},
                                     {"nodes", nodes},
                                     {"notes", notes}};
    fmt::print("{}\n", boost::json::serialize(result));
}

void print_text(const ApplyOptions& options, const ApplyPlan& plan, const ApplyReport& report) {
    for (const std::string& note : plan.notes) fmt::print("note: {}\n", note);
    const NodeReport all = report.sum();
    fmt::print("{} on {} nodes in {:.1f} s\n", options.schema, report.nodes.size(),
               static_cast<double>(report.took.count()) / 1000);
    fmt::print("  databases  {} made, {} were there\n", all.databases_made, all.databases_found);
    fmt::print("  tables     {} made, {} were there\n", all.tables_made, all.tables_found);
    for (const NodeReport& node : report.nodes) {
        for (const Difference& difference : node.differences) {
            fmt::print("differs: {} on {}; apply alters nothing\n", difference.table, difference.node);
            fmt::print("  there    {}\n  wanted   {}\n", difference.found, difference.expected);
        }
    }
    for (const NodeReport& node : report.nodes)
        if (!node.error.empty()) fmt::print(stderr, "failed on {}: {}\n", node.node, node.error);
}

}  // namespace

int run_apply(const ApplyOptions& options) {
    const rules::LoadResult loaded = rules::load_rules_file(options.config);
    if (!loaded.rules) {
        std::vector<std::string> lines;
        for (const rules::Finding& finding : loaded.findings) lines.push_back(finding.text());
        return complain(options, status_wrong_files, lines);
    }
    const rules::Rules& rules = *loaded.rules;
    const auto text = read_file(options.schema, schema_bytes_max);
    if (!text)
        return complain(options, status_wrong_files,
                        {fmt::format("{}: cannot be read, or is larger than {} MiB", options.schema,
                                     schema_bytes_max >> 20)});
    if (!options.database.empty() && rules.find_database(options.database) == nullptr)
        return complain(options, status_wrong_files,
                        {fmt::format("the rules name no database '{}'", options.database)});

    Connected connected = connect_all(rules);
    if (!connected.problems.empty()) return complain(options, status_failed, connected.problems);
    const std::string database = options.database.empty() ? default_schema_database(rules) : options.database;
    const SchemaFile schema =
        read_schema(*text, options.schema, rules, database, parse_options(connected.connections));
    std::shared_ptr<const rules::Topology> topology;
    try {
        topology = rules::Topology::build(loaded.rules, std::make_shared<const schema::Catalog>(),
                                          stored_maps(rules, options.data), 1);
    } catch (
        const std::exception& problem) {  // a stored map that the rules do not fit, or a store that fails
        return complain(options, status_wrong_files, {problem.what()});
    }
    ApplyPlan plan = plan_apply(*topology, schema, options.schema);
    if (!plan.problems.empty()) return complain(options, status_wrong_files, plan.problems);
    plan.notes.insert(plan.notes.end(), schema.passed_over.begin(), schema.passed_over.end());

    ApplyReport report;
    {
        ProgressBar bar{options.progress || (!options.json && isatty(STDERR_FILENO) == 1)};
        report = run_apply_plan(*topology, plan, connected.connections,
                                [&](std::size_t done, std::size_t total) { bar.show(done, total); });
    }
    const int status = report.clean() ? status_done : status_failed;
    if (options.json)
        print_json(plan, report, status);
    else
        print_text(options, plan, report);
    return status;
}

void add_apply_command(CLI::App& app) {
    auto options = std::make_shared<ApplyOptions>();
    CLI::App* command = app.add_subcommand("apply",
                                           "Create a schema on all nodes: databases, shards, templates, "
                                           "locators. Makes what is missing, alters nothing.");
    command->add_option("--config", options->config, "Rules file")->required();
    command->add_option("--schema", options->schema, "File of CREATE TABLE statements")->required();
    command->add_option("--data", options->data,
                        "Folder of the metadata file, where it is not beside the rules");
    command->add_option("--database", options->database,
                        "Logical database of tables that the file gives none");
    command->add_flag("--progress", options->progress,
                      "Show a progress bar even when standard error is no terminal");
    command->add_flag("--json", options->json, "Report as JSON on standard output");
    command->callback([options] {
        if (const int status = run_apply(*options); status != 0) throw CLI::RuntimeError(status);
    });
}

}  // namespace shardway::cli
