#include "rules/skew.hpp"

#include <algorithm>
#include <numeric>

namespace shardway::rules {

void SkewCount::add(const Key& key) {
    ++rows_;
    const auto slot = algorithm_->slot_of(key);
    if (slot) ++slots_[slot->value];
    if (!slot) ++slotless_;
    std::string text = key.text();
    if (const auto known = values_.find(text); known != values_.end()) {
        ++known->second;
    } else if (values_.size() < values_kept) {
        values_.emplace(std::move(text), 1);
    } else {
        for (auto entry = values_.begin(); entry != values_.end();)
            entry = --entry->second == 0 ? values_.erase(entry) : std::next(entry);
    }
}

std::vector<std::uint64_t> SkewCount::by_shard(const SlotMap& map) const {
    std::vector<std::uint64_t> parts(map.shard_count());
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
        parts[map.shard_of(Slot{slot}).value] += slots_[slot];
    return parts;
}

std::vector<std::uint64_t> SkewCount::by_node(const SlotMap& map, std::size_t nodes) const {
    std::vector<std::uint64_t> parts(nodes);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
        parts[map.node_of(map.shard_of(Slot{slot})).value] += slots_[slot];
    return parts;
}

std::vector<std::pair<std::string, std::uint64_t>> SkewCount::heaviest(std::size_t count) const {
    std::vector<std::pair<std::string, std::uint64_t>> all{values_.begin(), values_.end()};
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    all.resize(std::min(all.size(), count));
    return all;
}

double imbalance(const std::vector<std::uint64_t>& parts) {
    const std::uint64_t total = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    if (total == 0) return 0;
    const std::uint64_t most = *std::max_element(parts.begin(), parts.end());
    return static_cast<double>(most) * static_cast<double>(parts.size()) / static_cast<double>(total);
}

}  // namespace shardway::rules
