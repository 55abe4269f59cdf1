// What would move if a fleet grew or shrank, by each way of spreading keys. Counts with real hashes over real
// keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardway::rules {

enum class GrowthMethod : std::uint8_t {
    slots,     // crc32(key) % slots; whole slots move, as few as balance asks for: what Shardway does
    mod,       // crc32(key) % nodes
    doubling,  // as mod, from N to 2N (4N, …) nodes: each key stays or goes to one certain new node
    ring       // consistent hashing with 160 points per node
};

struct GrowthPlan {
    std::uint32_t from_nodes = 0;
    std::uint32_t to_nodes = 0;
    std::uint32_t slots = 256;  // of method slots
    GrowthMethod method = GrowthMethod::slots;
    std::uint64_t keys = 1'000'000;  // the integers from 1 on
};

constexpr std::uint32_t growth_nodes_max = 4096;
constexpr std::uint64_t growth_keys_max = 1'000'000'000;

struct Growth {
    std::uint64_t moved_keys = 0;
    std::optional<std::uint32_t> moved_slots;  // of method slots
    std::vector<std::uint64_t> before, after;  // keys per node
};

// Or why the plan cannot be.
std::variant<Growth, std::string> simulate(const GrowthPlan& plan);

// The nodes of slots after a change of `nodes` (a node per slot, 0 …) to `to_nodes` nodes of equal share: as
// few slots move as possible, and those of a node that gives leave in the order of their numbers.
std::vector<std::uint32_t> rebalanced(const std::vector<std::uint32_t>& nodes, std::uint32_t to_nodes);

}  // namespace shardway::rules
