#include "rules/skew.hpp"

#include "tests/catch.hpp"

using namespace shardway::rules;

TEST_CASE("a key of many values spreads, one of few does not") {
    const auto algorithm = make_algorithm(HashRule{HashFunction::crc32, 16});
    SkewCount many{algorithm}, few{algorithm};
    for (std::int64_t i = 0; i < 100'000; ++i) {
        many.add(Key::of(i));
        few.add(Key::of(i % 3));
    }
    CHECK(many.rows() == 100'000);
    CHECK(imbalance(many.by_slot()) < 1.2);
    CHECK(imbalance(few.by_slot()) > 5);
    const SlotMap map{1, {{{0, 7}, NodeId{0u}}, {{8, 15}, NodeId{1u}}}};
    const auto nodes = many.by_node(map, 2);
    CHECK(nodes[0] + nodes[1] == 100'000);
    CHECK(many.by_shard(map) == nodes);
}

TEST_CASE("heavy values are found among many light ones") {
    SkewCount count{make_algorithm(HashRule{})};
    for (std::int64_t i = 0; i < 200'000; ++i) count.add(Key::of(i % 10 == 0 ? std::int64_t{-7} : i));
    const auto heaviest = count.heaviest(3);
    REQUIRE_FALSE(heaviest.empty());
    CHECK(heaviest[0].first == "-7");
    CHECK(heaviest[0].second <= 20'000);
    CHECK(heaviest[0].second >= 20'000 - 200'000 / SkewCount::values_kept);
}

TEST_CASE("rows without key or slot are counted apart") {
    SkewCount count{make_algorithm(ListRule{{{Key::of("a"), Slot{0u}}}, std::nullopt, 1})};
    count.add(Key::of("a"));
    count.add(Key::of("b"));
    count.add_keyless();
    CHECK(count.rows() == 2);
    CHECK(count.slotless() == 1);
    CHECK(count.keyless() == 1);
    CHECK(imbalance({}) == 0);
    CHECK(imbalance({0, 0}) == 0);
    CHECK(imbalance({3, 1}) == Approx(1.5));
}
