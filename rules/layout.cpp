#include "rules/layout.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace shardway::rules {

namespace {

constexpr std::string_view number_fields[] = {"shard", "slot",  "node_index", "part1",
                                              "part2", "part3", "part4"};
constexpr std::string_view text_fields[] = {"node", "label", "table"};

bool is_among(std::string_view word, std::span<const std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string field_problem(std::string_view field, std::string_view width, bool may_table) {
    const bool is_number = is_among(field, number_fields);
    if (!is_number && (!is_among(field, text_fields) || (field == "table" && !may_table)))
        return fmt::format("the field {{{}}}", field);
    if (!width.empty() && !is_number) return fmt::format("a width on {{{}}}, which is no number", field);
    if (width.size() > 2 || width.find_first_not_of("0123456789") != std::string_view::npos)
        return fmt::format("the width ':{}'", width);
    return "";
}

struct Field {
    std::string_view name, width;
    std::size_t end;  // behind the closing brace
};

// The field that begins at the brace at `open`; its end is npos when no brace closes it.
Field field_at(std::string_view text, std::size_t open) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return {{}, {}, close};
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t colon = inside.find(':');
    const std::string_view width =
        colon == std::string_view::npos ? std::string_view{} : inside.substr(colon + 1);
    return {inside.substr(0, colon), width, close + 1};
}

Pattern::Values values_of(const Rules& rules, const std::vector<SlotMap::Shard>& shards,
                          const Algorithm& algorithm, ShardId shard, std::string_view label) {
    const auto& place = shards[shard.value];
    const Slot slot{place.slots.first};
    return {shard.value, slot.value, rules.node(place.node).name, place.node.value,
            label,       {},         algorithm.digits_of(slot)};
}

}  // namespace

std::string Pattern::problem_of(std::string_view text, bool may_table) {
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '}') return "a closing brace without an opening one";
        if (text[i] != '{') {
            ++i;
            continue;
        }
        const Field field = field_at(text, i);
        if (field.end == std::string_view::npos) return "an opening brace without a closing one";
        if (auto problem = field_problem(field.name, field.width, may_table); !problem.empty())
            return problem;
        i = field.end;
    }
    return "";
}

Pattern::Pattern(std::string_view text) {
    assert(problem_of(text, true).empty());
    std::size_t i = 0;
    while (i < text.size()) {
        const std::size_t open = std::min(text.find('{', i), text.size());
        if (open > i) pieces_.push_back({std::string{text.substr(i, open - i)}, {}, 0});
        if (open == text.size()) return;
        const Field field = field_at(text, open);
        int width = 0;
        for (const char digit : field.width) width = width * 10 + (digit - '0');
        pieces_.push_back({{}, std::string{field.name}, width});
        i = field.end;
    }
}

std::string Pattern::fill(const Values& values) const {
    std::string name;
    for (const auto& piece : pieces_) {
        if (piece.field.empty()) name += piece.text;
        if (piece.field == "shard") name += fmt::format("{:0{}}", values.shard, piece.width);
        if (piece.field == "slot") name += fmt::format("{:0{}}", values.slot, piece.width);
        if (piece.field == "node_index") name += fmt::format("{:0{}}", values.node_index, piece.width);
        if (piece.field == "node") name += values.node;
        if (piece.field == "label") name += values.label;
        if (piece.field == "table") name += values.table;
        if (piece.field.starts_with("part")) {
            const auto part = static_cast<std::size_t>(piece.field[4] - '1');
            const std::uint32_t digit = part < values.parts.size() ? values.parts[part] : 0;
            name += fmt::format("{:0{}}", digit, piece.width);
        }
    }
    return name;
}

bool Pattern::uses(std::string_view field) const {
    return std::any_of(pieces_.begin(), pieces_.end(),
                       [&](const Piece& piece) { return piece.field == field; });
}

std::string shard_database(const Layout& layout, const Rules& rules,
                           const std::vector<SlotMap::Shard>& shards, const Algorithm& algorithm,
                           ShardId shard) {
    if (!layout.list.empty()) return layout.list[shard.value].database;
    const std::string label = algorithm.slot_label(Slot{shards[shard.value].slots.first});
    return Pattern{layout.database}.fill(values_of(rules, shards, algorithm, shard, label));
}

std::string shard_table(const Layout& layout, const Rules& rules, const std::vector<SlotMap::Shard>& shards,
                        const Algorithm& algorithm, ShardId shard, std::string_view logical_table) {
    if (!layout.list.empty()) {
        const auto& table = layout.list[shard.value].table;
        return table.empty() ? std::string{logical_table} : table;
    }
    const std::string label = algorithm.slot_label(Slot{shards[shard.value].slots.first});
    auto values = values_of(rules, shards, algorithm, shard, label);
    values.table = logical_table;
    return Pattern{layout.table}.fill(values);
}

std::string quoted_name(std::string_view name) {
    std::string quoted = "`";
    for (const char c : name) quoted += c == '`' ? std::string{"``"} : std::string{c};
    return quoted + "`";
}

}  // namespace shardway::rules
