#include "rules/topology.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "rules/layout.hpp"

namespace shardway::rules {

namespace {

// The slot map that rules: the stored one, where it fits.
SlotMap map_of(const Rules& rules, const Database& database, const Group& group, const StoredMaps& maps) {
    const auto stored = maps.find({database.name, group.name});
    if (stored == maps.end()) return SlotMap{0, group.shards};
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument(fmt::format(
            "the stored slot map of group {}.{} does not fit the rules: {}", database.name, group.name, why));
    };
    const SlotMap& map = stored->second;
    if (map.slot_count() != group.slot_count())
        refuse(fmt::format("it has {} slots, the rules {}", map.slot_count(), group.slot_count()));
    for (const auto& shard : map.shards())
        if (shard.node.value >= rules.nodes.size()) refuse("it names a node that the rules do not");
    if (!group.layout.list.empty() && group.layout.list.size() != map.shard_count())
        refuse(fmt::format("it has {} shards, the layout lists {}", map.shard_count(),
                           group.layout.list.size()));
    return map;
}

std::unique_ptr<GroupState> build_group(const Rules& rules, const Database& database, GroupId id,
                                        const StoredMaps& maps) {
    const Group& group = database.group(id);
    auto state = std::make_unique<GroupState>(
        GroupState{&group, id, make_algorithm(group.algorithm), map_of(rules, database, group, maps), {}});
    for (std::size_t shard = 0; shard < state->map.shard_count(); ++shard)
        state->databases.push_back(
            shard_database(group.layout, rules, state->map.shards(), *state->algorithm, ShardId{shard}));
    return state;
}

void place_table(const Rules& rules, TableState& table, const GroupState& group) {
    table.group = &group;
    for (std::size_t i = 0; i < group.map.shard_count(); ++i) {
        const auto& layout = group.rule->layout;
        const std::string& database = group.databases[i];
        std::string name =
            shard_table(layout, rules, group.map.shards(), *group.algorithm, ShardId{i}, table.name);
        std::string quoted = quoted_name(database) + "." + quoted_name(name);
        table.places.push_back({database, std::move(name), std::move(quoted)});
    }
}

void find_keys(TableState& table, const std::vector<std::string>& keys) {
    if (table.columns == nullptr) return;
    for (const auto& key : keys) {
        const auto position = table.columns->find_column(key);
        if (!position) {
            table.key_columns.clear();
            return;
        }
        table.key_columns.push_back(*position);
    }
}

// A locator's columns are those of its table; it is in no catalog.
std::shared_ptr<const schema::Table> locator_columns(const TableState& main, const LocatorRule& rule) {
    if (main.columns == nullptr || main.key_columns.empty()) return nullptr;
    const auto position = main.columns->find_column(rule.column);
    if (!position) return nullptr;
    auto table = std::make_shared<schema::Table>();
    table->name = rule.table;
    schema::Column column = main.columns->columns[*position];
    schema::Column key = main.columns->columns[main.key_columns.front()];
    for (auto* each : {&column, &key}) {
        each->nullable = false;
        each->has_default = each->auto_increment = each->generated = each->invisible = false;
        each->default_text.reset();
        each->default_is_clock = each->on_update_clock = false;
    }
    schema::Column ver;
    ver.name = "ver";
    ver.type = schema::ColumnType::bigint;
    ver.type_text = "bigint unsigned";
    ver.is_unsigned = true;
    ver.nullable = false;
    table->columns = {std::move(column), std::move(key), std::move(ver)};
    table->unique_keys.push_back({"PRIMARY", {0}});
    return table;
}

}  // namespace

const TableState* DatabaseState::find(std::string_view table) const {
    const auto found = tables.find(table);
    return found == tables.end() ? nullptr : found->second.get();
}

std::shared_ptr<const Topology> Topology::build(std::shared_ptr<const Rules> rules,
                                                std::shared_ptr<const schema::Catalog> catalog,
                                                const StoredMaps& maps, std::uint64_t epoch) {
    std::shared_ptr<Topology> topology{new Topology};
    topology->rules_ = std::move(rules);
    topology->catalog_ = std::move(catalog);
    topology->epoch_ = epoch;
    for (const auto& [name, database] : topology->rules_->databases) {
        auto& state = topology->databases_[name];
        state.rule = &database;
        topology->build_database(state, maps);
    }
    return topology;
}

void Topology::build_database(DatabaseState& state, const StoredMaps& maps) {
    const Database& database = *state.rule;
    if (database.is_single_node()) return;
    for (std::size_t i = 0; i < database.groups.size(); ++i)
        state.groups.push_back(build_group(*rules_, database, GroupId{i}, maps));

    for (const auto& [name, rule] : database.tables) {
        auto table = std::make_unique<TableState>();
        table->name = name;
        table->rule = &rule;
        table->columns = catalog_->find(database.name, name);
        table->node = rule.single() != nullptr ? rule.single()->node : database.default_node;
        if (const auto* sharded = rule.sharded()) {
            place_table(*rules_, *table, *state.groups[sharded->group.value]);
            find_keys(*table, sharded->keys);
            for (const auto& locator : sharded->locators) build_locator(state, *table, locator);
        }
        add_physical(state, *table);
        state.tables.emplace(name, std::move(table));
    }
    for (const schema::Table* const known : catalog_->tables_of(database.name)) {
        auto& table = state.tables[known->name];
        if (table != nullptr) continue;
        table = std::make_unique<TableState>();
        table->name = known->name;
        table->columns = known;
        table->node = database.default_node;
    }
}

void Topology::build_locator(DatabaseState& state, TableState& main, const LocatorRule& rule) {
    auto locator = std::make_unique<TableState>();
    locator->name = rule.table;
    locator->locator_of = &main;
    if (auto columns = locator_columns(main, rule)) {
        locator->columns = columns.get();
        locator_columns_.push_back(std::move(columns));
    }
    place_table(*rules_, *locator, *state.groups[rule.group.value]);
    find_keys(*locator, {rule.column});
    add_physical(state, *locator);
    main.locators.push_back(locator.get());
    state.locators.emplace(rule.table, std::move(locator));
}

void Topology::add_physical(const DatabaseState& state, const TableState& table) {
    for (std::size_t i = 0; i < table.places.size(); ++i) {
        const auto& place = table.places[i];
        physical_.try_emplace({place.database, place.table}, Logical{&state, &table, ShardId{i}});
        physical_.try_emplace({place.database, std::string{}}, Logical{&state, nullptr, ShardId{i}});
    }
}

const DatabaseState* Topology::database(std::string_view name) const {
    const auto found = databases_.find(name);
    return found == databases_.end() ? nullptr : &found->second;
}

const TableState* Topology::table(std::string_view database_name, std::string_view table) const {
    const auto* in = database(database_name);
    return in == nullptr ? nullptr : in->find(table);
}

std::optional<Topology::Logical> Topology::logical_of(std::string_view physical_database,
                                                      std::string_view physical_table) const {
    const auto found = physical_.find({std::string{physical_database}, std::string{physical_table}});
    if (found == physical_.end()) return std::nullopt;
    return found->second;
}

}  // namespace shardway::rules
