#include "rules/slots.hpp"

#include "tests/catch.hpp"

using namespace shardway::rules;

TEST_CASE("sets of slots of every size") {
    for (const std::uint32_t size : {1u, 63u, 64u, 65u, 256u, 257u, slots_max}) {
        CHECK(Slots::none(size).empty());
        CHECK(Slots::all(size).is_all());
        CHECK(Slots::all(size).count() == size);
        CHECK(Slots::one(size, Slot{size - 1}).single() == Slot{size - 1});
        CHECK_FALSE(Slots::none(size).single());
        const Slots low = Slots::range(size, 0, size / 2);
        const Slots high = Slots::range(size, size / 2, size - 1);
        CHECK((low | high).is_all());
        CHECK((low & high).single() == Slot{size / 2});
        std::uint32_t next = size / 2;
        high.for_each([&](Slot slot) { CHECK((slot.value == next++)); });
        CHECK(next == size);
    }
}

TEST_CASE("a slot map finds the shard and node of a slot") {
    const SlotMap map{7, {{{0, 3}, NodeId{1u}}, {{4, 4}, NodeId{0u}}, {{5, 9}, NodeId{1u}}}};
    CHECK(map.slot_count() == 10);
    CHECK(map.shard_count() == 3);
    CHECK(map.shard_of(Slot{3u}) == ShardId{0u});
    CHECK(map.shard_of(Slot{4u}) == ShardId{1u});
    CHECK(map.node_of(map.shard_of(Slot{9u})) == NodeId{1u});
    Slots slots = Slots::none(10);
    slots.add(Slot{1u});
    slots.add(Slot{2u});
    slots.add(Slot{9u});
    CHECK(slots.shards(map) == std::vector<ShardId>{ShardId{0u}, ShardId{2u}});
}

TEST_CASE("shards with gaps, overlaps or missing ends are no slot map") {
    const NodeId node{0u};
    CHECK(SlotMap::problem_of({{{0, 3}, node}, {{4, 7}, node}}, 8).empty());
    CHECK_FALSE(SlotMap::problem_of({{{0, 3}, node}, {{5, 7}, node}}, 8).empty());
    CHECK_FALSE(SlotMap::problem_of({{{0, 3}, node}, {{3, 7}, node}}, 8).empty());
    CHECK_FALSE(SlotMap::problem_of({{{0, 3}, node}}, 8).empty());
    CHECK_FALSE(SlotMap::problem_of({{{0, 8}, node}}, 8).empty());
    CHECK_FALSE(SlotMap::problem_of({}, 8).empty());
}
