// How long words are, without a loop over their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sqlparse/byte_table.hpp"

namespace shardway::sqlparse {

// Which of the 64 bytes at `piece` belong to words, as bits, but for $ and for the last byte.
[[gnu::always_inline]] inline std::uint64_t word_bits(const char* piece, std::size_t count) {
    std::uint64_t words = 0;
#ifdef __SSE2__
    const auto bits_at = [&](unsigned from) {
        return std::uint64_t{word_bytes_of(_mm_loadu_si128(reinterpret_cast<const __m128i*>(piece + from)))}
               << from;
    };
    words = bits_at(0);
    if (count > 16) words |= bits_at(16);
    if (count > 32) words |= bits_at(32);
    if (count > 48) words |= bits_at(48);
#else
    for (unsigned from = 0; from < 64 && from < count; ++from)
        words |= static_cast<std::uint64_t>(is_word_byte(piece[from]) && piece[from] != '$') << from;
#endif
    return words & (~std::uint64_t{0} >> 1);
}

// A piece of the text, from which short words are read without asking for each where the text ends: behind
// its end stand zeros.
struct TextWindow {
    // Tokens may begin within `reach`; what they are of may be looked at for `beyond` bytes more.
    static constexpr std::size_t reach = 55;
    static constexpr std::size_t beyond = 25;
    static constexpr std::size_t zeros = 32;
    struct Copy {
        char bytes[reach + beyond + zeros];
    };

    const char* piece;
    std::size_t limit;    // of tokens' beginnings
    std::uint64_t words;  // as word_bits

    // Of the word at piece[from], up to a $ at most: exact up to 8, and more where it says more.
    std::size_t word_size(std::size_t from) const {
        return static_cast<unsigned>(__builtin_ctzll(~(words >> from)));
    }
};

// Of the `rest` bytes of the text from `at` on; near the text's end they are copied.
[[gnu::always_inline]] inline TextWindow text_window(const char* at, std::size_t rest,
                                                     TextWindow::Copy& copy) {
    TextWindow window{at, rest < TextWindow::reach ? rest : TextWindow::reach, 0};
    if (rest < TextWindow::reach + TextWindow::beyond) {
        char* to = copy.bytes;
        if (rest >= 16) [[likely]] {
            std::memcpy(to, at, 16);
            if (rest > 32) std::memcpy(to + 16, at + 16, 16);
            if (rest > 48) std::memcpy(to + 32, at + 32, 16);
            if (rest > 64) std::memcpy(to + 48, at + 48, 16);
            std::memcpy(to + rest - 16, at + rest - 16, 16);
        } else {
            for (std::size_t from = 0; from < rest; ++from) to[from] = at[from];
        }
        std::memset(to + rest, 0, TextWindow::zeros);
        window.piece = to;
    }
    window.words = word_bits(window.piece, rest);
    return window;
}

}  // namespace shardway::sqlparse
