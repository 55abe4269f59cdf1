// What `serve` must know of the nodes before it takes clients.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "middleware/session/services.hpp"
#include "rules/rules.hpp"
#include "rules/topology.hpp"

namespace shardway::cli {

struct FleetState {
    session::ServerIdentity identity;  // version, kind and sql_mode filled
    std::shared_ptr<const schema::Catalog> catalog;
    std::vector<std::string> warnings;  // what is not as it should be, though serving can begin
};

// Asks all nodes at once. Nodes that do not answer are warned of as long as one does. Throws
// std::runtime_error with what to do: no node answers, MySQL and MariaDB nodes are mixed, or the account may
// not read.
FleetState ask_fleet(const rules::Rules& rules);

}  // namespace shardway::cli
