// What one thread's sessions have done: counted by their thread, read by anyone.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "middleware/plan/plan.hpp"
#include "schema/base/counters.hpp"

namespace shardway::session {

// Nothing here takes a lock or shares a cache line with another thread's writes.
class StatementMetrics {
public:
    // Upper bounds of the histogram's buckets; slower statements are in one bucket more.
    static constexpr std::array<std::chrono::microseconds, 16> bounds{
        std::chrono::microseconds{100},       std::chrono::microseconds{250},
        std::chrono::microseconds{500},       std::chrono::microseconds{1'000},
        std::chrono::microseconds{2'500},     std::chrono::microseconds{5'000},
        std::chrono::microseconds{10'000},    std::chrono::microseconds{25'000},
        std::chrono::microseconds{50'000},    std::chrono::microseconds{100'000},
        std::chrono::microseconds{250'000},   std::chrono::microseconds{500'000},
        std::chrono::microseconds{1'000'000}, std::chrono::microseconds{2'500'000},
        std::chrono::microseconds{5'000'000}, std::chrono::microseconds{10'000'000}};
    static constexpr std::size_t bucket_count = bounds.size() + 1;

    // A statement that was planned; those that were refused before that are in none of these.
    void planned(plan::StatementKind kind, plan::Strategy strategy) { planned_.add(slot(kind, strategy)); }
    void took(std::chrono::steady_clock::duration time) {
        const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time);
        std::size_t bucket = 0;
        while (bucket < bounds.size() && micros > bounds[bucket]) ++bucket;
        took_.add(static_cast<Took>(bucket));
        took_.add(Took::micros, static_cast<std::uint64_t>(micros.count()));
    }

    std::uint64_t count(plan::StatementKind kind, plan::Strategy strategy) const {
        return planned_.get(slot(kind, strategy));
    }
    std::uint64_t in_bucket(std::size_t bucket) const { return took_.get(static_cast<Took>(bucket)); }
    std::uint64_t micros() const { return took_.get(Took::micros); }

private:
    static constexpr std::size_t kinds = static_cast<std::size_t>(plan::StatementKind::session) + 1;
    static constexpr std::size_t strategies = static_cast<std::size_t>(plan::Strategy::scatter_write) + 1;
    enum class Planned : std::uint16_t { count_ = kinds * strategies };
    enum class Took : std::uint8_t { micros = bucket_count, count_ };
    static Planned slot(plan::StatementKind kind, plan::Strategy strategy) {
        return static_cast<Planned>(static_cast<std::size_t>(kind) * strategies +
                                    static_cast<std::size_t>(strategy));
    }

    base::CounterRow<Planned> planned_;
    base::CounterRow<Took> took_;
};

}  // namespace shardway::session
