#include "middleware/cli/apply_plan.hpp"

#include <iterator>
#include <set>

#include <fmt/format.h>

#include "middleware/backend/control_connection.hpp"
#include "sqlparse/edits.hpp"

namespace shardway::cli {

namespace {

using backend::quoted_name;

std::string qualified(std::string_view database, std::string_view table) {
    return quoted_name(database) + "." + quoted_name(table);
}

// The rows of decision: a commit over several nodes, or the tombstone by which recovery decided against one.
constexpr std::string_view decision_columns =
    "(gtrid VARBINARY(64) NOT NULL PRIMARY KEY, kind ENUM('commit', 'abort') NOT NULL, "
    "branches TEXT CHARACTER SET utf8mb4 NOT NULL, "
    "decided_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)) ENGINE=InnoDB";
// One row, which commits over several nodes lock FOR SHARE and snapshots over nodes FOR UPDATE.
constexpr std::string_view gate_columns = "(id TINYINT UNSIGNED NOT NULL PRIMARY KEY) ENGINE=InnoDB";

PlannedTable meta_table(std::string_view name, std::string_view columns) {
    PlannedTable table;
    table.database = rules::meta_database;
    table.name = name;
    table.logical = fmt::format("{}.{}", table.database, name);
    table.statement =
        fmt::format("CREATE TABLE IF NOT EXISTS {} {}", qualified(table.database, name), columns);
    table.scratch_statement = fmt::format("CREATE TABLE {} {}", qualified(scratch_database, name), columns);
    return table;
}

class Planning {
public:
    Planning(const rules::Topology& topology, const SchemaFile& schema, const std::string& file)
        : topology_{topology}, schema_{schema}, file_{file} {
        plan_.nodes.resize(topology.node_count());
        databases_.resize(topology.node_count());
    }

    ApplyPlan plan() {
        plan_.problems = schema_.problems;
        for (std::size_t node = 0; node < plan_.nodes.size(); ++node) {
            add_database(node, rules::meta_database, "");
            add_database(node, rules::empty_database, "");
            plan_.nodes[node].tables.push_back(meta_table(decision_table, decision_columns));
            plan_.nodes[node].tables.push_back(meta_table(gate_table, gate_columns));
        }
        for (const auto& [name, database] : topology_.databases()) plan_databases(name, database);
        // Templates before shards: then what SHOW and the catalog answer from is there first.
        for (const SchemaTable& table : schema_.tables) plan_template(table);
        for (const SchemaTable& table : schema_.tables) plan_shards(table);
        for (const auto& [name, database] : topology_.databases()) note_missing(name, database);
        return std::move(plan_);
    }

private:
    const SchemaTable* find_table(std::string_view database, std::string_view name) const {
        for (const SchemaTable& table : schema_.tables)
            if (table.database == database && table.name == name) return &table;
        return nullptr;
    }

    void problem(const SchemaTable& table, std::string_view what) {
        plan_.problems.push_back(fmt::format("{}:{}: {}", file_, table.line, what));
    }

    void add_database(std::size_t node, std::string_view name, std::string_view charset_of) {
        if (databases_[node].emplace(name).second)
            plan_.nodes[node].databases.push_back({std::string{name}, std::string{charset_of}});
    }

    void plan_databases(const std::string& name, const rules::DatabaseState& database) {
        if (database.is_single_node()) return add_database(database.rule->default_node.value, name, name);
        for (std::size_t node = 0; node < plan_.nodes.size(); ++node) add_database(node, name, name);
        for (const auto& group : database.groups)
            for (std::size_t shard = 0; shard < group->shard_count(); ++shard)
                add_database(group->map.node_of(rules::ShardId{shard}).value, group->databases[shard], name);
    }

    // `table` under another name; foreign keys lead where `target_of` says.
    template <class TargetOf>
    PlannedTable renamed(const SchemaTable& table, std::string_view database, std::string_view name,
                         const TargetOf& target_of) const {
        PlannedTable planned;
        planned.logical = fmt::format("{}.{}", table.database, table.name);
        planned.database = database;
        planned.name = name;
        planned.charset_of = table.database;
        const auto statement = [&](std::string_view in, std::string_view if_not_exists) {
            sqlparse::Edits edits;
            edits.replace(table.name_span, std::string{if_not_exists} + qualified(in, name));
            for (const SchemaTable::Reference& reference : table.references)
                edits.replace(reference.span, target_of(reference));
            return edits.apply(table.text);
        };
        planned.statement = statement(database, table.if_not_exists ? "" : "IF NOT EXISTS ");
        planned.scratch_statement = statement(scratch_database, "");
        return planned;
    }

    // Every table of a database with groups lies in the template of every node: reference tables and, on
    // their own node, single tables for real, all others empty.
    void plan_template(const SchemaTable& table) {
        const rules::DatabaseState* database = topology_.database(table.database);
        if (database == nullptr) return;  // read_schema has said so
        const PlannedTable planned = renamed(table, table.database, table.name, [&](const auto& reference) {
            return qualified(table.database, reference.table);
        });
        if (database->is_single_node()) {
            plan_.nodes[database->rule->default_node.value].tables.push_back(planned);
            return;
        }
        if (database->locators.count(table.name) > 0)
            return problem(table, fmt::format("'{}' is the name of a locator table, which apply makes itself",
                                              table.name));
        check_references(table, *database);
        for (NodePlan& node : plan_.nodes) node.tables.push_back(planned);
    }

    // Where a foreign key may lead: inside the group, or to a reference table; between single tables of one
    // node.
    void check_references(const SchemaTable& table, const rules::DatabaseState& database) {
        const rules::TableState* from = database.find(table.name);
        for (const SchemaTable::Reference& reference : table.references) {
            const rules::TableState* to = database.find(reference.table);
            const auto from_node = from == nullptr ? database.rule->default_node : from->node;
            const auto to_node = to == nullptr ? database.rule->default_node : to->node;
            const bool to_sharded = to != nullptr && to->is_sharded();
            const bool to_reference = to != nullptr && to->is_reference();
            const bool from_sharded = from != nullptr && from->is_sharded();
            const bool from_reference = from != nullptr && from->is_reference();
            const bool same_group = from_sharded && to_sharded && from->group == to->group;
            const bool same_node = !from_sharded && !from_reference && !to_sharded && from_node == to_node;
            if (!same_group && !to_reference && !same_node)
                problem(table, fmt::format(
                                   "a foreign key of '{}' leads to '{}', which is neither in its table group "
                                   "nor a reference table",
                                   table.name, reference.table));
        }
    }

    void plan_shards(const SchemaTable& table) {
        const rules::DatabaseState* database = topology_.database(table.database);
        const rules::TableState* state = database == nullptr ? nullptr : database->find(table.name);
        if (state == nullptr || !state->is_sharded()) return;
        std::set<std::pair<rules::NodeId, std::string>> seen;
        for (std::size_t i = 0; i < state->group->shard_count(); ++i) {
            const rules::ShardId shard{i};
            const rules::NodeId node = state->group->map.node_of(shard);
            const rules::PhysicalTable& place = state->place(shard);
            if (!seen.emplace(node, place.database).second && table.named_constraints)
                return problem(
                    table,
                    fmt::format("'{}' has a constraint with a name, and several of its shards lie in one "
                                "database, where such names are unique; leave the name out",
                                table.name));
            plan_.nodes[node.value].tables.push_back(
                renamed(table, place.database, place.table, [&](const SchemaTable::Reference& reference) {
                    const rules::TableState* to = database->find(reference.table);
                    if (to != nullptr && to->is_sharded()) return to->place(shard).quoted;
                    return qualified(table.database, reference.table);
                }));
        }
        const rules::ShardedTable* rule = state->sharded();
        for (std::size_t i = 0; i < state->locators.size(); ++i)
            plan_.locators.push_back({table.database, table.name, rule->locators[i].column, rule->keys,
                                      rule->locators[i].table, state->locators[i]});
    }

    void note_missing(const std::string& name, const rules::DatabaseState& database) {
        for (const auto& [table, rule] : database.rule->tables)
            if (find_table(name, table) == nullptr)
                plan_.notes.push_back(
                    fmt::format("{}: the rules name the table '{}.{}', which the file does not hold", file_,
                                name, table));
    }

    const rules::Topology& topology_;
    const SchemaFile& schema_;
    const std::string& file_;
    ApplyPlan plan_;
    std::vector<std::set<std::string, std::less<>>> databases_;  // per node: planned already
};

}  // namespace

ApplyPlan plan_apply(const rules::Topology& topology, const SchemaFile& schema, const std::string& file) {
    return Planning{topology, schema, file}.plan();
}

void plan_locator(const PlannedLocator& locator, const std::vector<LocatorColumn>& columns,
                  std::vector<NodePlan>& nodes) {
    const rules::TableState& state = *locator.state;
    const auto definition = [&](std::string_view database, std::string_view name,
                                std::string_view if_not_exists) {
        std::string text = fmt::format("CREATE TABLE {}{} (", if_not_exists, qualified(database, name));
        for (const LocatorColumn& column : columns) {
            fmt::format_to(std::back_inserter(text), "{} {}", quoted_name(column.name), column.type);
            if (!column.charset.empty())
                fmt::format_to(std::back_inserter(text), " CHARACTER SET {} COLLATE {}", column.charset,
                               column.collation);
            text += " NOT NULL, ";
        }
        // `ver` grows with every change of hands: a reader that finds no row knows whether to look again.
        return text + fmt::format("ver BIGINT UNSIGNED NOT NULL DEFAULT 1, PRIMARY KEY ({})) ENGINE=InnoDB",
                                  quoted_name(locator.column));
    };
    for (std::size_t i = 0; i < state.group->shard_count(); ++i) {
        const rules::PhysicalTable& place = state.place(rules::ShardId{i});
        PlannedTable table;
        table.logical = fmt::format("{}.{}", locator.database, locator.locator);
        table.database = place.database;
        table.name = place.table;
        table.charset_of = locator.database;
        table.statement = definition(place.database, place.table, "IF NOT EXISTS ");
        table.scratch_statement = definition(scratch_database, place.table, "");
        nodes[state.group->map.node_of(rules::ShardId{i}).value].tables.push_back(std::move(table));
    }
}

}  // namespace shardway::cli
