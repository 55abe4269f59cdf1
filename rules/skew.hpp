// How evenly a key would spread rows: counted over the keys that are there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/algorithm.hpp"
#include "rules/slot_map.hpp"

namespace shardway::rules {

// Rows by slot, and the values that most rows share. One thread's.
class SkewCount {
public:
    // Heavier values than one row in this many are certainly among the heaviest.
    static constexpr std::size_t values_kept = 1024;

    explicit SkewCount(std::shared_ptr<const Algorithm> algorithm)
        : algorithm_{std::move(algorithm)}, slots_(algorithm_->slot_count()) {}

    void add(const Key& key);
    // A row whose key is NULL or unreadable.
    void add_keyless() { ++keyless_; }

    std::uint64_t rows() const { return rows_; }          // with a key
    std::uint64_t keyless() const { return keyless_; }    // without
    std::uint64_t slotless() const { return slotless_; }  // with a key that has no slot
    const std::vector<std::uint64_t>& by_slot() const { return slots_; }
    std::vector<std::uint64_t> by_shard(const SlotMap& map) const;
    std::vector<std::uint64_t> by_node(const SlotMap& map, std::size_t nodes) const;
    // Heaviest first. The counts are lower bounds, each too small by at most rows() / values_kept.
    std::vector<std::pair<std::string, std::uint64_t>> heaviest(std::size_t count) const;

private:
    std::shared_ptr<const Algorithm> algorithm_;
    std::vector<std::uint64_t> slots_;
    std::uint64_t rows_ = 0, keyless_ = 0, slotless_ = 0;
    // Misra and Gries: a value that finds no room takes one from all others.
    std::unordered_map<std::string, std::uint64_t> values_;
};

// The largest part against an even share: 1 is even, 2 twice as much as it should be. 0 without rows.
double imbalance(const std::vector<std::uint64_t>& parts);

}  // namespace shardway::rules
