// The keywords' hash tables, for the lexer, the scanner and the parser: built by the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

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

// What a keyword does to the literals behind it in the plan key, up to the next such keyword in the same
// parentheses.
enum class Effect : std::uint8_t {
    none,
    // Those up to `strict` only change the context; up to `starts` they may begin a statement with plain
    // values.
    select_list,  // values and spaces make labels: all of it belongs to the key
    kept,         // values belong to the key, except in subqueries: FROM, UNION, WITH
    starts,       // as kept, in front of a statement: INSERT, UPDATE, …; elsewhere nothing
    plain,        // values are plain: WHERE, ON
    strict,       // values belong to the key, in parentheses too: ORDER BY, GROUP BY, LIMIT, HAVING, INTO
    keep_next,    // only the next literal belongs to the key
    plain_set,    // SET, but not of CHARACTER SET
    returning,    // as select_list, in MariaDB
    kept_call,    // a function whose arguments are syntax, or decide about types
};

struct Effects {
    Effect of[keyword_count_all];
};

constexpr Effects make_effects() {
    Effects effects{};
    const auto set = [&](Effect effect, std::initializer_list<Keyword> keywords) {
        for (const Keyword keyword : keywords) effects.of[static_cast<std::size_t>(keyword)] = effect;
    };
    using enum Keyword;
    set(Effect::select_list, {select_});
    set(Effect::plain, {where_, on_});
    set(Effect::plain_set, {set_});
    set(Effect::kept, {from_, union_, except_, intersect_, with_});
    set(Effect::starts, {insert_, replace_, update_, delete_});
    set(Effect::strict,
        {order_, group_, limit_, having_, into_, window_, procedure_, for_, lock_, fetch_, qualify_});
    set(Effect::keep_next, {escape_, interval_, collate_, as_, offset_});
    set(Effect::returning, {returning_});
    set(Effect::kept_call,
        {cast_,       convert_,        group_concat_, json_value_,        json_arrayagg_, json_objectagg_,
         json_table_, position_,       now_,          current_timestamp_, current_time_,  curtime_,
         localtime_,  localtimestamp_, sysdate_,      utc_time_,          utc_timestamp_, over_,
         ntile_,      lead_,           lag_,          nth_value_,         nextval_,       setval_});
    return effects;
}

inline constexpr Effects effects = make_effects();

// What the scanner's loop does with a short word.
enum class WordAction : std::uint8_t {
    name,     // no keyword
    keyword,  // one without an effect
    from,     // those from here to `strict`: as the effect
    select_list,
    kept,
    with,
    starts,
    plain,
    strict,
    slow,  // what changes more than the context, or is a keyword only in front of a parenthesis
    count,
};

constexpr WordAction word_action(Keyword keyword) {
    const auto index = static_cast<std::size_t>(keyword);
    if ((keyword_flags.of[index] & KeywordFlags::only_before_parenthesis) != 0) return WordAction::slow;
    switch (effects.of[index]) {
    case Effect::none: return keyword == Keyword::none ? WordAction::name : WordAction::keyword;
    case Effect::select_list: return WordAction::select_list;
    case Effect::kept:
        if (keyword == Keyword::with_) return WordAction::with;
        return keyword == Keyword::from_ ? WordAction::from : WordAction::kept;
    case Effect::starts: return WordAction::starts;
    case Effect::plain: return WordAction::plain;
    case Effect::strict: return WordAction::strict;
    default: return WordAction::slow;
    }
}

// All that is asked about a short word.
struct WordInfo {
    std::uint64_t folded;  // its text, as ShortWords::fold makes it; 0 for words that are no keywords
    Keyword keyword;
    std::uint8_t flags;  // as KeywordTable::flags
    WordAction action;
};

// The keywords of up to 8 bytes, with what is asked about them at the place that is looked at.
struct ShortWords {
    static constexpr std::size_t slot_bits = 12;
    static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;

    // Of bytes with zeros behind the word: no byte of a word becomes what a zero becomes.
    static constexpr std::uint64_t fold(std::uint64_t bytes) { return bytes | 0x2020202020202020; }
    static constexpr std::size_t slot_of(std::uint64_t folded) {
        return static_cast<std::size_t>((folded * 0xff51afd7ed558ccd) >> (64 - slot_bits));
    }
    // `bytes` as load_bytes gives them. For a word that is none, one of Keyword::none without flags.
    const WordInfo& find(std::uint64_t bytes) const {
        const std::uint64_t folded = fold(bytes);
        const WordInfo* slot = &slots[slot_of(folded)];
        while (slot->folded != folded && slot->folded != 0) ++slot;
        return *slot;
    }

    // Open addressing; an empty slot is Keyword::none, and the last one always is.
    static constexpr std::size_t overhang = 32;
    WordInfo slots[slot_count + overhang];
};

extern const ShortWords short_words;

// The longer ones, and the flags of all.
struct KeywordTable {
    static constexpr std::size_t slot_bits = 12;
    static constexpr std::size_t slot_count = std::size_t{1} << slot_bits;

    std::uint16_t slots[slot_count];         // open addressing; 0 is empty
    std::uint64_t first[keyword_count_all];  // the first 8 bytes, folded
    std::uint64_t last[keyword_count_all];   // the last 8 bytes, folded
    std::uint8_t length[keyword_count_all];
    std::uint8_t flags[keyword_count_all];  // KeywordFlags

    static constexpr std::size_t slot_of(std::uint64_t first_bytes, std::uint64_t last_bytes) {
        const std::uint64_t mixed = (first_bytes ^ (last_bytes * 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd;
        return static_cast<std::size_t>(mixed >> (64 - slot_bits));
    }

    Keyword find(const char* word, std::size_t size, const char* begin, const char* end) const {
        if (size > 8) return find_longer(word, size);
        return short_words.find(load_bytes(word, size, begin, end)).keyword;
    }
    Keyword find_longer(const char* word, std::size_t size) const;
};

extern const KeywordTable keyword_table;

}  // namespace shardway::sqlparse
