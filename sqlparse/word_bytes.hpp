// Words as 64-bit numbers: comparing and hashing short words without a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shardway::sqlparse {

inline std::uint64_t load_u64(const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

inline std::uint64_t low_bytes_mask(std::size_t count) { return ~std::uint64_t{0} >> (64 - 8 * count); }

// The first `count` (1 to 8) bytes at `at`, zeros above, never reading outside [begin, end).
inline std::uint64_t load_bytes(const char* at, std::size_t count, const char* begin, const char* end) {
    if (end - at >= 8) return load_u64(at) & low_bytes_mask(count);
    const char* back = at + count - 8;
    if (back >= begin) return load_u64(back) >> (64 - 8 * count);
    std::uint64_t value = 0;
    std::memcpy(&value, at, count);
    return value;
}

// Letters in lower case. Other characters of words stay apart from each other and from letters, but change:
// compare only with what was folded alike.
inline constexpr std::uint64_t fold_case(std::uint64_t bytes) { return bytes | 0x2020202020202020; }

}  // namespace shardway::sqlparse
