#include "middleware/cli/explain_command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "middleware/admin/explain_statement.hpp"
#include "middleware/cli/fleet_state.hpp"
#include "middleware/cli/schema_file.hpp"
#include "middleware/plan/explain.hpp"
#include "middleware/plan/sample_ids.hpp"
#include "middleware/protocol/charset.hpp"
#include "middleware/session/settings.hpp"
#include "rules/load.hpp"
#include "rules/stored_maps.hpp"
#include "schema/meta_store.hpp"

namespace shardway::cli {

namespace {

constexpr int status_explained = 0, status_refused = 1, status_wrong = 2;
// Where its client sits, for USER() in the text.
constexpr std::string_view session_host = "127.0.0.1";

// A session that has just logged in, as the planner sees it.
class FreshSession final : public plan::SessionView {
public:
    FreshSession(const session::ServerIdentity& identity, const rules::User& user, std::string database)
        : identity_{identity},
          user_rule_{user},
          settings_{session::Settings::after_login(identity, utf8mb4_of(identity), false)},
          user_{fmt::format("{}@{}", user.name, session_host)},
          account_{user.name + "@%"} {
        settings_.database = std::move(database);
    }

    plan::PlanContext context(const rules::Topology& topology) const {
        return session::planning_context(topology, *this, settings_, user_, account_);
    }

    bool may_use(std::string_view database) const override { return user_rule_.may_use(database); }
    std::optional<std::string> variable(std::string_view scope, std::string_view name) const override {
        return session::own_variable(identity_, settings_, scope, name);
    }

private:
    static std::uint16_t utf8mb4_of(const session::ServerIdentity& identity) {
        const auto collation = protocol::default_collation(identity.kind, "utf8mb4");
        return collation ? collation->id : std::uint16_t{45};
    }

    const session::ServerIdentity& identity_;
    const rules::User& user_rule_;
    session::Settings settings_;
    const std::string user_, account_;
};

// What stops before the statement is looked at.
struct Unready : std::runtime_error {
    Unready(int its_status, const std::string& text) : std::runtime_error{text}, status{its_status} {}
    int status;
};

std::string whole_file(const std::string& file, std::size_t bytes_max) {
    std::ifstream stream{file, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{stream}, {}};
    if (!stream.is_open() || stream.bad()) throw Unready{status_wrong, fmt::format("cannot read {}", file)};
    if (text.size() > bytes_max)
        throw Unready{status_wrong,
                      fmt::format("{}: {} bytes; at most {} are read", file, text.size(), bytes_max)};
    return text;
}

std::shared_ptr<const rules::Rules> rules_of(const ExplainOptions& options) {
    auto loaded = rules::load_rules_file(options.config);
    for (const rules::Finding& finding : loaded.findings) fmt::print(stderr, "{}\n", finding.text());
    if (!loaded.rules)
        throw Unready{status_wrong, fmt::format("the rules in {} cannot be used", options.config)};
    return loaded.rules;
}

// The tables as the schema file has them, on servers of that kind with their default settings.
FleetState fleet_of_schema(const ExplainOptions& options, const rules::Rules& rules) {
    FleetState fleet;
    sqlparse::ParseOptions parse_options;
    fleet.identity.version = "9.7.0-shardway";
    fleet.identity.sql_mode =
        "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
        "NO_ENGINE_SUBSTITUTION";
    if (options.mariadb) {
        parse_options.dialect = sqlparse::Dialect::mariadb;
        parse_options.server_version = sqlparse::ParseOptions::mariadb_version_default;
        fleet.identity.kind = protocol::ServerKind::mariadb;
        fleet.identity.version = "10.11.0-MariaDB-shardway";
        fleet.identity.version_number = parse_options.server_version;
        fleet.identity.sql_mode =
            "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION";
    }
    const std::string text = whole_file(options.schema, schema_bytes_max);
    const SchemaFile file =
        read_schema(text, options.schema, rules, default_schema_database(rules), parse_options);
    for (const std::string& problem : file.problems) fmt::print(stderr, "{}\n", problem);
    if (!file.problems.empty())
        throw Unready{status_wrong, fmt::format("the tables in {} cannot be used", options.schema)};
    fleet.catalog = std::make_shared<const schema::Catalog>(catalog_of(file, parse_options));
    return fleet;
}

FleetState fleet_of_nodes(const rules::Rules& rules) {
    try {
        return ask_fleet(rules);
    } catch (const std::exception& error) {
        throw Unready{status_refused,
                      fmt::format("{}\nWithout --schema the tables are read from the nodes. Start a node, or "
                                  "give the tables by --schema FILE.",
                                  error.what())};
    }
}

// Shards may have moved since the rules were written; no store is made where there is none.
rules::StoredMaps stored_maps(const ExplainOptions& options, const rules::Rules& rules) {
    std::filesystem::path file{rules.meta.sqlite};
    if (file.empty()) return {};
    if (!options.data.empty()) file = std::filesystem::path{options.data} / file.filename();
    if (!std::filesystem::exists(file)) return {};
    const auto store = schema::open_sqlite_store(file.string());
    return rules::load_maps(rules, *store);
}

const rules::User& user_of(const ExplainOptions& options, const rules::Rules& rules,
                           const std::string& database) {
    if (!options.user.empty()) {
        const auto found = rules.users.find(options.user);
        if (found == rules.users.end())
            throw Unready{status_wrong, fmt::format("the rules have no user '{}'", options.user)};
        return found->second;
    }
    for (const auto& [name, user] : rules.users)
        if (database.empty() ? user.all_databases : user.may_use(database)) return user;
    if (rules.users.empty()) throw Unready{status_wrong, "the rules have no users"};
    return rules.users.begin()->second;
}

int print_refusal(const ExplainOptions& options, const protocol::SqlError& error) {
    if (options.json)
        fmt::print(R"({{"error":{{"code":{},"sqlstate":{},"message":{}}}}})"
                   "\n",
                   error.code, plan::json_string(error.sqlstate), plan::json_string(error.message));
    else
        fmt::print(stderr, "ERROR {} ({}): {}\n", error.code, error.sqlstate, error.message);
    return status_refused;
}

int explain_with(const ExplainOptions& options) {
    const auto rules = rules_of(options);
    FleetState fleet = options.schema.empty() ? fleet_of_nodes(*rules) : fleet_of_schema(options, *rules);
    for (const std::string& warning : fleet.warnings) fmt::print(stderr, "warning: {}\n", warning);
    fleet.identity.hostname = "localhost";
    if (!rules->listen.mysql.empty()) fleet.identity.port = rules->listen.mysql.front().port;
    const auto topology = rules::Topology::build(rules, fleet.catalog, stored_maps(options, *rules), 1);

    const std::string database =
        options.database.empty() ? default_schema_database(*rules) : options.database;
    if (!database.empty() && !topology->database(database))
        throw Unready{status_wrong, fmt::format("the rules have no database '{}'", database)};
    const rules::User& user = user_of(options, *rules, database);
    if (!database.empty() && !user.may_use(database))
        throw Unready{status_wrong, fmt::format("user '{}' may not use database '{}'", user.name, database)};
    const FreshSession session{fleet.identity, user, database};
    plan::SampleIds ids;
    plan::PlanContext context = session.context(*topology);
    context.ids = &ids;

    std::string statement = options.statement;
    if (statement == "-") statement.assign(std::istreambuf_iterator<char>{std::cin}, {});
    plan::Planner planner;
    const auto explained = admin::explain_statement(planner, context, statement, options.json);
    if (explained.has_error()) return print_refusal(options, explained.error());
    fmt::print("{}\n", explained.value());
    return status_explained;
}

}  // namespace

int run_explain(const ExplainOptions& options) {
    try {
        return explain_with(options);
    } catch (const Unready& unready) {
        fmt::print(stderr, "shardway explain: {}\n", unready.what());
        return unready.status;
    } catch (const std::exception& error) {
        fmt::print(stderr, "shardway explain: {}\n", error.what());
        return status_refused;
    }
}

void add_explain_command(CLI::App& app) {
    auto options = std::make_shared<ExplainOptions>();
    CLI::App* const command = app.add_subcommand(
        "explain", "Say what a statement will do: which shards and nodes, and the text each is sent");
    command->add_option("--config", options->config, "rules file")->required();
    command->add_option("--schema", options->schema,
                        "schema file: CREATE TABLEs; without it the tables are read from a node");
    command->add_option("--database", options->database,
                        "the session's database; the rules' only one unless given");
    command->add_option("--user", options->user, "plan as this user of the rules would be answered");
    command->add_option("--data", options->data, "folder of the metadata file");
    command->add_flag("--mariadb", options->mariadb,
                      "with --schema: the nodes are MariaDB (else MySQL), with default settings");
    command->add_flag("--json", options->json, "print one JSON object");
    command->add_option("statement", options->statement, "the statement; - is standard input")->required();
    command->footer(
        "Nothing is run, and no running Shardway is asked; EXPLAIN SHARDWAY, in SQL, says the same.\n\n"
        "  shardway explain --config shardway.yaml \"SELECT * FROM t_order WHERE user_id = 42\"\n\n"
        "  access     how the shards were found: by the shard key, or scatter: all that may hold rows\n"
        "  strategy   what is done there: in one place the answer is the answer; from several,\n"
        "             one result is made\n"
        "  goes to    how many shards and nodes take part\n"
        "  then       what becomes of the answers, step by step\n"
        "and then each part: its node, its shard, and its text, indented.\n\n"
        "A statement that would be refused: its error, and status 1.");
    command->callback([options] { throw CLI::RuntimeError{run_explain(*options)}; });
}

}  // namespace shardway::cli
