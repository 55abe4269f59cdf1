#include "middleware/admin/topology_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "middleware/session/like.hpp"

namespace shardway::admin {

using session::OwnResult;

namespace {

using Row = std::vector<std::optional<std::string>>;

bool wanted(const std::string& name, const std::optional<std::string>& like) {
    return !like || session::is_like(name, *like);
}

std::string range_text(rules::SlotRange range) {
    return range.first == range.last ? std::to_string(range.first)
                                     : fmt::format("{}-{}", range.first, range.last);
}

// How a group's tables are called in a shard: their own name, a pattern, or a name from a list.
std::string table_name_in(const rules::Group& group, std::size_t shard) {
    const rules::Layout& layout = group.layout;
    if (layout.list.empty()) return layout.table;
    const std::string& listed = layout.list[shard].table;
    return listed.empty() ? "{table}" : listed;
}

// The node of a reference table's copies, and of what is spread: none.
Row table_row(const rules::Topology& topology, const rules::DatabaseState& database,
              const rules::TableState& table) {
    Row row{database.rule->name, table.name};
    if (table.is_reference()) {
        row.insert(row.end(),
                   {"reference", std::nullopt, std::nullopt, std::nullopt, std::nullopt, "every node"});
    } else if (table.is_single()) {
        row.insert(row.end(), {"single", std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                               topology.node(table.node).name});
    } else {
        const auto* sharded = table.locator_of ? table.locator_of->sharded() : table.sharded();
        std::string key = sharded ? fmt::format("{}", fmt::join(sharded->keys, ", ")) : std::string{};
        if (table.locator_of)
            for (const rules::LocatorRule& locator : sharded->locators)
                if (locator.table == table.name) key = locator.column;
        row.insert(row.end(), {table.locator_of ? "locator" : "sharded", table.group->rule->name, key,
                               rules::identity_of(table.group->rule->algorithm),
                               std::to_string(table.group->shard_count()), std::nullopt});
    }
    return row;
}

}  // namespace

OwnResult shards_table(const rules::Topology& topology, const std::string& database,
                       const std::optional<std::string>& like) {
    OwnResult out;
    out.columns = {{"Database"}, {"Group"},         {"Shard", true, false}, {"Slots"},
                   {"Node"},     {"Node_database"}, {"Node_table"},         {"Map_version", true, false}};
    for (const auto& [name, state] : topology.databases()) {
        if (!database.empty() && name != database) continue;
        for (const auto& group : state.groups) {
            if (!wanted(group->rule->name, like)) continue;
            for (std::size_t shard = 0; shard < group->shard_count(); ++shard) {
                const rules::ShardId id{shard};
                out.rows.push_back(
                    {name, group->rule->name, std::to_string(shard), range_text(group->map.slots_of(id)),
                     topology.node(group->map.node_of(id)).name, group->databases[shard],
                     table_name_in(*group->rule, shard), std::to_string(group->map.version())});
            }
        }
    }
    return out;
}

OwnResult tables_table(const rules::Topology& topology, const std::string& database,
                       const std::optional<std::string>& like) {
    OwnResult out;
    out.columns = {{"Database"},
                   {"Table"},
                   {"Kind"},
                   {"Group", false, true},
                   {"Key", false, true},
                   {"Algorithm", false, true},
                   {"Shards", true, true},
                   {"Node", false, true}};
    for (const auto& [name, state] : topology.databases()) {
        if (!database.empty() && name != database) continue;
        if (state.is_single_node() && wanted("*", like))
            out.rows.push_back({name, "*", "single-node database", std::nullopt, std::nullopt, std::nullopt,
                                std::nullopt, topology.node(state.rule->default_node).name});
        for (const auto& [table, its] : state.tables)
            if (wanted(table, like)) out.rows.push_back(table_row(topology, state, *its));
        for (const auto& [table, its] : state.locators)
            if (wanted(table, like)) out.rows.push_back(table_row(topology, state, *its));
    }
    return out;
}

}  // namespace shardway::admin
