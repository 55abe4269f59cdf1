#include "schema/base/random.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/random.h>

namespace shardway::base {

namespace {

class SystemRandom final : public Random {
public:
    void fill(std::span<std::uint8_t> bytes) override {
        while (!bytes.empty()) {
            const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw std::system_error{errno, std::system_category(), "getrandom"};
            bytes = bytes.subspan(static_cast<std::size_t>(got));
        }
    }
};

}  // namespace

std::uint64_t Random::u64() {
    std::uint8_t raw[8];
    fill(raw);
    std::uint64_t value;
    std::memcpy(&value, raw, sizeof value);
    return value;
}

Random& Random::system() {
    static SystemRandom random;
    return random;
}

// splitmix64: any seed, zero too, gives a well mixed sequence.
std::uint64_t SeededRandom::next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

void SeededRandom::fill(std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::uint64_t value = next();
        const std::size_t take = bytes.size() < sizeof value ? bytes.size() : sizeof value;
        std::memcpy(bytes.data(), &value, take);
        bytes = bytes.subspan(take);
    }
}

}  // namespace shardway::base
