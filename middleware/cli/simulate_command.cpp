#include "middleware/cli/simulate_command.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace shardway::cli {

namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_growth_json(const rules::GrowthPlan& plan, const rules::Growth& growth) {
    boost::json::array before, after;
    for (const auto keys : growth.before) before.emplace_back(keys);
    for (const auto keys : growth.after) after.emplace_back(keys);
    boost::json::object all{
        {"keys", plan.keys}, {"moved_keys", growth.moved_keys}, {"before", before}, {"after", after}};
    if (growth.moved_slots) all["slots"] = plan.slots;
    if (growth.moved_slots) all["moved_slots"] = *growth.moved_slots;
    fmt::print("{}\n", boost::json::serialize(all));
}

void print_growth(const rules::GrowthPlan& plan, const rules::Growth& growth) {
    fmt::print("{} of {} keys move ({:.1f} %)\n", growth.moved_keys, plan.keys,
               percent(growth.moved_keys, plan.keys));
    if (growth.moved_slots) fmt::print("{} of {} slots move\n", *growth.moved_slots, plan.slots);
    fmt::print("{:>6} {:>12} {:>7} {:>12} {:>7}\n", "node", "before", "share", "after", "share");
    for (std::size_t node = 0; node < growth.before.size(); ++node)
        fmt::print("{:>6} {:>12} {:>5.1f} % {:>12} {:>5.1f} %\n", node, growth.before[node],
                   percent(growth.before[node], plan.keys), growth.after[node],
                   percent(growth.after[node], plan.keys));
}

}  // namespace

int run_simulate(const SimulateOptions& options) {
    const auto result = rules::simulate(options.plan);
    if (const auto* problem = std::get_if<std::string>(&result)) {
        fmt::print(stderr, "shardway simulate: {}\n", *problem);
        return 2;
    }
    const auto& growth = std::get<rules::Growth>(result);
    if (options.json) print_growth_json(options.plan, growth);
    if (!options.json) print_growth(options.plan, growth);
    return 0;
}

void add_simulate_command(CLI::App& app) {
    using rules::GrowthMethod;
    auto options = std::make_shared<SimulateOptions>();
    CLI::App* const command = app.add_subcommand("simulate", "What would move if the fleet grew or shrank");
    command->add_option("--from-nodes", options->plan.from_nodes, "nodes now")->required();
    command->add_option("--to-nodes", options->plan.to_nodes, "nodes then")->required();
    command->add_option("--slots", options->plan.slots, "slots, for --method slots")->capture_default_str();
    const std::map<std::string, GrowthMethod> methods{{"slots", GrowthMethod::slots},
                                                      {"mod", GrowthMethod::mod},
                                                      {"doubling", GrowthMethod::doubling},
                                                      {"ring", GrowthMethod::ring}};
    command->add_option("--method", options->plan.method, "slots, mod, doubling or ring")
        ->transform(CLI::CheckedTransformer(methods));
    command->add_option("--keys", options->plan.keys, "how many keys to count with")->capture_default_str();
    command->add_flag("--json", options->json, "print one JSON object");
    command->callback([options] {
        if (const int status = run_simulate(*options); status != 0) throw CLI::RuntimeError(status);
    });
}

}  // namespace shardway::cli
