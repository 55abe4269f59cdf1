#include "middleware/cli/check_command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "middleware/cli/check_live.hpp"
#include "middleware/cli/ping.hpp"
#include "middleware/cli/schema_file.hpp"
#include "rules/check.hpp"
#include "rules/load.hpp"
#include "rules/stored_maps.hpp"
#include "schema/meta_store.hpp"

namespace shardway::cli {

namespace {

// What one run has to say.
struct CheckReport {
    std::vector<rules::Finding> findings;
    std::vector<std::string> problems;  // of the schema file: "file:line: text"
    std::vector<std::string> notes;     // what is worth knowing and no fault
};

std::optional<std::string> file_text(const std::string& file) {
    std::ifstream stream{file, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{stream}, {}};
    if (!stream.is_open() || stream.bad()) return std::nullopt;
    return text;
}

void check_schema(const CheckOptions& options, const rules::LoadResult& loaded, const std::string& text,
                  CheckReport& report) {
    sqlparse::ParseOptions parse_options;
    if (options.mariadb) {
        parse_options.dialect = sqlparse::Dialect::mariadb;
        parse_options.server_version = sqlparse::ParseOptions::mariadb_version_default;
    }
    const std::string database =
        options.database.empty() ? default_schema_database(*loaded.rules) : options.database;
    const SchemaFile file = read_schema(text, options.schema, *loaded.rules, database, parse_options);
    report.problems = file.problems;
    // Half a schema would give findings that are none.
    if (!file.problems.empty()) return;
    report.findings = rules::check_tables(*loaded.rules, loaded.places, catalog_of(file, parse_options));
}

// The stored slot maps win over `place`: says where they differ, and refuses those that do not fit. Nothing
// when there is no store, or a map that does not fit.
rules::StoredMaps check_stored_maps(const CheckOptions& options, const rules::Rules& rules,
                                    CheckReport& report) {
    std::filesystem::path file{rules.meta.sqlite};
    if (file.empty()) return {};
    if (!options.data.empty()) file = std::filesystem::path{options.data} / file.filename();
    if (!std::filesystem::exists(file)) return {};
    try {
        const auto store = schema::open_sqlite_store(file.string());
        auto maps = rules::load_maps(rules, *store);
        rules::Topology::build(std::make_shared<const rules::Rules>(rules),
                               std::make_shared<const schema::Catalog>(), maps, 0);
        report.notes = rules::map_differences(rules, maps);
        return maps;
    } catch (const std::exception& error) {
        report.findings.push_back(
            {file.string(), 0, 0, "slot map", error.what(), "a stored map that fits the rules"});
        return {};
    }
}

void check_nodes(const rules::LoadResult& loaded, const rules::StoredMaps& maps, CheckReport& report) {
    auto live = check_live(loaded, maps);
    std::move(live.findings.begin(), live.findings.end(), std::back_inserter(report.findings));
    std::move(live.notes.begin(), live.notes.end(), std::back_inserter(report.notes));
}

boost::json::object json_of(const rules::Finding& finding) {
    return {{"file", finding.file}, {"line", finding.line},   {"column", finding.column},
            {"key", finding.key},   {"found", finding.found}, {"expected", finding.expected}};
}

void print_json(const CheckReport& report) {
    boost::json::array findings, problems, notes;
    for (const auto& finding : report.findings) findings.push_back(json_of(finding));
    for (const auto& problem : report.problems) problems.emplace_back(problem);
    for (const auto& note : report.notes) notes.emplace_back(note);
    const bool clean = report.findings.empty() && report.problems.empty();
    const boost::json::object all{
        {"clean", clean}, {"findings", findings}, {"schema_problems", problems}, {"notes", notes}};
    fmt::print("{}\n", boost::json::serialize(all));
}

void print_text(const CheckReport& report) {
    for (const auto& finding : report.findings) fmt::print("{}\n", finding.text());
    for (const auto& problem : report.problems) fmt::print("{}\n", problem);
    for (const auto& note : report.notes) fmt::print("note: {}\n", note);
    const std::size_t count = report.findings.size() + report.problems.size();
    if (count == 0) fmt::print("no findings\n");
    if (count > 0) fmt::print("{} finding{}\n", count, count == 1 ? "" : "s");
}

}  // namespace

int run_check(const CheckOptions& options) {
    const auto config = file_text(options.config);
    const auto schema_text =
        options.schema.empty() ? std::optional<std::string>{""} : file_text(options.schema);
    if (!config || !schema_text) {
        fmt::print(stderr, "shardway check: cannot read {}\n", config ? options.schema : options.config);
        return 2;
    }
    CheckReport report;
    const auto loaded = rules::load_rules(*config, options.config);
    report.findings = loaded.findings;
    if (loaded.rules && schema_text->size() > schema_bytes_max) {
        report.problems.push_back(fmt::format("{}: {} bytes; at most {} are read", options.schema,
                                              schema_text->size(), schema_bytes_max));
    } else if (loaded.rules) {
        if (!options.schema.empty()) check_schema(options, loaded, *schema_text, report);
        const auto maps = check_stored_maps(options, *loaded.rules, report);
        if (options.live) check_nodes(loaded, maps, report);
    }
    if (loaded.rules && options.ping)
        if (const std::string problem = ping(*loaded.rules); !problem.empty())
            report.problems.push_back(problem);
    if (options.json) print_json(report);
    if (!options.json) print_text(report);
    return report.findings.empty() && report.problems.empty() ? 0 : 1;
}

void add_check_command(CLI::App& app) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* const command =
        app.add_subcommand("check", "Find what is wrong with a rules file, and with a schema under it");
    command->add_option("--config", options->config, "rules file")->required();
    command->add_option("--schema", options->schema, "schema file: CREATE TABLEs");
    command->add_option("--database", options->database,
                        "database of tables that the schema file gives none");
    command->add_option("--data", options->data, "folder of the metadata file");
    command->add_flag("--mariadb", options->mariadb, "read the schema file as MariaDB does");
    command->add_flag("--live", options->live, "ask the nodes too: what lies there, and how they are set up");
    command->add_flag("--ping", options->ping, "log in to the running Shardway, for health checks");
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options] {
        if (const int status = run_check(*options); status != 0) throw CLI::RuntimeError(status);
    });
}

}  // namespace shardway::cli
