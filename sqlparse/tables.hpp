// Which tables a statement names.
#pragma once

#include <vector>

#include "sqlparse/ast.hpp"

namespace shardway::sqlparse {

// Each table once, in the order of the tree, as it was first written; without names that a WITH of the
// statement defines. Empty for statements that are not read inside.
std::vector<QualifiedName> tables_of(const Statement& statement);

}  // namespace shardway::sqlparse
