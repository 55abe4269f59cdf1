// UUIDs of version 7 (RFC 9562): 48 bits of Unix milliseconds, then a counter and randomness, so that later
// ones are larger. One thread's ids rise strictly.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "schema/base/clock.hpp"
#include "schema/base/random.hpp"

namespace shardway::schema {

using Uuid = std::array<std::uint8_t, 16>;

// `a` are the 12 bits behind the version, `b` the 62 bits behind the variant.
Uuid make_uuid7(std::uint64_t unix_ms, std::uint16_t a, std::uint64_t b);
// "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
std::string text_of(const Uuid& uuid);

// One thread's. `clock` and `random` outlive it.
class Uuid7Generator {
public:
    Uuid7Generator(const base::Clock& clock, base::Random& random) : clock_{clock}, random_{random} {}
    Uuid next();

private:
    const base::Clock& clock_;
    base::Random& random_;
    std::uint64_t ms_ = 0;
    std::uint32_t counter_ = 0;  // 12 bits; when they are used up the millisecond moves on
};

}  // namespace shardway::schema
