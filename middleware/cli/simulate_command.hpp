// `shardway simulate`: what would move if the fleet grew, by each way of spreading keys.
#pragma once

#include "rules/simulate.hpp"

namespace CLI {
class App;
}

namespace shardway::cli {

struct SimulateOptions {
    rules::GrowthPlan plan;
    bool json = false;
};

// 0: printed. 2: the plan cannot be.
int run_simulate(const SimulateOptions& options);

// Adds the subcommand. Its callback ends the program by CLI::RuntimeError with run_simulate's status.
void add_simulate_command(CLI::App& app);

}  // namespace shardway::cli
