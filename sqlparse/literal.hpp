// The values that literals stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sqlparse/ast_expr.hpp"
#include "sqlparse/options.hpp"

namespace shardway::sqlparse {

// `raw` is a literal as it stands in the text: Expr::span or ScanLiteral::span.

// The bytes of a string literal: quotes, escapes and adjacent pieces resolved, in the charset they came in.
// Also of x'…' and 0x… (the bytes they spell) and b'…'. Numbers give their own text; DATE '…' and its like
// the text within.
std::string literal_bytes(LiteralKind kind, std::string_view raw, const ParseOptions& options);

// The number an integer literal spells; nothing when it does not fit 64 bits.
std::optional<std::uint64_t> integer_value(std::string_view raw);

// The charset that introduces it, without the underscore, in lower case as MySQL names it; empty without.
std::string_view literal_charset(std::string_view raw);

// 'text' quoted so that a server with the same modes and charset class reads it back.
std::string quote_string(std::string_view bytes, const ParseOptions& options);
// `name` with its backticks doubled.
std::string quote_name(std::string_view name);

}  // namespace shardway::sqlparse
