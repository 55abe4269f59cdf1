// One immutable snapshot of everything a statement needs to know of the fleet. A statement takes the current
// one when it starts and keeps it to its end; a reload, a DDL or a moved shard publishes a new one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/algorithm.hpp"
#include "rules/rules.hpp"
#include "rules/slot_map.hpp"
#include "schema/catalog.hpp"

namespace shardway::rules {

// What a shard of a table is called on its node.
struct PhysicalTable {
    std::string database;
    std::string table;
    std::string quoted;  // `database`.`table`
};

// A group at work: its rule, algorithm, slot map, and the names of its shards, all computed ahead.
struct GroupState {
    const Group* rule;  // in Topology::rules
    GroupId id;
    std::shared_ptr<const Algorithm> algorithm;
    SlotMap map;
    std::vector<std::string> databases;  // per shard: the physical database

    NodeId node_of(Slot slot) const { return map.node_of(map.shard_of(slot)); }
    std::size_t shard_count() const { return map.shard_count(); }
};

// A table of a database with groups: what its rule, the catalog and its group say together. Lives in the
// topology.
struct TableState {
    std::string name;                        // logical
    const TableRule* rule = nullptr;         // null for a single table that the rules do not name
    const schema::Table* columns = nullptr;  // null when the catalog has no such table
    const GroupState* group = nullptr;       // of sharded tables and locators
    NodeId node;                             // of single tables
    std::vector<PhysicalTable> places;       // of sharded tables: by ShardId
    // Positions of the shard keys (one per part) in `columns`; empty without catalog, or when a column is
    // missing there.
    std::vector<std::size_t> key_columns;
    // Of a locator table: the table it serves. Locators are in no template and in no SHOW, and no client may
    // name them.
    const TableState* locator_of = nullptr;
    // Of a sharded table: its locators, in the order of ShardedTable::locators.
    std::vector<const TableState*> locators;

    bool is_sharded() const { return group != nullptr; }
    bool is_reference() const { return rule != nullptr && rule->is_reference(); }
    bool is_single() const { return !is_sharded() && !is_reference(); }
    const ShardedTable* sharded() const { return rule == nullptr ? nullptr : rule->sharded(); }
    const PhysicalTable& place(ShardId shard) const { return places[shard.value]; }
};

struct DatabaseState {
    const Database* rule;
    std::vector<std::unique_ptr<GroupState>> groups;  // by GroupId
    std::map<std::string, std::unique_ptr<TableState>, std::less<>>
        tables;  // all but locators; from rules and catalog
    std::map<std::string, std::unique_ptr<TableState>, std::less<>> locators;

    // A table that a client may name; null when neither the rules nor the catalog know it.
    const TableState* find(std::string_view table) const;
    bool is_single_node() const { return rule->is_single_node(); }
};

// Slot maps by database and group name, as the metadata store has them. A group without an entry takes
// `place`.
using StoredMaps = std::map<std::pair<std::string, std::string>, SlotMap>;

class Topology {
public:
    // `epoch` grows with every published topology; plan caches carry it. Throws std::invalid_argument when a
    // stored map does not fit its group (another number of slots, a node that the rules no longer name): the
    // caller refuses to start, or keeps the topology it has.
    static std::shared_ptr<const Topology> build(std::shared_ptr<const Rules> rules,
                                                 std::shared_ptr<const schema::Catalog> catalog,
                                                 const StoredMaps& maps, std::uint64_t epoch);

    const Rules& rules() const { return *rules_; }
    const schema::Catalog& catalog() const { return *catalog_; }
    std::shared_ptr<const Rules> shared_rules() const { return rules_; }
    std::shared_ptr<const schema::Catalog> shared_catalog() const { return catalog_; }
    std::uint64_t epoch() const { return epoch_; }
    std::size_t node_count() const { return rules_->nodes.size(); }
    const Node& node(NodeId id) const { return rules_->node(id); }

    // Null when the rules name no such database.
    const DatabaseState* database(std::string_view name) const;
    // Null when there is no such database or table; single-node databases know no tables.
    const TableState* table(std::string_view database, std::string_view table) const;
    const std::map<std::string, DatabaseState, std::less<>>& databases() const { return databases_; }

    // The logical table that a physical one (a shard's, as it appears in a server's error text) belongs to.
    struct Logical {
        const DatabaseState* database;
        const TableState* table;  // null when only the database was named
        ShardId shard;
    };
    std::optional<Logical> logical_of(std::string_view physical_database,
                                      std::string_view physical_table) const;

private:
    Topology() = default;
    void build_database(DatabaseState& state, const StoredMaps& maps);
    void build_locator(DatabaseState& state, TableState& main, const LocatorRule& rule);
    void add_physical(const DatabaseState& state, const TableState& table);

    std::shared_ptr<const Rules> rules_;
    std::shared_ptr<const schema::Catalog> catalog_;
    std::uint64_t epoch_ = 0;
    std::map<std::string, DatabaseState, std::less<>> databases_;
    std::map<std::pair<std::string, std::string>, Logical> physical_;
    std::vector<std::shared_ptr<const schema::Table>> locator_columns_;
};

}  // namespace shardway::rules
