// The keywords, as the enum Keyword: select_, from_, … (an underscore behind each, since many are words of
// C++ too).
#pragma once

#include <cstdint>
#include <string_view>

#include "sqlparse/options.hpp"

namespace shardway::sqlparse {

enum class Keyword : std::uint16_t {
    none,
#define X(name, reserved, owner) name##_,
#include "sqlparse/keywords.def"
#undef X
    keyword_count,
};

// `word` in any case; Keyword::none when it is none.
Keyword find_keyword(std::string_view word);
// In lower case.
std::string_view keyword_text(Keyword keyword);
// A reserved word names a table or column only in quotes, or behind a dot.
bool is_reserved(Keyword keyword, Dialect dialect);

}  // namespace shardway::sqlparse
