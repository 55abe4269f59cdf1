// Words as 64-bit numbers: comparing and hashing short words without a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shardway::sqlparse {

inline std::uint64_t load_u64(const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

inline constexpr std::uint64_t low_bytes_masks[9] = {
    0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, 0xffffffffffffffff,
};
inline std::uint64_t low_bytes_mask(std::size_t count) { return low_bytes_masks[count]; }

// The first `count` (1 to 8) bytes at `at`, zeros above, never reading outside [begin, end).
inline std::uint64_t load_bytes(const char* at, std::size_t count, const char* begin, const char* end) {
    if (end - at >= 8) [[likely]]
        return load_u64(at) & low_bytes_mask(count);
    const char* back = at + count - 8;
    if (back >= begin) return load_u64(back) >> (64 - 8 * count);
    std::uint64_t value = 0;
    std::memcpy(&value, at, count);
    return value;
}

// 8 bytes of `text` from `from` on, zeros behind its end, folded: what the loads above give for such a word.
constexpr std::uint64_t folded_word(std::string_view text, std::size_t from = 0) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8 && from + i < text.size(); ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[from + i]) | 0x20) << (8 * i);
    return value;
}

// Letters in lower case. Other characters of words stay apart from each other and from letters, but change:
// compare only with what was folded alike.
inline constexpr std::uint64_t fold_case(std::uint64_t bytes) { return bytes | 0x2020202020202020; }

}  // namespace shardway::sqlparse
