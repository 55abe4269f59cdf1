#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "rules/layout.hpp"
#include "rules/load_parts.hpp"

namespace shardway::rules {

namespace {

// One entry of `place`: a node and slots of it.
struct Placed {
    NodeId node;
    SlotRange slots;
    At at;
};

// "0-63", "5", "0-3, 8-11".
std::optional<std::vector<SlotRange>> parse_ranges(std::string_view text) {
    std::vector<SlotRange> ranges;
    const auto number = [&]() -> std::optional<std::uint32_t> {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        std::uint32_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || value >= slots_max) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        return value;
    };
    for (;;) {
        const auto first = number();
        if (!first) return std::nullopt;
        auto last = first;
        if (text.starts_with('-')) {
            text.remove_prefix(1);
            last = number();
        }
        if (!last || *last < *first) return std::nullopt;
        ranges.push_back({*first, *last});
        if (text.empty()) return ranges;
        if (!text.starts_with(',')) return std::nullopt;
        text.remove_prefix(1);
    }
}

// Absent when something in it is wrong, and said so.
std::optional<std::vector<Placed>> read_place(YamlReader& in, const At& at, const Rules& rules) {
    std::vector<Placed> placed;
    bool good = at.node.IsMap();
    for (const auto& pair : in.pairs(at)) {
        const At name{YAML::Node{pair.name}, pair.value.path, pair.key_mark};
        const auto node = read_node_name(in, name, rules);
        good = good && node;
        for (const auto& item : in.one_or_list(pair.value)) {
            const auto text = in.text(item);
            const auto ranges = text ? parse_ranges(*text) : std::nullopt;
            if (text && !ranges) in.report(item, fmt::format("'{}'", *text), "slots, such as 0-63 or 0-3, 8");
            good = good && ranges;
            if (!node || !ranges) continue;
            for (const auto& range : *ranges) placed.push_back({*node, range, item});
        }
    }
    if (!good) return std::nullopt;
    return placed;
}

// The node of each slot; absent when slots are missing or placed twice.
std::optional<std::vector<NodeId>> nodes_of_slots(YamlReader& in, const At& at,
                                                  const std::vector<Placed>& placed, std::uint32_t slots) {
    constexpr std::uint32_t nowhere = UINT32_MAX;
    std::vector<std::uint32_t> nodes(slots, nowhere);
    bool good = true;
    for (const auto& entry : placed) {
        if (entry.slots.last >= slots) {
            in.report(entry.at, fmt::format("slots {}-{}", entry.slots.first, entry.slots.last),
                      fmt::format("slots 0-{}", slots - 1));
            good = false;
            continue;
        }
        for (std::uint32_t slot = entry.slots.first; slot <= entry.slots.last; ++slot) {
            if (nodes[slot] != nowhere) {
                in.report(entry.at, fmt::format("slot {}, which is placed already", slot),
                          "each slot on exactly one node");
                good = false;
                break;
            }
            nodes[slot] = entry.node.value;
        }
    }
    if (!good) return std::nullopt;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        if (nodes[slot] != nowhere) continue;
        std::uint32_t last = slot;
        while (last + 1 < slots && nodes[last + 1] == nowhere) ++last;
        const auto gap = slot == last ? fmt::format("slot {}", slot) : fmt::format("slots {}-{}", slot, last);
        in.report(at, fmt::format("{} on no node", gap), fmt::format("all slots 0-{} placed", slots - 1));
        good = false;
        slot = last;
    }
    if (!good) return std::nullopt;
    std::vector<NodeId> result;
    for (const std::uint32_t node : nodes) result.emplace_back(node);
    return result;
}

std::optional<std::vector<SlotMap::Shard>> cut_shards(YamlReader& in, const At& at, const Rules& rules,
                                                      const std::vector<NodeId>& nodes,
                                                      std::uint32_t slots_per_shard) {
    std::vector<SlotMap::Shard> shards;
    bool good = true;
    const auto slots = static_cast<std::uint32_t>(nodes.size());
    for (std::uint32_t first = 0; first < slots; first += slots_per_shard) {
        const std::uint32_t last = std::min(first + slots_per_shard, slots) - 1;
        for (std::uint32_t slot = first + 1; slot <= last; ++slot)
            if (nodes[slot] != nodes[first]) {
                in.report(
                    at,
                    fmt::format("shard {} (slots {}-{}) cut at slot {}: {} and {}", shards.size(), first,
                                last, slot, rules.node(nodes[first]).name, rules.node(nodes[slot]).name),
                    "whole shards on one node");
                good = false;
                break;
            }
        shards.push_back({{first, last}, nodes[first]});
    }
    if (!good) return std::nullopt;
    return shards;
}

std::vector<std::string> ring_members(const Rules& rules, const std::vector<Placed>& placed) {
    std::vector<const Placed*> by_slot;
    for (const auto& entry : placed) by_slot.push_back(&entry);
    std::sort(by_slot.begin(), by_slot.end(),
              [](const Placed* a, const Placed* b) { return a->slots.first < b->slots.first; });
    std::vector<std::string> members;
    for (const Placed* entry : by_slot) members.push_back(rules.node(entry->node).name);
    return members;
}

void read_pattern(YamlReader& in, const At& at, bool may_table, std::string& target) {
    const auto text = in.text(at);
    if (!text) return;
    if (text->empty()) {
        in.report(at, "an empty pattern", "a name");
    } else if (const auto problem = Pattern::problem_of(*text, may_table); !problem.empty()) {
        in.report(at, problem,
                  may_table ? "{shard} {shard:02} {slot} {node} {node_index} {label} {part1} {table}"
                            : "{shard} {shard:02} {slot} {node} {node_index} {label}");
    } else {
        target = *text;
    }
}

void read_list(YamlReader& in, const At& at, std::size_t shards, Layout& layout) {
    layout.list.resize(shards);
    std::vector<bool> named(shards);
    for (const auto& pair : in.pairs(at)) {
        const At name{YAML::Node{pair.name}, pair.value.path, pair.key_mark};
        const auto shard = in.integer(name, 0, shards - 1);
        const auto text = in.text(pair.value);
        if (!shard || !text) continue;
        const std::size_t dot = text->find('.');
        auto& place = layout.list[*shard];
        place.database = text->substr(0, dot);
        if (dot != std::string::npos) place.table = text->substr(dot + 1);
        named[*shard] = true;
        if (place.database.empty() || (dot != std::string::npos && place.table.empty()) ||
            place.table.find('.') != std::string::npos)
            in.report(pair.value, fmt::format("'{}'", *text), "database or database.table");
    }
    for (std::size_t shard = 0; shard < shards && at.node.IsMap(); ++shard)
        if (!named[shard])
            in.report(at, fmt::format("nothing for shard {}", shard),
                      fmt::format("a place for all of the {} shards", shards));
}

void read_layout(YamlReader& in, const At& at, const Group& group, Layout& layout) {
    MapReader map{in, at};
    const auto list = map.find("list");
    if (list && (map.has("database") || map.has("table")))
        in.report(*list, "a list beside patterns", "one of them");
    if (const auto pattern = map.find("database")) read_pattern(in, *pattern, false, layout.database);
    if (const auto pattern = map.find("table")) read_pattern(in, *pattern, true, layout.table);
    map.finish();
    if (list) {
        layout.database.clear();
        layout.table.clear();
        read_list(in, *list, group.shards.size(), layout);
        return;
    }
    const Pattern patterns[] = {Pattern{layout.database}, Pattern{layout.table}};
    for (const auto& pattern : patterns) {
        const auto refuse = [&](std::string_view field, std::string_view why, std::string_view expected) {
            if (pattern.uses(field))
                in.report(at, fmt::format("{{{}}} {}", field, why), std::string{expected});
        };
        const auto algorithm = make_algorithm(group.algorithm);
        const std::string several = fmt::format("with {} slots per shard", group.slots_per_shard);
        if (group.slots_per_shard != 1)
            for (const std::string_view field : {"slot", "label", "part1", "part2", "part3", "part4"})
                refuse(field, several, "slots_per_shard: 1, or {shard}");
        else if (algorithm->slot_label(Slot{0u}).empty())
            refuse("label", "without an algorithm of time", "{shard}");
        for (std::size_t part = algorithm->part_count() == 1 ? 0 : algorithm->part_count(); part < 4; ++part)
            if (group.slots_per_shard == 1)
                refuse(fmt::format("part{}", part + 1), "without such a key of a composite algorithm",
                       "{slot} or {shard}");
    }
}

}  // namespace

std::optional<Group> read_group(YamlReader& in, const At& at, const std::string& name,
                                const std::string& database, const Rules& rules) {
    MapReader map{in, at};
    Group group;
    group.name = name;
    const auto algorithm =
        map.need("algorithm", "how slots are found, {type: hash, function: crc32, slots: 256}");
    const auto place = map.need("place", "the slots of each node, {node0: 0-127, node1: 128-255}");
    const auto per_shard = map.find("slots_per_shard");
    const auto layout = map.find("layout");
    map.finish();
    const auto placed = place ? read_place(in, *place, rules) : std::nullopt;
    const auto rule = algorithm
                          ? read_algorithm(in, *algorithm,
                                           placed ? ring_members(rules, *placed) : std::vector<std::string>{})
                          : std::nullopt;
    if (!rule) return std::nullopt;
    group.algorithm = *rule;
    const std::uint32_t slots = group.slot_count();

    group.slots_per_shard = std::max<std::uint32_t>(1, slots / 16);
    if (per_shard) {
        const auto value = in.integer(*per_shard, 1, slots);
        if (!value) return std::nullopt;
        group.slots_per_shard = static_cast<std::uint32_t>(*value);
    }
    if (!placed) return std::nullopt;
    if (std::holds_alternative<RingRule>(group.algorithm))
        for (const auto& entry : *placed)
            if (entry.slots.size() != 1)
                in.report(
                    entry.at,
                    fmt::format("slots {}-{} for a member of a ring", entry.slots.first, entry.slots.last),
                    "one slot per member");
    const auto nodes = nodes_of_slots(in, *place, *placed, slots);
    const auto shards = nodes ? cut_shards(in, *place, rules, *nodes, group.slots_per_shard) : std::nullopt;
    if (!shards) return std::nullopt;
    group.shards = *shards;
    group.layout.database = database + "_{shard:02}";
    if (layout) read_layout(in, *layout, group, group.layout);
    return group;
}

}  // namespace shardway::rules
