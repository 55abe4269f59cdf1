#include "rules/stored_maps.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "rules/layout.hpp"
#include "schema/table.hpp"

namespace shardway::rules {

namespace {

constexpr std::string_view first_line = "shardway slot map 1";

std::optional<std::uint32_t> number_at(std::string_view& text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::string_view line_at(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

template <class F>
void for_each_group(const Rules& rules, F&& visit) {
    for (const auto& [name, database] : rules.databases)
        for (const auto& group : database.groups) visit(database, group);
}

// "0-15 on node0 instead of node1".
std::string moved_slots(const Rules& rules, const SlotMap& stored, const std::vector<SlotMap::Shard>& place) {
    std::string text;
    for (const auto& shard : stored.shards())
        for (const auto& planned : place) {
            const std::uint32_t first = std::max(shard.slots.first, planned.slots.first),
                                last = std::min(shard.slots.last, planned.slots.last);
            if (first > last || shard.node == planned.node) continue;
            text += fmt::format("{}slots {}-{} on {} instead of {}", text.empty() ? "" : ", ", first, last,
                                rules.node(shard.node).name, rules.node(planned.node).name);
        }
    return text;
}

std::vector<std::string> names_of(const Rules& rules, const Group& group, const SlotMap& map,
                                  std::string_view table) {
    const auto algorithm = make_algorithm(group.algorithm);
    std::vector<std::string> names;
    if (!group.layout.list.empty() && group.layout.list.size() != map.shard_count()) return names;
    for (std::size_t i = 0; i < map.shard_count(); ++i)
        names.push_back(shard_database(group.layout, rules, map.shards(), *algorithm, ShardId{i}) + "." +
                        shard_table(group.layout, rules, map.shards(), *algorithm, ShardId{i}, table));
    return names;
}

void compare_group(const Rules& current, const Rules& next, const Database& database, const Group& group,
                   const SlotMap& map, std::vector<std::string>& reasons) {
    const std::string name = database.name + "." + group.name;
    const auto* next_database = next.find_database(database.name);
    const Group* other = nullptr;
    for (const auto& candidate : next_database->groups)
        if (candidate.name == group.name) other = &candidate;
    if (other == nullptr) {
        reasons.push_back(fmt::format("group {} is gone, slots 0-{} hold rows", name, map.slot_count() - 1));
        return;
    }
    if (identity_of(group.algorithm) != identity_of(other->algorithm)) {
        reasons.push_back(fmt::format("group {} has another algorithm, which moves keys of slots 0-{}", name,
                                      map.slot_count() - 1));
        return;
    }
    std::vector<SlotMap::Shard> moved = map.shards();
    for (auto& shard : moved) {
        const auto node = next.find_node(current.node(shard.node).name);
        if (!node) {
            reasons.push_back(fmt::format("node {} is gone, slots {}-{} of group {} lie on it",
                                          current.node(shard.node).name, shard.slots.first, shard.slots.last,
                                          name));
            return;
        }
        shard.node = *node;
    }
    const auto before = names_of(current, group, map, "{}"),
               after = names_of(next, *other, SlotMap{map.version(), moved}, "{}");
    if (before != after)
        reasons.push_back(fmt::format("group {} names its shards otherwise, slots 0-{} hold rows", name,
                                      map.slot_count() - 1));
}

void compare_tables(const Database& database, const Database& next, std::vector<std::string>& reasons) {
    for (const auto& [name, table] : database.tables) {
        const auto found = next.tables.find(name);
        const TableRule* const other = found == next.tables.end() ? nullptr : &found->second;
        const auto* sharded = table.sharded();
        if (sharded == nullptr) {
            if (other != nullptr && other->sharded() != nullptr)
                reasons.push_back(
                    fmt::format("table {}.{} is sharded now; its rows are not", database.name, name));
            continue;
        }
        const auto* other_sharded = other == nullptr ? nullptr : other->sharded();
        if (other_sharded == nullptr) {
            reasons.push_back(
                fmt::format("table {}.{} is sharded no more; its rows are", database.name, name));
            continue;
        }
        if (database.group(sharded->group).name != next.group(other_sharded->group).name)
            reasons.push_back(fmt::format("table {}.{} is in another group", database.name, name));
        bool same_keys = sharded->keys.size() == other_sharded->keys.size();
        for (std::size_t i = 0; same_keys && i < sharded->keys.size(); ++i)
            same_keys = schema::same_identifier(sharded->keys[i], other_sharded->keys[i]);
        if (!same_keys) reasons.push_back(fmt::format("table {}.{} has another key", database.name, name));
        const auto& gene = sharded->gene;
        const auto& other_gene = other_sharded->gene;
        const bool same_gene = gene && other_gene &&
                               schema::same_identifier(gene->column, other_gene->column) &&
                               gene->bits == other_gene->bits;
        if (other_gene && !same_gene)
            reasons.push_back(fmt::format("table {}.{} has another gene; ids of its rows do not carry it",
                                          database.name, name));
        for (const auto& locator : other_sharded->locators) {
            const bool known = std::any_of(
                sharded->locators.begin(), sharded->locators.end(),
                [&](const auto& old) { return schema::same_identifier(old.column, locator.column); });
            if (!known)
                reasons.push_back(fmt::format("table {}.{} has a new locator by {}; its rows have none yet",
                                              database.name, name, locator.column));
        }
    }
}

}  // namespace

std::string slot_map_key(std::string_view database, std::string_view group) {
    return fmt::format("slot_map/{}/{}", database, group);
}

std::string encode_slot_map(const Rules& rules, const std::vector<SlotMap::Shard>& shards) {
    std::string text{first_line};
    text += '\n';
    for (const auto& shard : shards)
        text += fmt::format("{}-{} {}\n", shard.slots.first, shard.slots.last, rules.node(shard.node).name);
    return text;
}

SlotMap decode_slot_map(const Rules& rules, std::string_view text, std::uint64_t version) {
    if (line_at(text) != first_line) throw std::invalid_argument("it is no slot map of this version");
    std::vector<SlotMap::Shard> shards;
    while (!text.empty()) {
        std::string_view line = line_at(text);
        const auto first = number_at(line);
        const bool dash = line.starts_with('-');
        line.remove_prefix(dash ? 1 : 0);
        const auto last = number_at(line);
        if (!first || !dash || !last || !line.starts_with(' '))
            throw std::invalid_argument("a line of it is malformed");
        const auto node = rules.find_node(line.substr(1));
        if (!node)
            throw std::invalid_argument(
                fmt::format("it names the node {}, which the rules do not", line.substr(1)));
        shards.push_back({{*first, *last}, *node});
    }
    if (shards.empty() || shards.back().slots.last >= slots_max)
        throw std::invalid_argument("it has no slots, or too many");
    if (const auto problem = SlotMap::problem_of(shards, shards.back().slots.last + 1); !problem.empty())
        throw std::invalid_argument(problem);
    return SlotMap{version, std::move(shards)};
}

StoredMaps load_maps(const Rules& rules, schema::MetaStore& store) {
    StoredMaps maps;
    for_each_group(rules, [&](const Database& database, const Group& group) {
        const auto entry = store.get(slot_map_key(database.name, group.name));
        if (!entry) return;
        try {
            maps.emplace(std::pair{database.name, group.name},
                         decode_slot_map(rules, entry->value, entry->revision));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(fmt::format("the stored slot map of group {}.{}: {}", database.name,
                                                    group.name, error.what()));
        }
    });
    return maps;
}

StoredMaps load_or_seed_maps(const Rules& rules, schema::MetaStore& store) {
    for_each_group(rules, [&](const Database& database, const Group& group) {
        const auto key = slot_map_key(database.name, group.name);
        // Another proxy may be the first; then its map stands.
        if (!store.get(key)) store.compare_and_set(key, 0, encode_slot_map(rules, group.shards));
    });
    return load_maps(rules, store);
}

std::optional<std::uint64_t> publish_map(const Rules& rules, schema::MetaStore& store,
                                         std::string_view database, std::string_view group,
                                         const std::vector<SlotMap::Shard>& shards,
                                         std::uint64_t from_version) {
    return store.compare_and_set(slot_map_key(database, group), from_version, encode_slot_map(rules, shards));
}

std::vector<std::string> map_differences(const Rules& rules, const StoredMaps& maps) {
    std::vector<std::string> lines;
    for_each_group(rules, [&](const Database& database, const Group& group) {
        const auto stored = maps.find({database.name, group.name});
        if (stored == maps.end() || stored->second.shards() == group.shards) return;
        const auto& map = stored->second;
        std::string what = moved_slots(rules, map, group.shards);
        if (map.slot_count() != group.slot_count())
            what = fmt::format("{} slots instead of {}", map.slot_count(), group.slot_count());
        else if (map.shard_count() != group.shards.size())
            what += fmt::format("{}{} shards instead of {}", what.empty() ? "" : ", ", map.shard_count(),
                                group.shards.size());
        lines.push_back(fmt::format("group {}.{}: the stored slot map (version {}) has {}", database.name,
                                    group.name, map.version(), what));
    });
    return lines;
}

std::vector<std::string> orphaned_by(const Rules& current, const Rules& next, const StoredMaps& maps) {
    std::vector<std::string> reasons;
    for (const auto& [name, database] : current.databases) {
        const auto* other = next.find_database(name);
        if (other == nullptr && !database.is_single_node())
            reasons.push_back(fmt::format("database {} is gone, its groups hold rows", name));
        if (other == nullptr) continue;
        for (const auto& group : database.groups) {
            const auto stored = maps.find({name, group.name});
            const SlotMap map = stored == maps.end() ? SlotMap{0, group.shards} : stored->second;
            compare_group(current, next, database, group, map, reasons);
        }
        compare_tables(database, *other, reasons);
    }
    return reasons;
}

}  // namespace shardway::rules
