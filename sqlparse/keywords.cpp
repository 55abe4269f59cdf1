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
        table.flags[i] = keyword_flags.of[i];
        const std::string_view text = texts[i];
        if (text.size() <= 8) continue;
        table.first[i] = folded_word(text);
        table.last[i] = folded_word(text, text.size() - 8);
        table.length[i] = static_cast<std::uint8_t>(text.size());
        std::size_t slot = KeywordTable::slot_of(table.first[i], table.last[i]);
        while (table.slots[slot] != 0) slot = (slot + 1) % KeywordTable::slot_count;
        table.slots[slot] = static_cast<std::uint16_t>(i);
    }
    return table;
}

constexpr ShortWords make_short_words() {
    ShortWords words{};
    for (std::size_t i = 1; i < keyword_count_all; ++i) {
        if (texts[i].size() > 8) continue;
        const std::uint64_t folded = ShortWords::fold(folded_word(texts[i]));
        std::size_t slot = ShortWords::slot_of(folded);
        while (words.slots[slot].folded != 0) ++slot;
        // Too far would not compile.
        if (slot + 1 >= ShortWords::slot_count + ShortWords::overhang) throw "no empty slot at the end";
        words.slots[slot] = {folded, static_cast<Keyword>(i), keyword_flags.of[i],
                             word_action(static_cast<Keyword>(i))};
    }
    return words;
}

// The scanner tells reserved words apart by their first seven bytes.
constexpr bool seven_bytes_tell() {
    for (std::size_t i = 1; i < keyword_count_all; ++i)
        for (std::size_t j = i + 1; j < keyword_count_all && j < i + 4; ++j) {
            const std::string_view first = texts[i];
            const std::string_view second = texts[j];
            if (first.size() == 8 && second.size() == 8 && first.substr(0, 7) == second.substr(0, 7) &&
                (keyword_flags.of[i] & keyword_flags.of[j] & 3) != 0)
                return false;
        }
    return true;
}
static_assert(seven_bytes_tell());

}  // namespace

constinit const KeywordTable keyword_table = make_table();
constinit const ShortWords short_words = make_short_words();

Keyword KeywordTable::find_longer(const char* word, std::size_t size) const {
    const std::uint64_t first_bytes = fold_case(load_u64(word));
    const std::uint64_t last_bytes = fold_case(load_u64(word + size - 8));
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
