// Text to tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sqlparse/ast.hpp"
#include "sqlparse/options.hpp"

namespace shardway::sqlparse {

struct Scan;

enum class ParseErrorKind : std::uint8_t {
    none,
    empty,     // nothing but spaces and comments: MySQL's 1065
    syntax,    // MySQL's 1064
    too_deep,  // ParseOptions::depth_max
    too_long,  // ParseOptions::text_bytes_max
    several,   // something stands behind the first `;`
    rejected,  // syntax that MySQL's parser refuses with a number of its own, `code`
};

// Where reading ended. All views are into the parsed text or static.
struct ParseError {
    ParseErrorKind kind = ParseErrorKind::none;
    std::uint16_t code = 1064;   // MySQL's number
    std::uint32_t offset = 0;    // of the first token that did not fit
    std::uint32_t line = 1;      // from 1, within the text
    std::uint32_t column = 1;    // from 1, in bytes
    std::string_view near_text;  // the rest of the statement from there, at most 80 bytes
    std::string_view expected;   // what would have fitted, in words; may be empty

    // As MySQL words 1064: "You have an error in your SQL syntax; … near '…' at line N".
    std::string message() const;
};

struct Parsed {
    const Statement* statement = nullptr;  // null on error
    ParseError error;

    explicit operator bool() const { return statement != nullptr; }
    bool empty() const { return error.kind == ParseErrorKind::empty; }
};

// Reads exactly one statement; a `;` and comments may follow. `text` and `arena` outlive the tree. With
// `scan`, the result of scan() for the same text and options, literals carry their holes.
Parsed parse(std::string_view text, const ParseOptions& options, Arena& arena, const Scan* scan = nullptr);

}  // namespace shardway::sqlparse
