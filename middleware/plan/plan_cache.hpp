// Plans by plan key, bounded in bytes; the one that was not asked for the longest goes first. One per thread,
// no lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "middleware/plan/plan.hpp"

namespace shardway::plan {

// The plan key of the text, mixed with everything else a plan depends on: database, modes, charsets, epoch of
// the topology.
struct CacheKey {
    std::uint64_t high = 0, low = 0;
    bool operator==(const CacheKey&) const = default;
};

class PlanCache {
public:
    explicit PlanCache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    // Null when there is none.
    std::shared_ptr<const Plan> find(CacheKey key);
    // `bytes` is what the plan takes, all told; one that is larger than an eighth of the cache is not kept.
    void insert(CacheKey key, std::shared_ptr<const Plan> plan, std::size_t bytes);
    void clear();

    std::size_t bytes() const { return bytes_; }
    std::size_t size() const { return by_key_.size(); }
    std::uint64_t evictions() const { return evictions_; }

private:
    struct Entry {
        CacheKey key;
        std::shared_ptr<const Plan> plan;
        std::size_t bytes;
    };
    struct Hash {
        std::size_t operator()(CacheKey key) const { return key.low; }
    };
    using Entries = std::list<Entry>;  // asked for last in front

    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::uint64_t evictions_ = 0;
    Entries entries_;
    std::unordered_map<CacheKey, Entries::iterator, Hash> by_key_;
};

}  // namespace shardway::plan
