// From the rules to the control path: how to reach each node, and where each catalog is read.
#pragma once

#include <vector>

#include "middleware/backend/catalog_loader.hpp"
#include "middleware/backend/control_connection.hpp"
#include "rules/rules.hpp"

namespace shardway::cli {

// The node's primary, with the rules' account, TLS and connect timeout.
backend::ControlTarget control_target(const rules::Rules& rules, rules::NodeId node);

// Every database with groups or tables, its default node first. Single-node databases have no catalog.
std::vector<backend::CatalogSource> catalog_sources(const rules::Rules& rules);

}  // namespace shardway::cli
