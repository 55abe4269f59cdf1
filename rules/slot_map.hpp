// Where slots lie: slot → shard → node. The only thing that changes when the fleet grows. Immutable, one per
// group and version.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shardway::rules {

// Three small numbers that must not be mixed up. Slot: 0 … slots-1, for ever. ShardId: position of a shard in
// its group. NodeId: position of a node in Rules::nodes.
template <class Tag>
struct Index {
    std::uint32_t value = 0;
    constexpr Index() = default;
    constexpr explicit Index(std::size_t number) : value{static_cast<std::uint32_t>(number)} {}
    friend constexpr auto operator<=>(Index, Index) = default;
};
using Slot = Index<struct SlotTag>;
using ShardId = Index<struct ShardTag>;
using NodeId = Index<struct NodeTag>;
using GroupId = Index<struct GroupTag>;  // position in Database::groups

// More than any fleet needs, and what a Slots set is built for.
constexpr std::uint32_t slots_max = 65536;

// Consecutive slots, both ends included.
struct SlotRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t size() const { return last - first + 1; }
    bool operator==(const SlotRange&) const = default;
};

class SlotMap {
public:
    // One shard: its slots and its node. `shards` cover 0 … slots-1 in order, without gap or overlap
    // (asserted; check with `problem_of` what comes from outside).
    struct Shard {
        SlotRange slots;
        NodeId node;
        bool operator==(const Shard&) const = default;
    };
    SlotMap(std::uint64_t version, std::vector<Shard> shards);

    // What forbids these shards as a map over `slots` slots; empty when nothing does.
    static std::string problem_of(const std::vector<Shard>& shards, std::uint32_t slots);

    std::uint64_t version() const { return version_; }
    std::uint32_t slot_count() const { return static_cast<std::uint32_t>(shard_of_slot_.size()); }
    std::size_t shard_count() const { return shards_.size(); }
    ShardId shard_of(Slot slot) const {
        assert(slot.value < shard_of_slot_.size());
        return shard_of_slot_[slot.value];
    }
    NodeId node_of(ShardId shard) const { return shards_[shard.value].node; }
    SlotRange slots_of(ShardId shard) const { return shards_[shard.value].slots; }
    const std::vector<Shard>& shards() const { return shards_; }

    bool operator==(const SlotMap& other) const {
        return version_ == other.version_ && shards_ == other.shards_;
    }

private:
    std::uint64_t version_;
    std::vector<Shard> shards_;
    std::vector<ShardId> shard_of_slot_;
};

}  // namespace shardway::rules
