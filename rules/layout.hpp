// Names of shards on their nodes, from the patterns of a layout.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.hpp"

namespace shardway::rules {

// A pattern is text with fields in braces: {shard} {slot} {node} {node_index} {label} {table} {part1} ….
// {part1} is the slot of the first key of a composite algorithm, up to {part4}. Fields that are numbers may
// say a width, {shard:02} (zeros in front) or {shard:2}, which is the same. {slot} is the shard's only slot;
// {label} the name that a time algorithm gives it, 202601.
class Pattern {
public:
    // Empty when `text` is a pattern, else what is wrong with it. `may_table`: {table} is allowed.
    static std::string problem_of(std::string_view text, bool may_table);

    explicit Pattern(std::string_view text);  // asserts that it is one

    struct Values {
        std::size_t shard = 0;
        std::size_t slot = 0;
        std::string_view node;
        std::size_t node_index = 0;
        std::string_view label;
        std::string_view table;
        std::vector<std::uint32_t> parts;
    };
    std::string fill(const Values& values) const;
    bool uses(std::string_view field) const;

private:
    struct Piece {
        std::string text;  // as it stands, when `field` is empty
        std::string field;
        int width = 0;
    };
    std::vector<Piece> pieces_;
};

// What a shard of a group is called. `shards` says where each lies now.
std::string shard_database(const Layout& layout, const Rules& rules,
                           const std::vector<SlotMap::Shard>& shards, const Algorithm& algorithm,
                           ShardId shard);
std::string shard_table(const Layout& layout, const Rules& rules, const std::vector<SlotMap::Shard>& shards,
                        const Algorithm& algorithm, ShardId shard, std::string_view logical_table);

// `name` in backticks.
std::string quoted_name(std::string_view name);

}  // namespace shardway::rules
