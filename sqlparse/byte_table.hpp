// What single bytes are to the lexer.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "sqlparse/token.hpp"

namespace shardway::sqlparse {

// What a byte may begin.
enum class ByteClass : std::uint8_t {
    bad,
    space,
    word,
    prefix,  // a word, unless a quote follows: b'…', n'…', x'…'
    digit,
    quote,
    double_quote,
    backtick,
    at,
    dot,
    hash,
    minus,
    slash,
    star,
    underscore,
    punctuation,
    single,  // a token of its own, whatever follows
};

// What the scanner's loop and Lexer::next read themselves; `prefix` as in ByteClass.
enum class FastClass : std::uint8_t { none, word, prefix, digit, comma, equal, space };

struct ByteTable {
    FastClass fast[256];
    ByteClass begins[256];
    bool word[256];
    bool string_end[256];  // a quote or a backslash
    // Behind a short word: 0 ends it, 1 is a space, 2 makes it more than a short word.
    std::uint8_t behind_word[256];
    // The bytes of comparisons, of which one next to = goes with it.
    bool comparison[256];
    TokenKind single[256];  // of `single`
};

constexpr ByteTable make_byte_table() {
    ByteTable table{};
    for (int i = 0; i < 256; ++i) {
        const bool letter = (i >= 'a' && i <= 'z') || (i >= 'A' && i <= 'Z') || i == '$' || i >= 0x80;
        const bool digit = i >= '0' && i <= '9';
        ByteClass kind = ByteClass::bad;
        if (letter) kind = ByteClass::word;
        if (digit) kind = ByteClass::digit;
        table.begins[i] = kind;
        table.word[i] = letter || digit || i == '_';
        // Not an underscore, which may begin an introducer, nor a $.
        const bool prefix = i == 'b' || i == 'B' || i == 'n' || i == 'N' || i == 'x' || i == 'X';
        if (letter && i != '$') table.fast[i] = prefix ? FastClass::prefix : FastClass::word;
        if (digit) table.fast[i] = FastClass::digit;
    }
    for (const unsigned char c : {' ', '\t', '\n', '\v', '\f', '\r'}) table.begins[c] = ByteClass::space;
    for (const unsigned char c : {'b', 'B', 'n', 'N', 'x', 'X'}) table.begins[c] = ByteClass::prefix;
    for (const unsigned char c : {'!', '%', '&', '(', ')', '*', '+', ',', ':', ';',
                                  '<', '=', '>', '?', '^', '{', '|', '}', '~', '\\'})
        table.begins[c] = ByteClass::punctuation;
    table.begins[static_cast<unsigned char>('_')] = ByteClass::underscore;
    table.begins[static_cast<unsigned char>('\'')] = ByteClass::quote;
    table.begins[static_cast<unsigned char>('"')] = ByteClass::double_quote;
    table.begins[static_cast<unsigned char>('`')] = ByteClass::backtick;
    table.begins[static_cast<unsigned char>('@')] = ByteClass::at;
    table.begins[static_cast<unsigned char>('.')] = ByteClass::dot;
    table.begins[static_cast<unsigned char>('#')] = ByteClass::hash;
    table.begins[static_cast<unsigned char>('-')] = ByteClass::minus;
    table.begins[static_cast<unsigned char>('/')] = ByteClass::slash;
    table.begins[static_cast<unsigned char>('*')] = ByteClass::star;
    const auto single = [&](unsigned char c, TokenKind kind) {
        table.begins[c] = ByteClass::single;
        table.single[c] = kind;
    };
    table.fast[static_cast<unsigned char>(',')] = FastClass::comma;
    table.fast[static_cast<unsigned char>('=')] = FastClass::equal;
    table.fast[static_cast<unsigned char>(' ')] = FastClass::space;
    single('(', TokenKind::left_paren);
    single(')', TokenKind::right_paren);
    single(',', TokenKind::comma);
    single('?', TokenKind::parameter);
    single(';', TokenKind::semicolon);
    single('+', TokenKind::plus);
    single('%', TokenKind::percent);
    single('^', TokenKind::caret);
    single('~', TokenKind::tilde);
    single('{', TokenKind::left_brace);
    single('}', TokenKind::right_brace);
    for (const unsigned char c : {'=', '!', '<', '>'}) table.comparison[c] = true;
    table.behind_word[static_cast<unsigned char>(' ')] = 1;
    table.behind_word[static_cast<unsigned char>('.')] = table.behind_word[static_cast<unsigned char>('$')] =
        2;
    table.string_end[static_cast<unsigned char>('\'')] = true;
    table.string_end[static_cast<unsigned char>('"')] = true;
    table.string_end[static_cast<unsigned char>('`')] = true;
    table.string_end[static_cast<unsigned char>('\\')] = true;
    return table;
}

inline constexpr ByteTable byte_table = make_byte_table();

inline ByteClass class_of(char c) { return byte_table.begins[static_cast<unsigned char>(c)]; }
inline bool is_word_byte(char c) { return byte_table.word[static_cast<unsigned char>(c)]; }
inline bool is_comparison_byte(char c) { return byte_table.comparison[static_cast<unsigned char>(c)]; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
inline bool is_space_byte(char c) { return class_of(c) == ByteClass::space; }
inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

inline const char* skip_digits(const char* at, const char* end) {
    while (at < end && is_digit(*at)) ++at;
    return at;
}

#ifdef __SSE2__
// Which of the 16 bytes belong to words, one bit each; but for $, which is rare.
inline unsigned word_bytes_of(__m128i text) {
    // A range becomes the lowest signed numbers, and is compared once.
    const auto in_range = [](__m128i value, char first, char count) {
        const __m128i moved = _mm_sub_epi8(value, _mm_set1_epi8(static_cast<char>(first - 128)));
        return _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(count - 128)), moved);
    };
    const __m128i letter = in_range(_mm_or_si128(text, _mm_set1_epi8(0x20)), 'a', 26);
    const __m128i digit = in_range(text, '0', 10);
    const __m128i other = _mm_cmpeq_epi8(text, _mm_set1_epi8('_'));
    // Bytes from 0x80 on have the sign bit that the mask takes.
    const __m128i all = _mm_or_si128(_mm_or_si128(letter, digit), _mm_or_si128(other, text));
    return static_cast<unsigned>(_mm_movemask_epi8(all));
}
#endif

// The first byte from `at` on that is no digit; else `end`.
inline const char* skip_digit_bytes(const char* at, const char* end) {
#ifdef __SSE2__
    while (end - at >= 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i moved = _mm_sub_epi8(text, _mm_set1_epi8(static_cast<char>('0' - 128)));
        const __m128i digits = _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(10 - 128)), moved);
        const unsigned others = ~static_cast<unsigned>(_mm_movemask_epi8(digits)) & 0xffff;
        if (others != 0) return at + __builtin_ctz(others);
        at += 16;
    }
#endif
    while (at < end && is_digit(*at)) ++at;
    return at;
}

// The first byte from `at` on that may end a quoted text: a quote of any kind or a backslash; else `end`.
inline const char* skip_plain_text(const char* at, const char* end) {
#ifdef __SSE2__
    while (end - at >= 16) {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const __m128i quotes =
            _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('\'')), _mm_cmpeq_epi8(text, _mm_set1_epi8('"')));
        const __m128i others =
            _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('`')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
        const int found = _mm_movemask_epi8(_mm_or_si128(quotes, others));
        if (found != 0) return at + __builtin_ctz(static_cast<unsigned>(found));
        at += 16;
    }
#endif
    while (at < end && !byte_table.string_end[static_cast<unsigned char>(*at)]) ++at;
    return at;
}

}  // namespace shardway::sqlparse
