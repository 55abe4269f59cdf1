#include "middleware/cli/check_live.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "middleware/backend/catalog_loader.hpp"
#include "middleware/backend/control_connection.hpp"
#include "middleware/cli/targets.hpp"
#include "rules/check.hpp"
#include "rules/key.hpp"

namespace shardway::cli {

namespace {

using backend::ControlConnection;
using Definition = std::set<std::string>;  // a line for each column and key part

// What one node says of itself.
struct NodeFacts {
    std::string error;  // it did not answer, or an answer was refused; then the rest is not whole
    std::string version;
    bool mariadb = false;
    std::map<std::string, std::string> variables;
    std::set<std::string> rights;                                       // in upper case, of all scopes
    std::map<std::pair<std::string, std::string>, Definition> tables;   // by (database, table)
    std::vector<std::pair<std::string, std::string>> filled_templates;  // (database, table) with a row in it
    std::vector<std::pair<std::string, rules::NodeId>> filled_copies;  // of single tables, and where they lie
    std::vector<std::string> misplaced;                                // rows in a wrong shard, in words
};

constexpr std::string_view asked_variables[] = {"sql_mode",
                                                "lower_case_table_names",
                                                "binlog_format",
                                                "log_bin",
                                                "server_id",
                                                "max_prepared_stmt_count",
                                                "collation_server",
                                                "rpl_semi_sync_source_enabled",
                                                "rpl_semi_sync_master_enabled"};

// Throws what the node answered instead.
struct NodeRefused {
    std::string text;
};

std::vector<schema::TextRow> answer_rows(ControlConnection& node, const std::string& statement) {
    auto result = node.query(statement);
    if (result.has_error()) throw NodeRefused{result.error().message};
    return std::move(result->rows);
}

std::string quoted_names(const std::set<std::string>& names) {
    std::string list;
    for (const auto& name : names) list += (list.empty() ? "" : ", ") + backend::quoted_text(name);
    return list;
}

// The rights in one line of SHOW GRANTS, "GRANT SELECT, DELETE HISTORY ON …", one by one: DELETE is not
// there.
void add_rights(std::string line, std::set<std::string>& rights) {
    std::transform(line.begin(), line.end(), line.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::size_t end = line.find(" ON ");
    for (std::size_t at = std::string_view{"GRANT "}.size(); end != std::string::npos && at < end;) {
        const std::size_t comma = std::min(line.find(',', at), end);
        std::string right = line.substr(at, comma - at);
        if (right == "ALL PRIVILEGES") right += line.substr(end, std::string_view{" ON *.*"}.size());
        rights.insert(std::move(right));
        at = line.find_first_not_of(' ', comma + 1);  // MySQL sets no space between its dynamic ones
    }
}

void read_variables(ControlConnection& node, NodeFacts& facts) {
    std::string names;
    for (const auto name : asked_variables) names += (names.empty() ? "" : ", ") + backend::quoted_text(name);
    for (const auto& row : answer_rows(node, "SHOW GLOBAL VARIABLES WHERE Variable_name IN (" + names + ")"))
        facts.variables[row[0].value_or("")] = row[1].value_or("");
    for (const auto& row : answer_rows(node, "SHOW GRANTS")) add_rights(row[0].value_or(""), facts.rights);
}

void read_definitions(ControlConnection& node, const std::set<std::string>& databases, NodeFacts& facts) {
    const std::string list = quoted_names(databases);
    for (const auto& row : answer_rows(node,
                                       "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE "
                                       "TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA IN (" +
                                           list + ")"))
        facts.tables[{*row[0], *row[1]}];
    const auto add = [&](const std::string& statement) {
        for (const auto& row : answer_rows(node, statement)) {
            const auto table = facts.tables.find({row[0].value_or(""), row[1].value_or("")});
            if (table != facts.tables.end()) table->second.insert(row[2].value_or(""));
        }
    };
    add("SELECT TABLE_SCHEMA, TABLE_NAME, CONCAT_WS(' ', 'column', ORDINAL_POSITION, COLUMN_NAME, "
        "COLUMN_TYPE, IF(IS_NULLABLE = 'YES', 'NULL', 'NOT NULL'), "
        "COLLATION_NAME, CONCAT('DEFAULT ', COLUMN_DEFAULT), EXTRA) FROM information_schema.COLUMNS WHERE "
        "TABLE_SCHEMA IN (" +
        list + ")");
    add("SELECT TABLE_SCHEMA, TABLE_NAME, CONCAT_WS(' ', IF(NON_UNIQUE, 'key', 'unique key'), INDEX_NAME, "
        "SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, INDEX_TYPE) "
        "FROM information_schema.STATISTICS WHERE TABLE_SCHEMA IN (" +
        list + ")");
}

// The shard a row's keys belong to; nothing when its text does not tell.
std::optional<rules::ShardId> shard_of_row(const rules::TableState& table, const schema::TextRow& row,
                                           bool& has_slot) {
    std::vector<rules::Key> keys;
    for (std::size_t part = 0; part < table.key_columns.size(); ++part) {
        const auto key = row[part]
                             ? rules::key_of_row(table.columns->columns[table.key_columns[part]], *row[part])
                             : std::nullopt;
        if (!key) return std::nullopt;
        keys.push_back(*key);
    }
    const auto slot = table.group->algorithm->slot_of(keys);
    has_slot = slot.has_value();
    return slot ? std::optional{table.group->map.shard_of(*slot)} : std::nullopt;
}

// Rows from both ends of the primary key and, where it begins with a number, from between: rows that went
// astray did so for a while, and so lie together.
std::string sample_of(ControlConnection& node, const schema::Table& table, const std::string& columns,
                      const std::string& quoted) {
    const std::string rows = fmt::format("SELECT {} FROM {}", columns, quoted);
    const schema::UniqueKey* key = table.primary_key();
    if (key == nullptr || key->has_prefix || key->columns.empty())
        return fmt::format("{} LIMIT {}", rows, sampled_rows);
    std::vector<std::string> names, falling;
    for (const std::size_t column : key->columns) {
        names.push_back(backend::quoted_name(table.columns[column].name));
        falling.push_back(names.back() + " DESC");
    }
    std::string sample = fmt::format("({} ORDER BY {} LIMIT {}) UNION ALL ({} ORDER BY {} LIMIT {})", rows,
                                     fmt::join(names, ", "), sampled_rows / 4, rows, fmt::join(falling, ", "),
                                     sampled_rows / 4);
    if (!schema::is_integer(table.columns[key->columns[0]].type)) return sample;
    const auto ends = answer_rows(node, fmt::format("SELECT MIN({0}), MAX({0}) FROM {1}", names[0], quoted));
    if (!ends[0][0]) return sample;
    const double low = std::stod(*ends[0][0]), high = std::stod(ends[0][1].value_or("0"));
    for (std::size_t step = 1; step <= sample_steps; ++step)
        sample += fmt::format(" UNION ALL ({} WHERE {} >= {:.0f} ORDER BY {} LIMIT {})", rows, names[0],
                              low + (high - low) * static_cast<double>(step) / (sample_steps + 1), names[0],
                              sampled_rows / 2 / sample_steps);
    return sample;
}

void sample_table(ControlConnection& node, rules::NodeId id, const rules::TableState& table,
                  NodeFacts& facts) {
    if (table.key_columns.empty()) return;
    std::vector<std::string> columns;
    for (const std::size_t position : table.key_columns)
        columns.push_back(backend::quoted_name(table.columns->columns[position].name));
    for (std::size_t i = 0; i < table.places.size(); ++i) {
        const rules::ShardId shard{i};
        const auto& place = table.place(shard);
        if (table.group->map.node_of(shard) != id || !facts.tables.contains({place.database, place.table}))
            continue;
        const std::string sample =
            sample_of(node, *table.columns, fmt::format("{}", fmt::join(columns, ", ")), place.quoted);
        for (const auto& row : answer_rows(node, sample)) {
            bool has_slot = true;
            const auto right = shard_of_row(table, row, has_slot);
            if (right == shard || (!right && has_slot)) continue;
            facts.misplaced.push_back(
                fmt::format("{}.{} holds a row with {} = {}, which belongs {}", place.database, place.table,
                            fmt::join(columns, ", "), row[0].value_or("NULL"),
                            right ? "to " + table.place(*right).database + "." + table.place(*right).table
                                  : "to no slot"));
            break;  // one is enough to go and look
        }
    }
}

void read_rows(ControlConnection& node, rules::NodeId id, const rules::Topology& topology, NodeFacts& facts) {
    answer_rows(node, "SET time_zone = '+00:00'");
    for (const auto& [name, database] : topology.databases()) {
        for (const auto& [table_name, table] : database.tables) {
            if (table->is_reference() || (table->is_single() && table->node == id)) continue;
            const std::string quoted = backend::quoted_name(name) + "." + backend::quoted_name(table_name);
            const bool filled = facts.tables.contains({name, table_name}) &&
                                !answer_rows(node, "SELECT 1 FROM " + quoted + " LIMIT 1").empty();
            if (filled && table->is_sharded()) facts.filled_templates.emplace_back(name, table_name);
            if (filled && table->is_single())
                facts.filled_copies.emplace_back(name + "." + table_name, table->node);
            if (table->is_sharded()) sample_table(node, id, *table, facts);
        }
        for (const auto& [locator_name, locator] : database.locators) sample_table(node, id, *locator, facts);
    }
}

// The databases that may lie on nodes: templates and shards.
std::set<std::string> all_databases(const rules::Topology& topology) {
    std::set<std::string> names;
    for (const auto& [name, database] : topology.databases()) {
        if (database.is_single_node()) continue;
        names.insert(name);
        for (const auto& group : database.groups)
            names.insert(group->databases.begin(), group->databases.end());
    }
    return names;
}

NodeFacts ask_node(const rules::Topology& topology, rules::NodeId id) {
    NodeFacts facts;
    auto connected = ControlConnection::connect(control_target(topology.rules(), id));
    if (connected.has_error()) {
        facts.error = connected.error().message;
        return facts;
    }
    ControlConnection& node = *connected;
    facts.version = node.server_version();
    facts.mariadb = node.is_mariadb();
    try {
        read_variables(node, facts);
        const auto databases = all_databases(topology);
        if (!databases.empty()) read_definitions(node, databases, facts);
        read_rows(node, id, topology, facts);
    } catch (const NodeRefused& refused) {
        facts.error = refused.text;
    }
    return facts;
}

class LiveChecker {
public:
    LiveChecker(const rules::LoadResult& loaded, const rules::Topology& topology,
                std::vector<NodeFacts> facts)
        : loaded_{loaded}, topology_{topology}, facts_{std::move(facts)} {}

    LiveReport run() {
        for (std::size_t i = 0; i < facts_.size(); ++i) check_node(rules::NodeId{i});
        compare_nodes();
        for (const auto& [name, database] : topology_.databases())
            if (!database.is_single_node()) check_database(name, database);
        return std::move(report_);
    }

private:
    const NodeFacts& facts(rules::NodeId id) const { return facts_[id.value]; }
    const std::string& name(rules::NodeId id) const { return topology_.node(id).name; }

    void find(const std::string& key, std::string found, std::string expected) {
        const auto place = loaded_.places.find(key);
        const rules::Place at = place == loaded_.places.end() ? rules::Place{} : place->second;
        report_.findings.push_back(
            {topology_.rules().file, at.line, at.column, key, std::move(found), std::move(expected)});
    }

    std::string variable(rules::NodeId id, const std::string& variable) const {
        const auto found = facts(id).variables.find(variable);
        return found == facts(id).variables.end() ? "" : found->second;
    }

    void check_node(rules::NodeId id) {
        const std::string key = "nodes." + name(id);
        if (!facts(id).error.empty()) return find(key, facts(id).error, "a node that answers");
        const std::string sql_mode = variable(id, "sql_mode");
        if (sql_mode.find("STRICT_") == std::string::npos)
            find(key,
                 fmt::format("sql_mode '{}', not strict: it stores other values than statements say",
                             sql_mode),
                 "STRICT_TRANS_TABLES");
        if (variable(id, "lower_case_table_names") != "0")
            find(key, "lower_case_table_names = " + variable(id, "lower_case_table_names"),
                 "0: names of tables keep their case");
        if (variable(id, "log_bin") == "ON" && variable(id, "binlog_format") == "STATEMENT")
            find(key, "binlog_format STATEMENT: writes of READ COMMITTED transactions are refused with it",
                 "ROW");
        else if (variable(id, "log_bin") != "ON" || variable(id, "binlog_format") != "ROW")
            report_.notes.push_back(fmt::format(
                "node {}: log_bin {}, binlog_format {}; moving shards and global indexes need ON and ROW",
                name(id), variable(id, "log_bin"), variable(id, "binlog_format")));
        if (variable(id, "rpl_semi_sync_source_enabled") != "ON" &&
            variable(id, "rpl_semi_sync_master_enabled") != "ON")
            report_.notes.push_back(fmt::format(
                "node {}: no semi-synchronous replication; a failover may lose what was acknowledged",
                name(id)));
        if (const std::string most = variable(id, "max_prepared_stmt_count");
            !most.empty() && std::stoull(most) < prepared_statements_min)
            find(key, "max_prepared_stmt_count = " + most + ": clients' prepared statements will be refused",
                 fmt::format("{} or more; 16382 is the server's own default", prepared_statements_min));
        check_rights(id, key);
        for (const auto& words : facts(id).misplaced) find(key, words, "each row in the shard of its key");
        for (const auto& [database, table] : facts(id).filled_templates)
            find(key, fmt::format("rows in {}.{}, a template", database, table),
                 "an empty template; its rows belong into shards");
        for (const auto& [table, home] : facts(id).filled_copies)
            find(key, fmt::format("rows in {}, a single table that lies on {}", table, name(home)),
                 "an empty copy; nobody reads these rows");
    }

    void check_rights(rules::NodeId id, const std::string& key) {
        const auto& rights = facts(id).rights;
        const bool has_all = rights.contains("ALL PRIVILEGES ON *.*");
        std::vector<std::string> missing;
        for (const std::string right : {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER",
                                        "INDEX", "PROCESS", "CREATE TEMPORARY TABLES", "LOCK TABLES"})
            if (!has_all && !rights.contains(right)) missing.push_back(right);
        // MariaDB asks for no right of its own here; MySQL's ALL names the dynamic ones one by one.
        if (!facts(id).mariadb && !rights.contains("XA_RECOVER_ADMIN"))
            missing.emplace_back("XA_RECOVER_ADMIN");
        if (!missing.empty())
            find(key, fmt::format("the account lacks {}", fmt::join(missing, ", ")), "these rights ON *.*");
    }

    // "10.11" of "10.11.6-MariaDB"; within it, releases differ in bugs only.
    static std::string_view series(std::string_view version) {
        return version.substr(0, version.find('.', version.find('.') + 1));
    }

    // Settings that must be alike on all nodes, and one that must differ.
    void compare_nodes() {
        std::optional<rules::NodeId> first;
        std::map<std::string, std::string> servers;  // node by server_id
        for (std::size_t i = 0; i < facts_.size(); ++i) {
            const rules::NodeId id{i};
            if (!facts(id).error.empty()) continue;
            const std::string key = "nodes." + name(id);
            const auto [twin, is_new] = servers.emplace(variable(id, "server_id"), name(id));
            if (!is_new)
                find(key, fmt::format("server_id {}, which {} has too", twin->first, twin->second),
                     "a server_id of its own");
            if (!first) {
                first = id;
                continue;
            }
            if (facts(id).mariadb != facts(*first).mariadb)
                find(key, fmt::format("version {} beside {}", facts(id).version, facts(*first).version),
                     "MySQL or MariaDB on all nodes");
            else if (series(facts(id).version) != series(facts(*first).version))
                find(key, fmt::format("version {} beside {}", facts(id).version, facts(*first).version),
                     fmt::format("{}, as {} has: versions differ in keywords, collations and results",
                                 series(facts(*first).version), name(*first)));
            else if (facts(id).version != facts(*first).version)
                report_.notes.push_back(fmt::format("node {}: version {}; {} has {}", name(id),
                                                    facts(id).version, name(*first), facts(*first).version));
            for (const std::string setting : {"sql_mode", "collation_server"})
                if (variable(id, setting) != variable(*first, setting))
                    find(key, fmt::format("{} = '{}'", setting, variable(id, setting)),
                         fmt::format("'{}', as on {}", variable(*first, setting), name(*first)));
        }
    }

    // The lines of one definition that the other lacks, a few of each.
    static std::string difference(const Definition& wanted, const Definition& found) {
        std::vector<std::string> lines;
        for (const auto& line : wanted)
            if (!found.contains(line)) lines.push_back("- " + line);
        for (const auto& line : found)
            if (!wanted.contains(line)) lines.push_back("+ " + line);
        const std::size_t shown = std::min<std::size_t>(lines.size(), 4);
        std::string text = fmt::format(
            "{}", fmt::join(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
        return lines.size() > shown ? text + "; …" : text;
    }

    void compare_table(rules::NodeId id, const std::string& database, const std::string& table,
                       const Definition& wanted, const std::string& key) {
        if (!facts(id).error.empty()) return;
        const auto found = facts(id).tables.find({database, table});
        if (found == facts(id).tables.end())
            return find(key, fmt::format("no table {}.{} on {}", database, table, name(id)),
                        "that table; `shardway apply` makes it");
        if (found->second != wanted)
            find(key,
                 fmt::format("{}.{} on {} differs from the template: {}", database, table, name(id),
                             difference(wanted, found->second)),
                 "one definition everywhere");
    }

    void check_database(const std::string& database_name, const rules::DatabaseState& database) {
        const rules::NodeId home = database.rule->default_node;
        if (!facts(home).error.empty()) return;
        std::set<std::pair<std::string, std::string>> known;  // physical tables that the rules explain
        for (const auto& [table_name, table] : database.tables) {
            const std::string key = fmt::format("databases.{}.tables.{}", database_name, table_name);
            const auto wanted = facts(home).tables.find({database_name, table_name});
            if (wanted == facts(home).tables.end()) {
                if (table->rule != nullptr)
                    find(key, fmt::format("no table {}.{} on {}", database_name, table_name, name(home)),
                         "that table; `shardway apply` makes it");
                continue;
            }
            for (std::size_t i = 0; i < facts_.size(); ++i)
                if (table->rule != nullptr)
                    compare_table(rules::NodeId{i}, database_name, table_name, wanted->second, key);
            for (std::size_t i = 0; i < table->places.size(); ++i) {
                const auto& place = table->places[i];
                known.insert({place.database, place.table});
                compare_table(table->group->map.node_of(rules::ShardId{i}), place.database, place.table,
                              wanted->second, key);
            }
        }
        for (const auto& [locator_name, locator] : database.locators)
            for (std::size_t i = 0; i < locator->places.size(); ++i) {
                const auto& place = locator->places[i];
                known.insert({place.database, place.table});
                const rules::NodeId id = locator->group->map.node_of(rules::ShardId{i});
                if (facts(id).error.empty() && !facts(id).tables.contains({place.database, place.table}))
                    find(fmt::format("databases.{}.tables.{}", database_name, locator->locator_of->name),
                         fmt::format("no table {}.{} on {}", place.database, place.table, name(id)),
                         "that table; `shardway apply` makes it");
            }
        for (const auto& group : database.groups) check_group(database_name, *group, known);
    }

    // Shards where they should not be, and tables in shards that no rule explains.
    void check_group(const std::string& database_name, const rules::GroupState& group,
                     const std::set<std::pair<std::string, std::string>>& known) {
        const std::string key = fmt::format("databases.{}.groups.{}", database_name, group.rule->name);
        std::map<std::string, std::set<std::uint32_t>> homes;
        for (std::size_t i = 0; i < group.databases.size(); ++i)
            homes[group.databases[i]].insert(group.map.node_of(rules::ShardId{i}).value);
        for (std::size_t i = 0; i < facts_.size(); ++i)
            for (const auto& [table, definition] : facts_[i].tables) {
                const auto home = homes.find(table.first);
                if (home == homes.end()) continue;
                const std::string where =
                    fmt::format("{}.{} on {}", table.first, table.second, name(rules::NodeId{i}));
                if (!home->second.contains(static_cast<std::uint32_t>(i)))
                    find(key, where + ", where that shard does not lie", "shards on their own nodes only");
                else if (!known.contains(table))
                    find(key, where + ", which no rule explains", "only tables of the group in its shards");
            }
    }

    const rules::LoadResult& loaded_;
    const rules::Topology& topology_;
    std::vector<NodeFacts> facts_;
    LiveReport report_;
};

}  // namespace

LiveReport check_live(const rules::LoadResult& loaded, const rules::StoredMaps& maps) {
    LiveReport report;
    const auto sources = catalog_sources(*loaded.rules);
    auto catalog = std::make_shared<const schema::Catalog>();
    if (auto read = backend::load_catalog(sources); read.has_error()) {
        report.findings.push_back(
            {loaded.rules->file, 0, 0, "databases", read.error().message, "templates that can be read"});
    } else {
        catalog = read->catalog;
        for (const auto& database : read->empty)
            report.findings.push_back({loaded.rules->file, 0, 0, "databases." + database,
                                       "no table in the template", "tables; `shardway apply` makes them"});
    }
    const auto topology = rules::Topology::build(loaded.rules, catalog, maps, 0);
    std::vector<NodeFacts> facts(topology->node_count());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < facts.size(); ++i)
        threads.emplace_back([&, i] { facts[i] = ask_node(*topology, rules::NodeId{i}); });
    for (auto& thread : threads) thread.join();
    auto live = LiveChecker{loaded, *topology, std::move(facts)}.run();
    for (auto& finding : live.findings) report.findings.push_back(std::move(finding));
    report.notes = std::move(live.notes);
    if (catalog->size() > 0)
        for (auto& finding : rules::check_tables(*loaded.rules, loaded.places, *catalog))
            report.findings.push_back(std::move(finding));
    return report;
}

}  // namespace shardway::cli
