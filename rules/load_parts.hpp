// The parts of load_rules, for load.cpp and load_*.cpp alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.hpp"
#include "rules/yaml_reader.hpp"

namespace shardway::rules {

// Names that may not be given to databases: MySQL's own, and ours.
bool is_reserved_database(std::string_view name);
// Empty when it is good for a database, table or node.
std::string name_problem(std::string_view name);

std::optional<NodeId> read_node_name(YamlReader& in, const At& at, const Rules& rules);

// `members`: the nodes that `place` names, in the order of their slots, for a ring.
std::optional<AlgorithmRule> read_algorithm(YamlReader& in, const At& at,
                                            const std::vector<std::string>& members);

// Rules::databases, from the key `databases`; the nodes are there already.
void read_databases(YamlReader& in, const At& at, Rules& rules);
// One group's algorithm, cuts and layout; absent when something in it is wrong.
std::optional<Group> read_group(YamlReader& in, const At& at, const std::string& name,
                                const std::string& database, const Rules& rules);
// Physical names that meet: two groups in a database, two shards or tables in one table, a shard in a
// template. `layouts` is where each group of each database (in the order of both) has its layout.
struct LayoutPlace {
    const Database* database;
    GroupId group;
    At at;
};
void check_layouts(YamlReader& in, const Rules& rules, const std::vector<LayoutPlace>& layouts);

}  // namespace shardway::rules
