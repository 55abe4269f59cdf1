// What SHARDWAY SHOW SHARDS and SHOW TABLES say of a topology. Pure.
#pragma once

#include <optional>
#include <string>

#include "middleware/session/shardway_handler.hpp"
#include "rules/topology.hpp"

namespace shardway::admin {

// `database` empty: all of them. `like` matches the group's name.
session::OwnResult shards_table(const rules::Topology& topology, const std::string& database,
                                const std::optional<std::string>& like);
// `like` matches the table's name.
session::OwnResult tables_table(const rules::Topology& topology, const std::string& database,
                                const std::optional<std::string>& like);

}  // namespace shardway::admin
