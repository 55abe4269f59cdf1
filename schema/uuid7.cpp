#include "schema/uuid7.hpp"

#include <fmt/format.h>

namespace shardway::schema {

Uuid make_uuid7(std::uint64_t unix_ms, std::uint16_t a, std::uint64_t b) {
    const std::uint64_t high = unix_ms << 16 | 0x7000 | (a & 0x0fff);
    const std::uint64_t low = std::uint64_t{0b10} << 62 | (b & ((std::uint64_t{1} << 62) - 1));
    Uuid uuid{};
    for (int i = 0; i < 8; ++i) {
        uuid[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
        uuid[static_cast<std::size_t>(i + 8)] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
    }
    return uuid;
}

std::string text_of(const Uuid& uuid) {
    std::string text;
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", uuid[i]);
    }
    return text;
}

Uuid Uuid7Generator::next() {
    const auto wall = clock_.wall().time_since_epoch();
    const auto now =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(wall).count());
    constexpr std::uint32_t counter_max = 0xfff;
    // A clock that went back, or a used up counter: on from the last one, since order counts more than the
    // exact time.
    if (now > ms_) {
        ms_ = now;
        counter_ = static_cast<std::uint32_t>(random_.u64() & 0x7ff);  // room to count on
    } else if (counter_ < counter_max) {
        ++counter_;
    } else {
        ++ms_;
        counter_ = 0;
    }
    return make_uuid7(ms_, static_cast<std::uint16_t>(counter_), random_.u64());
}

}  // namespace shardway::schema
