// A statement that the session acts on: its text and tree in one piece of memory of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sqlparse/arena.hpp"
#include "sqlparse/ast.hpp"
#include "sqlparse/options.hpp"

namespace shardway::plan {

struct ParsedStatement {
    std::string text;
    sqlparse::Arena arena;
    const sqlparse::Statement* statement = nullptr;
};

// Null when the text does not parse; the planner has parsed it before.
std::shared_ptr<const ParsedStatement> parse_owned(std::string_view text,
                                                   const sqlparse::ParseOptions& options);

}  // namespace shardway::plan
