// Brings the nodes to an ApplyPlan: makes what is missing, reports what is there and differs, alters nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "middleware/backend/control_connection.hpp"
#include "middleware/cli/apply_plan.hpp"

namespace shardway::cli {

// A table that exists with another definition.
struct Difference {
    std::string node;
    std::string table;  // as it is called there, "shop_03.t_order"
    std::string found;  // the first line that differs; empty where one side has no such line
    std::string expected;
};

struct NodeReport {
    std::string node;
    std::string version;
    std::size_t databases_made = 0, databases_found = 0;
    std::size_t tables_made = 0, tables_found = 0;
    std::vector<Difference> differences;
    std::string error;  // what stopped this node; empty when all was done
};

struct ApplyReport {
    std::vector<NodeReport> nodes;  // by NodeId
    std::chrono::milliseconds took{0};
    bool clean() const;  // no error, no difference
    NodeReport sum() const;
};

// How far apply has come; called on any of its threads, several at once.
using ApplyProgress = std::function<void(std::size_t done, std::size_t total)>;

// `connections` by NodeId, one each. A thread per node; each takes the lock "shardway_apply" of its node, so
// that two applies do not meet. Blocks until all nodes are through.
ApplyReport run_apply_plan(const rules::Topology& topology, ApplyPlan& plan,
                           std::vector<backend::ControlConnection>& connections,
                           const ApplyProgress& progress);

// The first line in which two SHOW CREATE TABLE texts differ, but for the name, the counter, and whether
// foreign keys name `database`, where the table lies.
struct LineDifference {
    bool differs = false;
    std::string found, expected;
};
LineDifference compare_definitions(std::string_view found, std::string_view expected,
                                   std::string_view database);

}  // namespace shardway::cli
