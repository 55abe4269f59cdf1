#include "middleware/plan/plan_cache.hpp"

namespace shardway::plan {

namespace {
// The list node, the hash table's node and its share of the buckets.
constexpr std::size_t entry_overhead_bytes = 160;
}  // namespace

std::shared_ptr<const Plan> PlanCache::find(CacheKey key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->plan;
}

void PlanCache::insert(CacheKey key, std::shared_ptr<const Plan> plan, std::size_t bytes) {
    bytes += entry_overhead_bytes;
    if (bytes > bytes_max_ / 8 || by_key_.contains(key)) return;
    entries_.push_front({key, std::move(plan), bytes});
    by_key_.emplace(key, entries_.begin());
    bytes_ += bytes;
    while (bytes_ > bytes_max_) {
        const Entry& last = entries_.back();
        bytes_ -= last.bytes;
        by_key_.erase(last.key);
        entries_.pop_back();
        ++evictions_;
    }
}

void PlanCache::clear() {
    entries_.clear();
    by_key_.clear();
    bytes_ = 0;
}

}  // namespace shardway::plan
