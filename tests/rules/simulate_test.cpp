#include "rules/simulate.hpp"

#include <algorithm>

#include "tests/catch.hpp"

using namespace shardway::rules;

namespace {

Growth grown(GrowthMethod method, std::uint32_t from, std::uint32_t to, std::uint32_t slots = 256) {
    auto result = simulate({from, to, slots, method, 20'000});
    if (const auto* problem = std::get_if<std::string>(&result)) FAIL(*problem);
    return std::get<Growth>(result);
}
bool refused(const GrowthPlan& plan) { return std::holds_alternative<std::string>(simulate(plan)); }

}  // namespace

TEST_CASE("slots 256 from 4 to 8 nodes move exactly 128") {
    const Growth growth = grown(GrowthMethod::slots, 4, 8);
    CHECK(growth.moved_slots == 128u);
    CHECK(growth.moved_keys > 9'000);
    CHECK(growth.moved_keys < 11'000);
    CHECK(growth.after.size() == 8);
    for (const auto keys : growth.after) CHECK(keys > 1'800);
}

TEST_CASE("slots move only as balance asks for") {
    CHECK(grown(GrowthMethod::slots, 4, 5).moved_slots == 51u);
    CHECK(grown(GrowthMethod::slots, 5, 4).moved_slots == 51u);
    CHECK(grown(GrowthMethod::slots, 4, 4).moved_slots == 0u);
    CHECK(grown(GrowthMethod::slots, 1, 2, 2).moved_slots == 1u);
    // From 4 to 5: about a fifth of the keys, where mod moves four fifths.
    CHECK(grown(GrowthMethod::slots, 4, 5).moved_keys < 5'000);
    CHECK(grown(GrowthMethod::mod, 4, 5).moved_keys > 15'000);
    CHECK(grown(GrowthMethod::ring, 4, 5).moved_keys < 7'000);
}

TEST_CASE("doubling moves half, each key to one certain node") {
    const Growth growth = grown(GrowthMethod::doubling, 4, 8);
    CHECK(growth.moved_keys > 9'000);
    CHECK(growth.moved_keys < 11'000);
    CHECK(refused({4, 6, 256, GrowthMethod::doubling, 10}));
    CHECK(refused({4, 4, 256, GrowthMethod::doubling, 10}));
    CHECK(refused({8, 4, 256, GrowthMethod::doubling, 10}));
    CHECK_FALSE(refused({3, 12, 256, GrowthMethod::doubling, 10}));
}

TEST_CASE("a rebalanced map is even and keeps what it can") {
    for (const std::uint32_t from : {1u, 3u, 4u, 7u})
        for (const std::uint32_t to : {1u, 2u, 4u, 9u}) {
            std::vector<std::uint32_t> nodes;
            for (std::uint32_t slot = 0; slot < 64; ++slot) nodes.push_back(slot % from);
            const auto after = rebalanced(nodes, to);
            std::vector<std::uint32_t> held(to);
            for (const auto node : after) {
                REQUIRE(node < to);
                ++held[node];
            }
            const auto [least, most] = std::minmax_element(held.begin(), held.end());
            CHECK(*most - *least <= 1);
        }
}

TEST_CASE("limits of a simulation") {
    CHECK(refused({0, 4, 256, GrowthMethod::slots, 10}));
    CHECK(refused({4, growth_nodes_max + 1, 65536, GrowthMethod::slots, 10}));
    CHECK_FALSE(refused({4, growth_nodes_max, 65536, GrowthMethod::slots, 10}));
    CHECK(refused({4, 8, 7, GrowthMethod::slots, 10}));
    CHECK_FALSE(refused({4, 8, 8, GrowthMethod::slots, 10}));
    CHECK(refused({4, 8, 65537, GrowthMethod::slots, 10}));
    CHECK(refused({4, 8, 256, GrowthMethod::slots, 0}));
    CHECK(refused({4, 8, 256, GrowthMethod::slots, growth_keys_max + 1}));
}
