// The part of `check` that asks the nodes: whether what lies there is what the rules say, and whether the
// servers are set up for it. Reads only; samples where looking at all rows would take too long.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rules/load.hpp"
#include "rules/topology.hpp"

namespace shardway::cli {

// Rows of each shard's table that are looked at for lying in the right shard.
constexpr std::size_t sampled_rows = 200;
// Half of them come from that many places inside the table.
constexpr std::size_t sample_steps = 5;
// Fewer on a whole node are soon used up by the connections of a few threads.
constexpr std::size_t prepared_statements_min = 1024;

struct LiveReport {
    std::vector<rules::Finding> findings;
    std::vector<std::string> notes;
};

// Asks all nodes at once, a thread each. `maps` are the slot maps in force.
LiveReport check_live(const rules::LoadResult& loaded, const rules::StoredMaps& maps);

}  // namespace shardway::cli
