// The lists behind charset.hpp, as text: per character set a word "name/bytes of its longest character", then
// one word per collation, "12_suffix" or "12=whole name"; before the number "*" for the set's default, "-"
// for NO PAD. Names are the set's with the suffix.
#pragma once

#include <string_view>

namespace shardway::protocol {

extern const std::string_view mysql_collations;
extern const std::string_view mariadb_collations;

}  // namespace shardway::protocol
