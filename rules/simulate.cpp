#include "rules/simulate.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "rules/algorithm.hpp"

namespace shardway::rules {

namespace {

using NodeOf = std::function<std::uint32_t(std::int64_t key)>;

// Consecutive slots of equal share, as `place` would have them.
std::vector<std::uint32_t> even_nodes(std::uint32_t slots, std::uint32_t nodes) {
    std::vector<std::uint32_t> result(slots);
    for (std::uint64_t slot = 0; slot < slots; ++slot)
        result[slot] = static_cast<std::uint32_t>(slot * nodes / slots);
    return result;
}

NodeOf by_slots(std::vector<std::uint32_t> nodes) {
    auto algorithm = make_algorithm(HashRule{HashFunction::crc32, static_cast<std::uint32_t>(nodes.size())});
    return [nodes = std::move(nodes), algorithm](std::int64_t key) {
        return nodes[algorithm->slot_of(Key::of(key))->value];
    };
}

// A slot per node: for mod and ring.
NodeOf by_algorithm(const AlgorithmRule& rule) {
    return [algorithm = make_algorithm(rule)](std::int64_t key) {
        return algorithm->slot_of(Key::of(key))->value;
    };
}

AlgorithmRule ring_of(std::uint32_t nodes) {
    RingRule rule;
    for (std::uint32_t i = 0; i < nodes; ++i) rule.members.push_back(fmt::format("node{}", i));
    return rule;
}

void count(Growth& growth, std::uint64_t keys, const NodeOf& before, const NodeOf& after) {
    for (std::uint64_t i = 1; i <= keys; ++i) {
        const auto key = static_cast<std::int64_t>(i);
        const std::uint32_t was = before(key), is = after(key);
        ++growth.before[was];
        ++growth.after[is];
        if (was != is) ++growth.moved_keys;
    }
}

std::string problem_of(const GrowthPlan& plan) {
    if (plan.from_nodes < 1 || plan.to_nodes < 1 || plan.from_nodes > growth_nodes_max ||
        plan.to_nodes > growth_nodes_max)
        return fmt::format("{} and {} nodes; both may be 1 to {}", plan.from_nodes, plan.to_nodes,
                           growth_nodes_max);
    if (plan.keys < 1 || plan.keys > growth_keys_max)
        return fmt::format("{} keys; there may be 1 to {}", plan.keys, growth_keys_max);
    if (plan.method == GrowthMethod::slots) {
        if (plan.slots < 1 || plan.slots > slots_max)
            return fmt::format("{} slots; there may be 1 to {}", plan.slots, slots_max);
        if (plan.slots < std::max(plan.from_nodes, plan.to_nodes))
            return fmt::format("{} slots for {} nodes; each needs one", plan.slots,
                               std::max(plan.from_nodes, plan.to_nodes));
    }
    if (plan.method == GrowthMethod::doubling) {
        std::uint64_t nodes = plan.from_nodes;
        while (nodes < plan.to_nodes) nodes *= 2;
        if (nodes != plan.to_nodes || plan.to_nodes == plan.from_nodes)
            return fmt::format("from {} to {} nodes; doubling goes to {}, {}, …", plan.from_nodes,
                               plan.to_nodes, plan.from_nodes * 2, plan.from_nodes * 4);
    }
    return "";
}

}  // namespace

std::vector<std::uint32_t> rebalanced(const std::vector<std::uint32_t>& nodes, std::uint32_t to_nodes) {
    const auto slots = static_cast<std::uint32_t>(nodes.size());
    std::vector<std::uint32_t> held(std::max(to_nodes, *std::max_element(nodes.begin(), nodes.end()) + 1));
    for (const std::uint32_t node : nodes) ++held[node];
    // Where slots do not divide evenly, those that hold most keep one more.
    std::vector<std::uint32_t> order(to_nodes), share(held.size());
    for (std::uint32_t node = 0; node < to_nodes; ++node) order[node] = node;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return held[a] > held[b]; });
    for (std::uint32_t i = 0; i < to_nodes; ++i)
        share[order[i]] = slots / to_nodes + (i < slots % to_nodes ? 1 : 0);

    std::vector<std::uint32_t> result = nodes;
    std::uint32_t taker = 0;
    for (auto& node : result) {
        if (held[node] <= share[node]) continue;
        while (held[taker] >= share[taker]) ++taker;
        --held[node];
        ++held[taker];
        node = taker;
    }
    return result;
}

std::variant<Growth, std::string> simulate(const GrowthPlan& plan) {
    if (auto problem = problem_of(plan); !problem.empty()) return problem;
    const std::uint32_t nodes = std::max(plan.from_nodes, plan.to_nodes);
    Growth growth{0, std::nullopt, std::vector<std::uint64_t>(nodes), std::vector<std::uint64_t>(nodes)};
    if (plan.method == GrowthMethod::slots) {
        const auto before = even_nodes(plan.slots, plan.from_nodes);
        const auto after = rebalanced(before, plan.to_nodes);
        growth.moved_slots = 0;
        for (std::size_t slot = 0; slot < before.size(); ++slot)
            if (before[slot] != after[slot]) ++*growth.moved_slots;
        count(growth, plan.keys, by_slots(before), by_slots(after));
    } else if (plan.method == GrowthMethod::ring) {
        count(growth, plan.keys, by_algorithm(ring_of(plan.from_nodes)),
              by_algorithm(ring_of(plan.to_nodes)));
    } else {
        const auto hash = [](std::uint32_t count) {
            return by_algorithm(HashRule{HashFunction::crc32, count});
        };
        count(growth, plan.keys, hash(plan.from_nodes), hash(plan.to_nodes));
    }
    return growth;
}

}  // namespace shardway::rules
