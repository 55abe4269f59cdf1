// Whether a running Shardway answers where its rules say it listens: `check --ping`, for health checks.
#pragma once

#include <string>

#include "rules/rules.hpp"

namespace shardway::cli {

// What is wrong; empty when all is well. Logs in at the first address under `listen.mysql`, as the first user
// of the rules; an address of all interfaces is asked on this machine. Nodes are not asked: a proxy whose
// node is down still serves the others.
std::string ping(const rules::Rules& rules);

}  // namespace shardway::cli
