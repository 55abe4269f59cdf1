#include "middleware/cli/apply_run.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "middleware/protocol/errors.hpp"

namespace shardway::cli {

namespace {

using backend::ControlConnection;
using backend::quoted_name;
using backend::quoted_text;

// A statement that fails ends its node's work; the message is the report's.
struct Stop {
    std::string message;
};

ControlConnection::Rows rows_of(ControlConnection& connection, std::string_view statement) {
    auto result = connection.query(statement);
    if (result.has_error()) throw Stop{result.error().message};
    return std::move(*result);
}

void run_statement(ControlConnection& connection, std::string_view statement, std::string_view about) {
    const auto result = connection.exec(statement);
    if (result.has_error())
        throw Stop{fmt::format("{}: {} ({})", about, result.error().message, result.error().code)};
}

std::string cell(const ControlConnection::Row& row, std::size_t i) { return row[i].value_or(""); }

struct Charset {
    std::string charset = "utf8mb4", collation;
    std::string clause() const {
        return collation.empty() ? fmt::format(" CHARACTER SET {}", charset)
                                 : fmt::format(" CHARACTER SET {} COLLATE {}", charset, collation);
    }
};
using Charsets = std::map<std::string, Charset, std::less<>>;

// A logical database's charset: its template's, where there is one; else the default of the default node. So
// shards on a server with other defaults get the same columns.
Charset charset_of(ControlConnection& connection, std::string_view database) {
    const auto rows = rows_of(
        connection,
        fmt::format(
            "SELECT DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA "
            "WHERE SCHEMA_NAME = {} UNION ALL SELECT @@character_set_server, @@collation_server",
            quoted_text(database)));
    return {cell(rows.rows.front(), 0), cell(rows.rows.front(), 1)};
}

struct Existing {
    std::set<std::string, std::less<>> databases;
    std::set<std::pair<std::string, std::string>> tables;
};

Existing read_existing(ControlConnection& connection) {
    Existing existing;
    for (const auto& row : rows_of(connection, "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA").rows)
        existing.databases.insert(cell(row, 0));
    const auto visit = [&](ControlConnection::Cells cells) {
        existing.tables.emplace(cells[0].value_or(""), cells[1].value_or(""));
        return true;
    };
    const auto result =
        connection.for_each_row("SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES", visit);
    if (result.has_error()) throw Stop{result.error().message};
    return existing;
}

// The work on one node.
class NodeWork {
public:
    NodeWork(ControlConnection& connection, const Charsets& charsets, NodeReport& report,
             std::function<void()> step)
        : connection_{connection}, charsets_{charsets}, report_{report}, step_{std::move(step)} {}

    void begin() {
        // Foreign keys may lead to tables that come later.
        run_statement(connection_, "SET foreign_key_checks = 0", "session");
        existing_ = read_existing(connection_);
    }

    void make_databases(const std::vector<PlannedDatabase>& databases) {
        for (const PlannedDatabase& database : databases) {
            if (existing_.databases.count(database.name) > 0) {
                ++report_.databases_found;
            } else {
                run_statement(connection_,
                              fmt::format("CREATE DATABASE IF NOT EXISTS {}{}", quoted_name(database.name),
                                          charset_named(database.charset_of).clause()),
                              database.name);
                ++report_.databases_made;
            }
            step_();
        }
    }

    void make_tables(const std::vector<PlannedTable>& tables) {
        for (const PlannedTable& table : tables) {
            if (existing_.tables.count({table.database, table.name}) > 0) {
                ++report_.tables_found;
                compare(table);
            } else {
                run_statement(connection_, table.statement, fmt::format("{}.{}", table.database, table.name));
                ++report_.tables_made;
            }
            step_();
        }
    }

    void open_gate() {
        run_statement(connection_,
                      fmt::format("INSERT IGNORE INTO {}.{} VALUES (1)", quoted_name(rules::meta_database),
                                  quoted_name(gate_table)),
                      "gate");
    }

    void drop_scratch() {
        if (!scratch_made_) return;
        run_statement(connection_, fmt::format("DROP DATABASE IF EXISTS {}", scratch_database),
                      scratch_database);
    }

private:
    const Charset& charset_named(std::string_view database) const {
        static const Charset ours;
        const auto found = charsets_.find(database);
        return found == charsets_.end() ? ours : found->second;
    }

    // Makes the wanted table in the scratch database and holds what the server says of both against each
    // other.
    void compare(const PlannedTable& table) {
        const std::string expected = wanted_definition(table);
        const std::string found = definition(table.database, table.name);
        const LineDifference difference = compare_definitions(found, expected, table.database);
        if (difference.differs)
            report_.differences.push_back({report_.node, fmt::format("{}.{}", table.database, table.name),
                                           difference.found, difference.expected});
    }

    const std::string& wanted_definition(const PlannedTable& table) {
        const auto [known, is_new] = wanted_.try_emplace({table.charset_of, table.scratch_statement});
        if (!is_new) return known->second;
        const std::string name{scratch_database};
        if (!scratch_made_ || scratch_charset_of_ != table.charset_of) {
            run_statement(connection_, fmt::format("DROP DATABASE IF EXISTS {}", name), name);
            run_statement(connection_,
                          fmt::format("CREATE DATABASE {}{}", name, charset_named(table.charset_of).clause()),
                          name);
            scratch_made_ = true;
            scratch_charset_of_ = table.charset_of;
        } else {
            run_statement(connection_,
                          fmt::format("DROP TABLE IF EXISTS {}.{}", name, quoted_name(table.name)), name);
        }
        run_statement(connection_, table.scratch_statement, table.logical);
        known->second = definition(name, table.name);
        return known->second;
    }

    std::string definition(std::string_view database, std::string_view table) {
        const auto rows = rows_of(
            connection_, fmt::format("SHOW CREATE TABLE {}.{}", quoted_name(database), quoted_name(table)));
        return rows.rows.empty() ? "" : cell(rows.rows.front(), 1);
    }

    ControlConnection& connection_;
    const Charsets& charsets_;
    NodeReport& report_;
    std::function<void()> step_;
    Existing existing_;
    bool scratch_made_ = false;
    std::string scratch_charset_of_;
    std::map<std::pair<std::string, std::string>, std::string>
        wanted_;  // by charset_of and scratch_statement
};

// Two applies at once would trip over each other's scratch database. The lock goes with the connection.
void lock_node(ControlConnection& connection) {
    const auto rows = rows_of(connection, "SELECT GET_LOCK('shardway_apply', 0)");
    if (cell(rows.rows.front(), 0) != "1")
        throw Stop{
            fmt::format("Node '{}': another apply is running there; wait for its end", connection.node())};
}

void unlock_node(ControlConnection& connection) {
    (void)connection.query("SELECT RELEASE_LOCK('shardway_apply')");
}

// Runs `work(node)` on a thread per node; a Stop becomes the node's error, and the others go on.
template <class Work>
void on_all_nodes(std::vector<NodeReport>& reports, const Work& work) {
    std::vector<std::jthread> threads;
    for (std::size_t node = 0; node < reports.size(); ++node) {
        if (!reports[node].error.empty()) continue;
        threads.emplace_back([&work, &report = reports[node], node] {
            try {
                work(node);
            } catch (const Stop& stop) {
                report.error = stop.message;
            }
        });
    }
}

std::vector<LocatorColumn> locator_columns(ControlConnection& connection, const PlannedLocator& locator) {
    std::vector<std::string> names{locator.column};
    for (const std::string& key : locator.keys)
        if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
    std::vector<LocatorColumn> columns;
    for (const std::string& name : names) {
        const auto rows = rows_of(
            connection,
            fmt::format("SELECT COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME FROM "
                        "information_schema.COLUMNS "
                        "WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} AND COLUMN_NAME = {}",
                        quoted_text(locator.database), quoted_text(locator.table), quoted_text(name)));
        if (rows.rows.empty())
            throw Stop{fmt::format("the locator {} needs the column '{}', which table '{}.{}' does not have",
                                   locator.locator, name, locator.database, locator.table)};
        const auto& row = rows.rows.front();
        columns.push_back({cell(row, 0), cell(row, 1), cell(row, 2), cell(row, 3)});
    }
    return columns;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

// The lines of SHOW CREATE TABLE behind the first, which holds the name; without what differs between equal
// tables.
std::vector<std::string> comparable_lines(std::string_view definition, std::string_view database) {
    std::string text{definition};
    replace_all(text, fmt::format(" REFERENCES {}.", quoted_name(database)), " REFERENCES ");
    const std::string_view counter = " AUTO_INCREMENT=";
    if (const std::size_t at = text.rfind(counter);
        at != std::string::npos && text.find('\n', at) == std::string::npos) {
        std::size_t end = at + counter.size();
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
        text.erase(at, end - at);
    }
    std::vector<std::string> lines;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
}

}  // namespace

LineDifference compare_definitions(std::string_view found, std::string_view expected,
                                   std::string_view database) {
    const auto ours = comparable_lines(expected, database);
    const auto theirs = comparable_lines(found, database);
    for (std::size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
        const std::string wanted = i < ours.size() ? ours[i] : "";
        const std::string there = i < theirs.size() ? theirs[i] : "";
        if (wanted != there) return {true, there, wanted};
    }
    return {};
}

bool ApplyReport::clean() const {
    return std::all_of(nodes.begin(), nodes.end(),
                       [](const NodeReport& node) { return node.error.empty() && node.differences.empty(); });
}

NodeReport ApplyReport::sum() const {
    NodeReport all;
    for (const NodeReport& node : nodes) {
        all.databases_made += node.databases_made;
        all.databases_found += node.databases_found;
        all.tables_made += node.tables_made;
        all.tables_found += node.tables_found;
    }
    return all;
}

ApplyReport run_apply_plan(const rules::Topology& topology, ApplyPlan& plan,
                           std::vector<ControlConnection>& connections, const ApplyProgress& progress) {
    const auto begin = std::chrono::steady_clock::now();
    ApplyReport report;
    for (const ControlConnection& connection : connections) {
        NodeReport& node = report.nodes.emplace_back();
        node.node = connection.node();
        node.version = connection.server_version();
    }
    std::atomic<std::size_t> total = 0;
    for (const NodePlan& node : plan.nodes) total += node.step_count();
    for (const PlannedLocator& locator : plan.locators) total += locator.state->group->shard_count();
    std::atomic<std::size_t> done = 0;
    const auto step = [&] { progress(++done, total); };

    Charsets charsets;
    try {
        for (const auto& [name, database] : topology.databases())
            charsets[name] = charset_of(connections[database.rule->default_node.value], name);
    } catch (const Stop& stop) {
        report.nodes.front().error = stop.message;
        return report;
    }

    std::vector<NodeWork> work;
    work.reserve(connections.size());
    for (std::size_t node = 0; node < connections.size(); ++node)
        work.emplace_back(connections[node], charsets, report.nodes[node], step);
    on_all_nodes(report.nodes, [&](std::size_t node) {
        lock_node(connections[node]);
        work[node].begin();
        work[node].make_databases(plan.nodes[node].databases);
        work[node].make_tables(plan.nodes[node].tables);
        work[node].open_gate();
    });

    // Locators: their columns are read from the main table's template, which is there now.
    std::vector<NodePlan> locators(connections.size());
    for (const PlannedLocator& locator : plan.locators) {
        const std::size_t node = topology.database(locator.database)->rule->default_node.value;
        if (!report.nodes[node].error.empty()) break;
        try {
            plan_locator(locator, locator_columns(connections[node], locator), locators);
        } catch (const Stop& stop) {
            report.nodes[node].error = stop.message;
        }
    }
    on_all_nodes(report.nodes, [&](std::size_t node) {
        work[node].make_tables(locators[node].tables);
        work[node].drop_scratch();
    });
    for (ControlConnection& connection : connections) unlock_node(connection);
    report.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return report;
}

}  // namespace shardway::cli
