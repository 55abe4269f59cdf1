// Randomness, injectable. The system's source is a CSPRNG: scrambles and transaction ids come from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shardway::base {

// Shared by all threads; outlives whatever is handed it.
class Random {
public:
    virtual ~Random() = default;
    virtual void fill(std::span<std::uint8_t> bytes) = 0;

    std::uint64_t u64();

    // getrandom(2); throws std::system_error when the kernel refuses, which ends the process at start.
    static Random& system();
};

// Repeats itself for a seed; for tests only.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_{seed} {}
    void fill(std::span<std::uint8_t> bytes) override;

private:
    std::uint64_t next();
    std::uint64_t state_;
};

}  // namespace shardway::base
