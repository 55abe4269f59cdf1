#include "sqlparse/keywords.hpp"

#include <array>
#include <cstddef>

#include "sqlparse/keyword_table.hpp"

namespace shardway::sqlparse {

namespace {

constexpr std::string_view texts[] = {
    "",
#define X(name, reserved, owner) #name,
#include "sqlparse/keywords.def"
#undef X
};

constexpr KeywordTable make_table() {
    KeywordTable table{};
    for (std::size_t i = 1; i < keyword_count_all; ++i) {
        const std::string_view text = texts[i];
        const std::uint64_t first = folded_word(text);
        const std::uint64_t last = text.size() > 8 ? folded_word(text, text.size() - 8) : 0;
        table.first[i] = first;
        table.last[i] = last;
        table.length[i] = static_cast<std::uint8_t>(text.size());
        table.flags[i] = keyword_flags.of[i];
        std::size_t slot = KeywordTable::slot_of(first, last);
        while (table.slots[slot] != 0) slot = (slot + 1) % KeywordTable::slot_count;
        table.slots[slot] = static_cast<std::uint16_t>(i);
    }
    return table;
}

}  // namespace

constinit const KeywordTable keyword_table = make_table();

Keyword KeywordTable::find_long(std::uint64_t first_bytes, std::uint64_t last_bytes, const char* word,
                                std::size_t size) const {
    for (std::size_t slot = slot_of(first_bytes, last_bytes); slots[slot] != 0;
         slot = (slot + 1) % slot_count) {
        const std::size_t index = slots[slot];
        if (first[index] != first_bytes || last[index] != last_bytes || length[index] != size) continue;
        bool equal = true;
        for (std::size_t i = 8; equal && i + 8 < size; ++i)
            equal = (static_cast<unsigned char>(word[i]) | 0x20) ==
                    (static_cast<unsigned char>(texts[index][i]) | 0x20);
        if (equal) return static_cast<Keyword>(index);
    }
    return Keyword::none;
}

Keyword find_keyword(std::string_view word) {
    if (word.empty() || word.size() > 255) return Keyword::none;
    const char* begin = word.data();
    const char* end = begin + word.size();
    return keyword_table.find(begin, word.size(), begin, end);
}

std::string_view keyword_text(Keyword keyword) { return texts[static_cast<std::size_t>(keyword)]; }

bool is_reserved(Keyword keyword, Dialect dialect) {
    return (keyword_table.flags[static_cast<std::size_t>(keyword)] & (dialect == Dialect::mysql ? 1 : 2)) !=
           0;
}

}  // namespace shardway::sqlparse
