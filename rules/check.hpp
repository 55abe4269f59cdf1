// Whether rules and tables fit: what no look at the rules file alone can tell. Pure; the tables come from a
// schema file or from a server.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rules/load.hpp"
#include "rules/rules.hpp"
#include "schema/catalog.hpp"

namespace shardway::rules {

// Everything in `catalog` that the rules cannot work with, in the order of the rules file: missing tables and
// columns, columns that cannot be keys, unique keys that no shard could keep unique, AUTO_INCREMENT without a
// generator, columns that cannot hold ids, locators or genes, and groups whose keys would not meet. `places`
// are those of the LoadResult.
std::vector<Finding> check_tables(const Rules& rules, const std::map<std::string, Place>& places,
                                  const schema::Catalog& catalog);

}  // namespace shardway::rules
