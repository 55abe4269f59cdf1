// The keywords' hash table, for the lexer and the parser: built by the compiler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sqlparse/keywords.hpp"
#include "sqlparse/word_bytes.hpp"

namespace shardway::sqlparse {

inline constexpr std::size_t keyword_count_all = static_cast<std::size_t>(Keyword::keyword_count);

struct KeywordFlags {
    static constexpr std::uint8_t reserved_mysql = 1;
    static constexpr std::uint8_t reserved_mariadb = 2;
    static constexpr std::uint8_t only_before_parenthesis = 4;
    static constexpr std::uint8_t no_name_there = 8;  // with the former: then it cannot be a name
    static constexpr std::uint8_t mariadb_only = 16;  // no word of MySQL's

    std::uint8_t of[keyword_count_all];
};

constexpr KeywordFlags make_keyword_flags() {
    using F = KeywordFlags;
    enum Reserved : std::uint8_t {
        none = 0,
        mysql = F::reserved_mysql,
        mariadb = F::reserved_mariadb,
        both = F::reserved_mysql | F::reserved_mariadb,
        call = F::only_before_parenthesis | F::no_name_there,
        name_call = F::only_before_parenthesis,
    };
    enum Owner : std::uint8_t { shared = 0, mariadb_only = F::mariadb_only };
    KeywordFlags flags{};
    std::size_t index = 0;
#define X(name, reserved, owner) flags.of[++index] = static_cast<std::uint8_t>(int{reserved} | int{owner});
#include "sqlparse/keywords.def"
#undef X
    return flags;
}

inline constexpr KeywordFlags keyword_flags = make_keyword_flags();

struct KeywordTable {
    static constexpr std::size_t slot_bits = 12;
    static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;

    std::uint16_t slots[slot_count];         // open addressing; 0 is empty
    std::uint64_t first[keyword_count_all];  // the first 8 bytes, folded
    std::uint64_t last[keyword_count_all];   // the last 8 bytes of longer ones, folded
    std::uint8_t length[keyword_count_all];
    std::uint8_t flags[keyword_count_all];  // KeywordFlags
                                            // parenthesis, 8: and then no name; 16: no word of MySQL's

    static constexpr std::size_t slot_of(std::uint64_t first_bytes, std::uint64_t last_bytes) {
        const std::uint64_t mixed = (first_bytes ^ (last_bytes * 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd;
        return static_cast<std::size_t>(mixed >> (64 - slot_bits));
    }

    Keyword find(const char* word, std::size_t size, const char* begin, const char* end) const {
        if (size > 8) return find_longer(word, size);
        return find_short(load_bytes(word, size, begin, end), size);
    }
    // `bytes` as load_bytes gives them, `size` up to 8.
    Keyword find_short(std::uint64_t bytes, std::size_t size) const {
        const std::uint64_t folded = fold_case(bytes) & low_bytes_mask(size);
        std::size_t slot = slot_of(folded, 0);
        for (;;) {
            const std::size_t index = slots[slot];
            // A longer keyword may begin with the same bytes, but then its eighth is one more than `size`
            // here.
            if (first[index] == folded && length[index] == size) return static_cast<Keyword>(index);
            if (index == 0) return Keyword::none;
            slot = (slot + 1) % slot_count;
        }
    }
    Keyword find_longer(const char* word, std::size_t size) const {
        return find_long(fold_case(load_u64(word)), fold_case(load_u64(word + size - 8)), word, size);
    }
    Keyword find_long(std::uint64_t first_bytes, std::uint64_t last_bytes, const char* word,
                      std::size_t size) const;
};

extern const KeywordTable keyword_table;

}  // namespace shardway::sqlparse
