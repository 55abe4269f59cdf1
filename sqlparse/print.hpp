// Tree to text.
#pragma once

#include <string>

#include "sqlparse/ast.hpp"
#include "sqlparse/options.hpp"

namespace shardway::sqlparse {

// One line of SQL that parses back to the same tree under the same options. Names and literals come as they
// were written, keywords in capitals; comments are gone, hints stay. Labels of unnamed select items may
// change with the spaces, so what goes to a server is rather the edited original text (edits.hpp).
std::string print(const Statement& statement, const ParseOptions& options);
std::string print(const Expr& expr, std::string_view text, const ParseOptions& options);

// The tree itself as text, for tests and for comparing: kinds and members, without spans. With `plain_values`
// off, literals that fill a plain hole show as their kind alone, and collapsed lists and rows once: what
// equal plan keys promise to be equal (then `scan` is the statement's). `options` are those it was parsed
// with.
struct Scan;
std::string dump(const Statement& statement, const ParseOptions& options);
std::string dump_shape(const Statement& statement, const Scan& scan, const ParseOptions& options);

}  // namespace shardway::sqlparse
