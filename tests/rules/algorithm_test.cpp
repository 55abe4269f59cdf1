#include "rules/algorithm.hpp"

#include "rules/moment.hpp"
#include "schema/base/random.hpp"
#include "tests/catch.hpp"

using namespace shardway::rules;

namespace {

std::shared_ptr<const Algorithm> hash(HashFunction function, std::uint32_t slots) {
    return make_algorithm(HashRule{function, slots});
}

Key number(std::int64_t value) { return Key::of(value); }
Key day(std::string_view text) { return Key::of(parse_moment(text)->moment, Key::day_only); }

std::string members(const Slots& slots) {
    std::string text;
    slots.for_each([&](Slot slot) { text += (text.empty() ? "" : " ") + std::to_string(slot.value); });
    return text;
}

// Every key of `keys` inside `range` has its slot in slots_of(range).
void check_no_slot_is_missed(const Algorithm& algorithm, const std::vector<Key>& keys) {
    for (const auto& low : keys)
        for (const auto& high : keys)
            for (const bool low_included : {false, true})
                for (const bool high_included : {false, true}) {
                    const Slots slots = algorithm.slots_of(0, {low, high, low_included, high_included});
                    for (const auto& key : keys) {
                        const auto from = compare(key, low), to = compare(key, high);
                        const bool inside = (from > 0 || (from == 0 && low_included)) &&
                                            (to < 0 || (to == 0 && high_included));
                        const auto slot = algorithm.slot_of(key);
                        if (inside && slot && !slots.has(*slot))
                            FAIL(key.text() + " in " + low.text() + " … " + high.text());
                    }
                }
}

}  // namespace

TEST_CASE("hash reads an integer's decimal text and a text's bytes") {
    // CRC32(42) % 256 as MySQL computes it.
    CHECK(hash(HashFunction::crc32, 256)->slot_of(number(42)) == Slot{0x3224b088u % 256});
    CHECK(hash(HashFunction::crc32, 256)->slot_of(Key::of("42")) == Slot{0x3224b088u % 256});
    CHECK(hash(HashFunction::crc32, 7)->slot_of(number(-1)) == Slot{crc32("-1") % 7});
    CHECK(hash(HashFunction::md5, 1000)->slot_of(Key::of("abc")) == Slot{0x900150983cd24fb0u % 1000});
    CHECK(hash(HashFunction::murmur3, 256)->slot_of(Key::of("test")) == Slot{0xba6bd213u % 256});
    CHECK(hash(HashFunction::fnv1a, 256)->slot_of(Key::of("foobar")) == Slot{0xbf9cf968u % 256});
    CHECK(hash(HashFunction::crc32, 256)->slots_of(0, {number(1), number(2)}).is_all());
    CHECK(hash(HashFunction::kingshard, 6)->slot_of(number(-1)) == Slot{UINT64_MAX % 6});
    CHECK(hash(HashFunction::kingshard, 6)->slot_of(Key::of("0013")) == Slot{1u});
    CHECK(hash(HashFunction::kingshard, 6)->slot_of(Key::of("18446744073709551615")) == Slot{UINT64_MAX % 6});
    for (const std::string text : {"-1", "+1", " 1", "1 x", "", "18446744073709551616"})
        CHECK(hash(HashFunction::kingshard, 6)->slot_of(Key::of(text)) == Slot{crc32(text) % 6});
    CHECK(hash(HashFunction::crc32, 256)->slots_of(0, {number(2), number(1)}).empty());
}

TEST_CASE("mod counts negative keys from the same zero") {
    const auto mod = make_algorithm(ModRule{16});
    CHECK(mod->slot_of(number(-1)) == Slot{15u});
    CHECK(mod->slot_of(number(INT64_MIN)) == Slot{0u});
    CHECK(mod->slot_of(Key::of(UINT64_MAX)) == Slot{15u});
    CHECK(members(mod->slots_of(0, {number(-2), number(1)})) == "0 1 14 15");
    CHECK(members(mod->slots_of(0, {number(5), number(7), false, false})) == "6");
    CHECK(mod->slots_of(0, {number(0), number(15)}).is_all());
    CHECK(mod->slots_of(0, {number(0), std::nullopt}).is_all());
    CHECK(mod->slots_of(0, {number(5), number(5), true, false}).empty());
    std::vector<Key> keys;
    for (std::int64_t i = -20; i <= 20; i += 3) keys.push_back(number(i));
    keys.push_back(number(INT64_MIN));
    keys.push_back(Key::of(UINT64_MAX));
    check_no_slot_is_missed(*mod, keys);
}

TEST_CASE("range: slot 0 below the first boundary, then one slot per boundary") {
    const auto range = make_algorithm(RangeRule{{number(10), number(20)}});
    CHECK(range->slot_count() == 3);
    CHECK(range->slot_of(number(9)) == Slot{0u});
    CHECK(range->slot_of(number(10)) == Slot{1u});
    CHECK(range->slot_of(number(19)) == Slot{1u});
    CHECK(range->slot_of(number(20)) == Slot{2u});
    CHECK(members(range->slots_of(0, {std::nullopt, number(10)})) == "0 1");
    CHECK(members(range->slots_of(0, {std::nullopt, number(10), true, false})) == "0");
    CHECK(members(range->slots_of(0, {number(10), number(20), true, false})) == "1");
    CHECK(members(range->slots_of(0, {number(25), std::nullopt})) == "2");
    std::vector<Key> keys;
    for (std::int64_t i = 5; i <= 25; ++i) keys.push_back(number(i));
    check_no_slot_is_missed(*range, keys);

    const auto words = make_algorithm(RangeRule{{Key::of("h"), Key::of("p")}});
    CHECK(words->slot_of(Key::of("apple")) == Slot{0u});
    CHECK(words->slot_of(Key::of("h")) == Slot{1u});
    CHECK(words->slot_of(Key::of("zoo")) == Slot{2u});
}

TEST_CASE("list: named values, and the rest where there is a default") {
    ListRule rule{{{Key::of("cn"), Slot{0u}}, {Key::of("us"), Slot{1u}}}, std::nullopt, 2};
    CHECK(make_algorithm(rule)->slot_of(Key::of("us")) == Slot{1u});
    CHECK_FALSE(make_algorithm(rule)->slot_of(Key::of("fr")));
    CHECK(make_algorithm(rule)->slots_with(0, Key::of("fr")).empty());
    CHECK(members(make_algorithm(rule)->slots_of(0, {Key::of("d"), std::nullopt})) == "1");
    rule.rest = Slot{2u};
    rule.slots = 3;
    CHECK(make_algorithm(rule)->slot_of(Key::of("fr")) == Slot{2u});
    CHECK(members(make_algorithm(rule)->slots_of(0, {Key::of("d"), std::nullopt})) == "1 2");
    // A padded key meets the listed one.
    CHECK(make_algorithm(rule)->slot_of(Key::of("us", true)) == Slot{1u});
}

TEST_CASE("time: one slot per unit, none outside") {
    const auto months = make_algorithm(TimeRule{TimeUnit::month, {2026, 1, 1}, {2026, 12, 1}});
    CHECK(months->slot_count() == 12);
    CHECK(months->slot_of(day("2026-01-31")) == Slot{0u});
    CHECK(months->slot_of(day("2026-12-31")) == Slot{11u});
    CHECK_FALSE(months->slot_of(day("2025-12-31")));
    CHECK_FALSE(months->slot_of(day("2027-01-01")));
    CHECK(members(months->slots_of(0, {day("2026-02-10"), day("2026-04-01")})) == "1 2 3");
    CHECK(members(months->slots_of(0, {day("2026-02-10"), day("2026-04-01"), true, false})) == "1 2");
    CHECK(members(months->slots_of(0, {day("2020-01-01"), day("2026-01-05")})) == "0");
    CHECK(months->slots_of(0, {day("2027-01-01"), std::nullopt}).empty());
    CHECK(months->slots_of(0, {std::nullopt, day("2026-01-01"), true, false}).empty());
    CHECK(months->slot_label(Slot{1u}) == "202602");

    const auto weeks = make_algorithm(TimeRule{TimeUnit::week, {2026, 1, 5}, {2026, 1, 19}});
    CHECK(weeks->slot_of(day("2026-01-05")) == Slot{0u});
    CHECK(weeks->slot_of(day("2026-01-11")) == Slot{0u});
    CHECK(weeks->slot_of(day("2026-01-12")) == Slot{1u});
    CHECK_FALSE(weeks->slot_of(day("2026-01-04")));
    CHECK(weeks->slot_label(Slot{1u}) == "20260112");

    std::vector<Key> keys;
    for (std::int64_t number = to_days(2025, 12, 20); number < to_days(2026, 4, 10); number += 9) {
        keys.push_back(Key::of(from_days(number), 0));
        keys.push_back(Key::of(*add_seconds(from_days(number), 3600 * 13), 0));
    }
    keys.push_back(day("2026-02-01"));
    for (const auto unit :
         {TimeUnit::day, TimeUnit::week, TimeUnit::month, TimeUnit::quarter, TimeUnit::year}) {
        const auto begin = [&](const Moment& moment) { return unit_begin(unit, unit_number(unit, moment)); };
        check_no_slot_is_missed(*make_algorithm(TimeRule{unit, begin({2026, 1, 5}), begin({2026, 3, 20})}),
                                keys);
    }
}

TEST_CASE("days and dates are one another's inverse, and TO_DAYS is MySQL's") {
    CHECK(to_days(1970, 1, 1) == 719528);
    CHECK(to_days(2007, 10, 7) == 733321);  // the manual's example
    for (std::int64_t days = to_days(1, 1, 1); days <= to_days(9999, 12, 31); days += 17) {
        const Moment moment = from_days(days);
        if (to_days(moment.year, moment.month, moment.day) != days) FAIL(days);
    }
    for (const auto unit :
         {TimeUnit::day, TimeUnit::week, TimeUnit::month, TimeUnit::quarter, TimeUnit::year})
        for (std::int64_t number = unit_number(unit, {1999, 1, 1}); number < unit_number(unit, {2030, 1, 1});
             ++number)
            if (unit_number(unit, unit_begin(unit, number)) != number) FAIL(number);
}

TEST_CASE("a ring gives each member its share, and a new member takes keys only for itself") {
    RingRule rule{160, HashFunction::crc32, {"node0", "node1", "node2", "node3"}};
    const auto before = make_algorithm(rule);
    rule.members.push_back("node4");
    const auto after = make_algorithm(rule);
    std::vector<int> share(5);
    int moved = 0;
    constexpr int keys = 20'000;
    for (int i = 0; i < keys; ++i) {
        const Slot was = *before->slot_of(number(i)), is = *after->slot_of(number(i));
        ++share[is.value];
        if (was != is) {
            ++moved;
            CHECK((is == Slot{4u}));
        }
    }
    CHECK(moved < keys * 3 / 10);
    for (const int each : share) CHECK(each > keys / 10);
}

TEST_CASE("composite: each part narrows by itself, together they give one slot") {
    auto rule = std::make_shared<CompositeRule>();
    rule->parts = {{"created_at", TimeRule{TimeUnit::month, {2026, 1, 1}, {2026, 12, 1}}},
                   {"user_id", HashRule{HashFunction::crc32, 16}}};
    const auto composite = make_algorithm(std::shared_ptr<const CompositeRule>{rule});
    REQUIRE(composite->slot_count() == 192);
    REQUIRE(composite->part_count() == 2);
    const Key keys[] = {day("2026-03-15"), number(42)};
    const std::uint32_t digit = crc32("42") % 16;
    CHECK(composite->slot_of(keys) == Slot{2 * 16 + digit});
    const Slots by_month = composite->slots_with(0, keys[0]);
    CHECK(by_month.count() == 16);
    const Slots by_user = composite->slots_with(1, keys[1]);
    CHECK(by_user.count() == 12);
    CHECK((by_month & by_user).single() == Slot{2 * 16 + digit});
    CHECK(composite->slots_of(0, {day("2026-03-15"), day("2026-04-15")}).count() == 32);
    CHECK(composite->slot_label(Slot{2u * 16 + 3}) == "202603_03");
    CHECK_FALSE(composite->slot_of(std::vector{day("2027-03-15"), number(42)}));
}

TEST_CASE("expressions for servers") {
    const std::vector<std::string> column{"`k`"};
    CHECK(hash(HashFunction::crc32, 256)->sql_expression(column) == "(CRC32(`k`) % 256)");
    CHECK(hash(HashFunction::fnv1a, 256)->sql_expression(column).empty());
    CHECK(hash(HashFunction::murmur3, 256)->sql_expression(column).empty());
    CHECK(make_algorithm(ModRule{16})->sql_expression(column) == "(((`k` % 16) + 16) % 16)");
    CHECK(make_algorithm(RangeRule{{Key::of("h")}})->sql_expression(column) ==
          "(CASE WHEN `k` < x'68' THEN 0 ELSE 1 END)");
}
