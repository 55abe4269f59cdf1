// The class behind scan(), in parts over scan.cpp and scan_rows.cpp. Not for other folders.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "sqlparse/byte_table.hpp"
#include "sqlparse/keyword_table.hpp"
#include "sqlparse/scan.hpp"
#include "sqlparse/word_bytes.hpp"
#include "sqlparse/word_window.hpp"

namespace shardway::sqlparse::scanning {

inline constexpr std::uint64_t key_low = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t key_high = 0xc2b2ae3d27d4eb4f;
inline constexpr std::uint64_t key_digest = 0x165667b19e3779f9;
inline constexpr std::uint64_t key_bytes = 0xff51afd7ed558ccd;

// Both halves of the 128-bit product, as one number.
inline std::uint64_t multiply_fold(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

struct Hashes {
    std::uint64_t low;
    std::uint64_t high;
    std::uint64_t digest;

    // A product of 128 bits keeps every difference of its factors; the value once more, so that no product of
    // 0 makes all that follows 0.
    void key(std::uint64_t value) {
        const auto product = static_cast<unsigned __int128>(low ^ value) * high;
        low = static_cast<std::uint64_t>(product);
        high = static_cast<std::uint64_t>(product >> 64) + value;
    }
    void for_people(std::uint64_t value) { digest = std::rotl((digest ^ value) * key_digest, 27); }
};

// One number per kind, so that a word never counts as punctuation.
inline constexpr std::uint64_t tag(TokenKind kind) { return (static_cast<std::uint64_t>(kind) + 1) << 40; }
inline constexpr std::uint64_t literal_tag = std::uint64_t{0x71} << 40;
inline constexpr std::uint64_t list_tag = std::uint64_t{0x72} << 40;
inline constexpr std::uint64_t row_tag = std::uint64_t{0x73} << 40;
inline constexpr std::uint64_t keyword_tag = std::uint64_t{0x74} << 40;
inline constexpr std::uint64_t pieces_tag = std::uint64_t{0x75} << 40;

struct KindTable {
    LiteralKind of[64];
};
inline constexpr KindTable make_kinds() {
    KindTable table{};
    for (LiteralKind& kind : table.of) kind = LiteralKind::null_value;
    const auto set = [&](TokenKind token, LiteralKind kind) {
        table.of[static_cast<std::size_t>(token)] = kind;
    };
    set(TokenKind::string, LiteralKind::string);
    set(TokenKind::national_string, LiteralKind::national_string);
    set(TokenKind::integer, LiteralKind::integer);
    set(TokenKind::decimal, LiteralKind::decimal);
    set(TokenKind::floating, LiteralKind::floating);
    set(TokenKind::hex, LiteralKind::hex);
    set(TokenKind::bit, LiteralKind::bit);
    set(TokenKind::parameter, LiteralKind::parameter);
    return table;
}
inline constexpr KindTable kinds = make_kinds();

// What the current parentheses allow, as bits.
enum Context : std::uint8_t {
    plain_values = 1,   // values are plain
    forced = 2,         // never, whatever stands inside: the parentheses are part of a label, a type, …
    nested_forced = 4,  // parentheses opened here are forced
    label = 8,          // spaces and the case of keywords count: the text is part of a label
};

// What the keyword's effect makes of the context, for those that do nothing else.
inline constexpr std::uint8_t context_after(Effect effect) {
    switch (effect) {
    case Effect::select_list:
    case Effect::returning: return nested_forced | label;
    case Effect::plain:
    case Effect::plain_set: return plain_values;
    case Effect::strict: return nested_forced;
    default: return 0;
    }
}

inline std::uint8_t reserved_flag(Dialect dialect) {
    return dialect == Dialect::mysql ? KeywordFlags::reserved_mysql : KeywordFlags::reserved_mariadb;
}

// Of a reserved word, in any case. Nothing else looks like it: in a name's bytes no zero is the first.
inline std::uint64_t reserved_value(Keyword keyword, std::string_view text) {
    if (text.size() > 8) return keyword_tag + static_cast<std::uint64_t>(keyword);
    return ShortWords::fold(load_bytes(text.data(), text.size(), text.data(), text.data() + text.size()))
           << 8;
}

inline bool has_rows(Keyword first) { return first == Keyword::insert_ || first == Keyword::replace_; }

// Where the last token ended.
inline std::uint32_t last_end(const Scan& scan) {
    return scan.tokens.empty() ? 0 : std::max(scan.tokens.back().end(), scan.rows_end);
}

// What is known between two tokens.
struct Progress {
    Hashes hashes;
    const char* at;        // behind the last token
    Keyword last_keyword;  // of the last token; a hint does not count
    TokenKind last_kind;
    std::uint8_t context;
};

// Counts tokens of all kinds.
class Scanner {
public:
    Scanner(std::string_view text, const ParseOptions& options, Scan& out)
        : lexer_{text, options},
          begin_{text.data()},
          end_{text.data() + text.size()},
          options_{options},
          reserved_flag_{reserved_flag(options.dialect)},
          rows_possible_{has_rows(out.first)},
          out_{out} {}
    Scanner(const Scanner&) = delete;
    Scanner& operator=(const Scanner&) = delete;

    // Goes on from `progress`, for a token at least, up to a place where the loop of scan.cpp can. False at
    // the statement's end.
    bool take(Progress& progress);

private:
    void word(Token token);
    bool other_token(Token token);
    void literal(Token token);
    bool string_names() const;
    void open(Token token);
    void close(Token token);
    void begin_list();
    void end_list();
    void begin_row(Token parenthesis);
    Token end_row();
    void count_row();
    void repeat_rows();
    bool make_pattern();
    const char* repeat_row(const char* at);
    const char* repeat_literal(const char* at, LiteralKind kind) const;
    void keyword_effect(Keyword keyword, Effect effect);
    void finish(TokenKind last);

    std::uint64_t bytes_value(const char* at, std::size_t size) const;
    std::uint64_t word_value(const char* at, std::size_t size) const;
    std::uint64_t gap_value(std::uint32_t offset, bool comma) const;
    std::uint64_t label_gap(Token token) const {
        return has(label) ? gap_value(token.offset, token.kind == TokenKind::comma) : 0;
    }
    void other(Token token, std::uint64_t value) {
        hashes_.key(value + label_gap(token));
        hashes_.for_people(value);
        record(token);
    }
    void record(Token token) {
        out_.tokens.push_back(token.span());
        last_kind_ = token.kind;
    }
    std::uint32_t last_end() const { return scanning::last_end(out_); }
    bool has(Context bit) const { return (context_ & bit) != 0; }

    // A list behind IN, and what there was before it.
    struct OpenList {
        std::size_t depth;
        Hashes before;
        std::size_t literals;
        std::size_t tokens;  // with the parenthesis
        std::uint32_t hole;
    };
    // A token of the run's first row, to be met again.
    struct PatternItem {
        LiteralKind kind;  // null_value: no literal, but this text
        bool character;    // the text is one of , ( ) between literals: spaces around it do not matter
        char first;        // of the text
        bool same_gap;     // a space before it matters as it does between words
        bool gap;
        std::string_view text;
    };

    // The rows of VALUES; made when the first begins.
    struct Rows {
        std::uint32_t offset;  // of the row at work, and what there was before it
        std::uint32_t literals;
        std::uint32_t holes;
        std::size_t tokens;
        Hashes outside;   // the statement's, while hashes_ are the row's
        Hashes previous;  // the row's before
        std::uint32_t run;
        std::uint32_t run_literals;  // where the literals of the run's first row begin
        std::uint32_t run_literal_count;
        std::size_t run_tokens;  // and its tokens
        std::size_t run_tokens_end;
        std::vector<PatternItem> pattern;
        bool no_pattern;  // the run's first row cannot be one
    };

    Lexer lexer_;
    const char* const begin_;
    const char* const end_;
    const ParseOptions& options_;
    const std::uint8_t reserved_flag_;
    std::uint8_t context_ = forced;
    TokenKind last_kind_ = TokenKind::end;
    bool rows_possible_;  // of VALUES, still to come
    bool list_open_ = false;
    Keyword last_keyword_ = Keyword::none;  // of the last token; a hint does not count
    Scan& out_;
    Hashes hashes_;
    union {
        OpenList list_;  // while list_open_
    };
    std::optional<Rows> rows_;
    bool in_row_ = false;
    bool typed_string_ =
        false;  // the last literal stood behind DATE, TIME or TIMESTAMP: no further piece may follow
};

inline std::uint64_t Scanner::bytes_value(const char* at, std::size_t size) const {
    if (size <= 8) return size == 0 ? 0 : load_bytes(at, size, begin_, end_) * key_bytes + size;
    std::uint64_t value = size;
    const char* last = at + size - 8;
    for (; at < last; at += 8) value = multiply_fold(value ^ load_u64(at), key_bytes);
    return multiply_fold(value ^ load_u64(last), key_bytes);
}

// Of a name. The bytes themselves where they are few: no token's tag, and (their first byte being none of 0)
// no shorter name looks like it.
inline std::uint64_t Scanner::word_value(const char* at, std::size_t size) const {
    if (size > 8) return bytes_value(at, size);
    return size == 0 ? 0 : load_bytes(at, size, begin_, end_);
}

}  // namespace shardway::sqlparse::scanning
