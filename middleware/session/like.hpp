// LIKE as the SHOW statements that we answer ourselves need it.
#pragma once

#include <string_view>

namespace shardway::session {

// `%` is any text, `_` one character of UTF-8, `\` takes the next character as it is. ASCII letters compare
// without case, as names in information_schema do.
bool is_like(std::string_view text, std::string_view pattern);

}  // namespace shardway::session
