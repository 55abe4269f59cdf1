#include "sqlparse/keywords.hpp"

#include <array>
#include <cstddef>

#include "sqlparse/keyword_table.hpp"

namespace shardway::sqlparse {

namespace {

enum Reserved : std::uint8_t { none, mysql, mariadb, both, call, name_call };

constexpr std::uint8_t reserved_by[] = {
    none,
#define X(name, reserved) reserved,
#include "sqlparse/keywords.def"
#undef X
};

constexpr std::string_view texts[] = {
    "",
#define X(name, reserved) #name,
#include "sqlparse/keywords.def"
#undef X
};

constexpr std::uint64_t chunk(std::string_view text, std::size_t from) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8 && from + i < text.size(); ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[from + i]) | 0x20) << (8 * i);
    return value;
}

constexpr KeywordTable make_table() {
    KeywordTable table{};
    for (std::size_t i = 1; i < keyword_count_all; ++i) {
        const std::string_view text = texts[i];
        const std::uint64_t first = chunk(text, 0);
        const std::uint64_t last = text.size() > 8 ? chunk(text, text.size() - 8) : 0;
        table.first[i] = first;
        table.last[i] = last;
        table.length[i] = static_cast<std::uint8_t>(text.size());
        table.flags[i] = static_cast<std::uint8_t>(
            (reserved_by[i] == mysql || reserved_by[i] == both ? 1 : 0) |
            (reserved_by[i] == mariadb || reserved_by[i] == both ? 2 : 0) |
            (reserved_by[i] == call ? 4 | 8 : 0) | (reserved_by[i] == name_call ? 4 : 0));
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
