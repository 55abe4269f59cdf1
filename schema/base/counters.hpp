// Counters without sharing: each thread adds to its own row, a scrape sums the rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace shardway::base {

// One thread's row of `Enum::count_` counters. Only its owner adds; anyone may read.
template <class Enum>
class alignas(64) CounterRow {
public:
    static constexpr std::size_t size = static_cast<std::size_t>(Enum::count_);

    void add(Enum which, std::uint64_t amount = 1) {
        auto& cell = cells_[static_cast<std::size_t>(which)];
        // One writer: a plain load and store is enough, and cheaper than a locked add.
        cell.store(cell.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    std::uint64_t get(Enum which) const {
        return cells_[static_cast<std::size_t>(which)].load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> cells_[size] = {};
};

// All rows, one per thread, made before the threads start. Lives as long as they do.
template <class Enum>
class Counters {
public:
    explicit Counters(std::size_t threads) : rows_(threads) {}
    CounterRow<Enum>& row(std::size_t thread) { return rows_[thread]; }
    std::uint64_t sum(Enum which) const {
        std::uint64_t total = 0;
        for (const auto& row : rows_) total += row.get(which);
        return total;
    }

private:
    std::vector<CounterRow<Enum>> rows_;
};

}  // namespace shardway::base
