// The names of MySQL's and MariaDB's charsets, as far as introducers need them.
#pragma once

#include <string_view>

namespace shardway::sqlparse {

// In any case, without the underscore.
bool is_charset_name(std::string_view name);
// The same, as MySQL spells it (lower case, utf8 as utf8mb3); empty when it is none.
std::string_view charset_name(std::string_view name);

}  // namespace shardway::sqlparse
