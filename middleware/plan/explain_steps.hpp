// The part of an explanation that says how several answers become one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "middleware/plan/merge.hpp"
#include "sqlparse/options.hpp"

namespace shardway::plan {

// In order. Columns are called as the client wrote them in `text`, hidden ones as they stand in `sent`, the
// text of a part; by number where neither says a name.
std::vector<std::string> merge_steps(const Merge& merge, std::string_view text, std::string_view sent,
                                     const sqlparse::ParseOptions& options);

// "1 row", "2 rows"
std::string counted(std::uint64_t count, std::string_view thing);

}  // namespace shardway::plan
