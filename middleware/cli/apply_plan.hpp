// What apply wants on each node: databases and tables, as statements. No I/O: computed from rules, topology
// and schema file, and the same whatever is there already.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "middleware/cli/schema_file.hpp"
#include "rules/topology.hpp"

namespace shardway::cli {

// Our own tables on every node, in rules::meta_database: decisions of transactions over several nodes, with
// the tombstones of recovery, and the gate that snapshots over nodes close (DESIGN.md section 8).
constexpr std::string_view decision_table = "decision";
constexpr std::string_view gate_table = "gate";

struct PlannedTable {
    std::string logical;  // "shop.t_order", for messages
    std::string database, name;
    // The statement that makes it under the name of (database, table); with IF NOT EXISTS.
    std::string statement;
    // The same table as scratch_database would hold it: what an existing one is compared with.
    std::string scratch_statement;
    std::string charset_of;  // the logical database whose charset and collation the table's database has
};

struct PlannedDatabase {
    std::string name;
    std::string charset_of;  // the logical database whose charset and collation it takes; empty: utf8mb4
};

struct NodePlan {
    std::vector<PlannedDatabase> databases;
    std::vector<PlannedTable> tables;  // the template's first
    std::size_t step_count() const { return databases.size() + tables.size(); }
};

// A locator table waits for its main table: only the server knows the types of its columns.
struct PlannedLocator {
    std::string database;  // logical
    std::string table;     // logical, the main table's
    std::string column;
    std::vector<std::string> keys;
    std::string locator;             // logical, its own name
    const rules::TableState* state;  // in the topology
};

struct ApplyPlan {
    std::vector<NodePlan> nodes;  // by NodeId
    std::vector<PlannedLocator> locators;
    std::vector<std::string> problems;  // each names file and line; nothing is applied when there is any
    std::vector<std::string> notes;     // "table t_x of the rules is not in the schema file"
};

// Tables in the database that comparisons use; it exists while apply runs only.
constexpr std::string_view scratch_database = "shardway_scratch";

ApplyPlan plan_apply(const rules::Topology& topology, const SchemaFile& schema, const std::string& file);

// A column of a main table as a locator repeats it.
struct LocatorColumn {
    std::string name;
    std::string type;                // COLUMN_TYPE
    std::string charset, collation;  // empty where the type has none
};
// Adds the locator's tables to the plans of its shards' nodes. `columns`: the located column, then the keys.
void plan_locator(const PlannedLocator& locator, const std::vector<LocatorColumn>& columns,
                  std::vector<NodePlan>& nodes);

}  // namespace shardway::cli
