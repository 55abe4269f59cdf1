#include "rules/slot_map.hpp"

#include <fmt/format.h>

namespace shardway::rules {

SlotMap::SlotMap(std::uint64_t version, std::vector<Shard> shards)
    : version_{version}, shards_{std::move(shards)} {
    assert(!shards_.empty() && problem_of(shards_, shards_.back().slots.last + 1).empty());
    shard_of_slot_.reserve(shards_.back().slots.last + 1);
    for (std::size_t i = 0; i < shards_.size(); ++i)
        shard_of_slot_.insert(shard_of_slot_.end(), shards_[i].slots.size(), ShardId{i});
}

std::string SlotMap::problem_of(const std::vector<Shard>& shards, std::uint32_t slots) {
    std::uint32_t next = 0;
    for (const auto& shard : shards) {
        if (shard.slots.first != next || shard.slots.last < shard.slots.first)
            return fmt::format("slot {} is followed by slots {}-{}", next == 0 ? 0 : next - 1,
                               shard.slots.first, shard.slots.last);
        if (shard.slots.last >= slots) return fmt::format("slot {} of {}", shard.slots.last, slots);
        next = shard.slots.last + 1;
    }
    return next == slots ? "" : fmt::format("{} of {} slots", next, slots);
}

}  // namespace shardway::rules
