// The rules file: what is right is read whole, what is wrong is found all at once, where it stands.
#include "rules/load.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "schema/base/random.hpp"
#include "tests/catch.hpp"

using namespace shardway::rules;
using namespace std::chrono_literals;

namespace {

// A rules file in which a test exchanges one piece.
const std::string base_rules = R"(version: 1
users:
  app: {password: app, databases: [shop]}
backend: {user: u, password: p}
nodes:
  node0: {primary: 127.0.0.1:1}
  node1: {primary: 127.0.0.1:2}
databases:
  shop:
    default_node: node0
    groups:
      by_user:
        algorithm: {type: hash, function: crc32, slots: 8}
        slots_per_shard: 2
        place: {node0: 0-3, node1: 4-7}
        layout: {database: "shop_{shard:02}"}
      by_order:
        algorithm: {type: mod, slots: 8}
        place: {node0: 0-3, node1: 4-7}
        layout: {database: "shop_by_order_{shard}"}
    tables:
      t_order: {group: by_user, key: user_id, locators: {order_id: {group: by_order}}}
      t_item: {group: by_user, key: user_id}
      t_city: {reference: true}
      t_setting: {single: node1}
)";

std::string with(std::string_view piece, std::string_view instead) {
    std::string text = base_rules;
    const std::size_t at = text.find(piece);
    REQUIRE(at != std::string::npos);
    return text.replace(at, piece.size(), instead);
}

// All findings, one per line.
std::string findings_of(const std::string& text) {
    std::string all;
    for (const auto& finding : load_rules(text, "f").findings) all += finding.text() + "\n";
    return all;
}

std::string read_file(const std::string& path) {
    std::ifstream stream{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

}  // namespace

TEST_CASE("the model's rules are read key for key") {
    const auto loaded = load_rules_file(SHARDWAY_TESTS_DIR "/model/shardway.yaml");
    for (const auto& finding : loaded.findings) UNSCOPED_INFO(finding.text());
    REQUIRE(loaded.rules);
    const Rules& rules = *loaded.rules;

    CHECK(rules.listen.mysql == std::vector<Address>{{"127.0.0.1", 3306, {}}});
    CHECK(rules.listen.admin->port == 9306);
    CHECK(rules.listen.tls.mode == TlsMode::preferred);
    CHECK(rules.users.at("app").may_use("shop"));
    CHECK_FALSE(rules.users.at("app").may_use("legacy"));
    CHECK(rules.users.at("ops").admin);
    CHECK(rules.users.at("ops").may_use("legacy"));
    CHECK(rules.backend.connections == 64);
    CHECK(rules.backend.connect_timeout == 3s);
    CHECK(rules.backend.wait_timeout == 10s);
    REQUIRE(rules.nodes.size() == 4);
    CHECK(rules.nodes[2].name == "node2");
    CHECK(rules.nodes[2].replicas.front().text() == "127.0.0.1:13312");
    CHECK(rules.limits.query_memory == 64u << 20);
    CHECK(rules.limits.gather_bytes == 256u << 20);
    CHECK(rules.log.slow == 1s);
    CHECK(rules.meta.sqlite == std::string{SHARDWAY_TESTS_DIR} + "/model/shardway-meta.db");

    const Database& shop = rules.databases.at("shop");
    REQUIRE(shop.groups.size() == 2);
    const Group& by_user = shop.groups[0];
    CHECK(by_user.slot_count() == 256);
    CHECK(by_user.slots_per_shard == 16);
    REQUIRE(by_user.shards.size() == 16);
    CHECK(by_user.shards[4] == SlotMap::Shard{{64, 79}, NodeId{1u}});
    CHECK(by_user.layout.database == "shop_{shard:02}");
    CHECK(by_user.layout.table == "{table}");

    const auto* order = shop.tables.at("t_order").sharded();
    REQUIRE(order != nullptr);
    CHECK(order->key() == "user_id");
    CHECK(order->group == GroupId{0u});
    CHECK(order->id->column == "order_id");
    CHECK(order->id->generator == IdGenerator::snowflake);
    REQUIRE(order->locators.size() == 1);
    CHECK(order->locators[0].table == "t_order__by_order_id");
    CHECK(order->locators[0].group == GroupId{1u});
    CHECK(shop.tables.at("t_merchant").is_reference());
    CHECK(shop.tables.at("t_setting").single()->node == NodeId{0u});
    CHECK(rules.databases.at("legacy").is_single_node());
    CHECK(rules.databases.at("legacy").default_node == NodeId{1u});
}

TEST_CASE("the base of the tests below is clean") { CHECK(findings_of(base_rules).empty()); }

TEST_CASE("every algorithm of the rules file is read") {
    const auto algorithm = [](std::string_view text, std::string_view place = "{node0: 0-3, node1: 4-7}") {
        std::string rules = with("{type: hash, function: crc32, slots: 8}", text);
        const std::string_view old = "place: {node0: 0-3, node1: 4-7}";
        rules.replace(rules.find(old), old.size(), "place: " + std::string{place});
        const std::string_view per_shard = "slots_per_shard: 2";
        rules.replace(rules.find(per_shard), per_shard.size(), "slots_per_shard: 1");
        const auto loaded = load_rules(rules, "f");
        for (const auto& finding : loaded.findings) UNSCOPED_INFO(finding.text());
        REQUIRE(loaded.rules);
        return loaded.rules->databases.at("shop").groups[0].algorithm;
    };
    CHECK(std::get<ModRule>(algorithm("{type: mod, slots: 8}")).slots == 8);
    CHECK(std::get<HashRule>(algorithm("{type: hash, function: murmur3, slots: 8}")).function ==
          HashFunction::murmur3);
    const auto range = std::get<RangeRule>(
        algorithm("{type: range, boundaries: [-10, 10, 18446744073709551615]}", "{node0: 0-1, node1: 2-3}"));
    CHECK((range.boundaries[2] == Key::of(UINT64_MAX)));
    const auto list = std::get<ListRule>(
        algorithm("{type: list, values: {0: [cn, hk], 1: us}, default: 2}", "{node0: 0, node1: 1-2}"));
    CHECK(list.entries.size() == 3);
    CHECK(list.rest == Slot{2u});
    CHECK(list.slots == 3);
    const auto time = std::get<TimeRule>(
        algorithm("{type: time, unit: month, from: 2026-01, to: 2027-12}", "{node0: 0-11, node1: 12-23}"));
    CHECK(slot_count_of(time) == 24);
    CHECK(slot_count_of(
              algorithm("{type: time, unit: day, from: 2024-02-28, to: 2024-03-01}", "{node0: 0-2}")) == 3);
    CHECK(slot_count_of(
              algorithm("{type: time, unit: week, from: 2026-01-01, to: 2026-01-12}", "{node0: 0-2}")) == 3);
    CHECK(slot_count_of(
              algorithm("{type: time, unit: quarter, from: 2026-Q2, to: 2027-01}", "{node0: 0-3}")) == 4);
    CHECK(slot_count_of(algorithm("{type: time, unit: year, from: 2020, to: 2021}", "{node0: 0-1}")) == 2);
    const auto ring = std::get<RingRule>(algorithm("{type: ring, vnodes: 40}", "{node1: 0, node0: 1}"));
    CHECK(ring.members == std::vector<std::string>{"node1", "node0"});
}

TEST_CASE("a composite algorithm names its key columns") {
    const std::string text = R"(version: 1
users: {app: {password: x}}
backend: {user: u, password: p}
nodes: {node0: {primary: h:1}}
databases:
  shop:
    default_node: node0
    groups:
      g:
        algorithm: {type: composite, keys: [{column: created_at, type: time, unit: month, from: 2026-01, to: 2026-12}, {column: user_id, type: hash, slots: 16}]}
        place: {node0: 0-191}
    tables:
      t: {group: g}
)";
    const auto loaded = load_rules(text, "f");
    for (const auto& finding : loaded.findings) UNSCOPED_INFO(finding.text());
    REQUIRE(loaded.rules);
    CHECK(loaded.rules->databases.at("shop").tables.at("t").sharded()->keys ==
          std::vector<std::string>{"created_at", "user_id"});
}

TEST_CASE("what is wrong is found where it stands, with what was expected") {
    struct Fault {
        std::string_view piece, instead, finding;
    };
    const Fault faults[] = {
        {"version: 1", "version: 2", "f:1:10: version: found '2'; expected"},
        {"users:", "usres:", "expected 'users'?"},
        {"password: app", "passwrod: app", "expected 'password'?"},
        {"databases: [shop]", "databases: [shpo]", "'shpo'; expected 'shop'?"},
        {"127.0.0.1:2", "127.0.0.1", "host:port"},
        {"127.0.0.1:2", "127.0.0.1:65536", "host:port"},
        {"127.0.0.1:2", "127.0.0.1:1", "which another node has"},
        {"  node1: {primary", "  node0: {primary", "the key again; line 6 has it"},
        {"default_node: node0", "default_node: node9", "databases.shop.default_node: found 'node9'"},
        {"    default_node: node0\n", "", "databases.shop.default_node: found nothing"},
        {"type: hash", "type: hsah", "hash, mod, range, list, time, ring or composite"},
        {"function: crc32", "function: crc23", "crc32, fnv1a, murmur3, md5 or kingshard"},
        {"slots: 8}", "slots: 65537}", "a whole number from 1 to 65536"},
        {"slots: 8}", "slots: 0}", "a whole number from 1 to 65536"},
        {"slots: 8}", "slot: 8}", "'slots'?"},
        {"slots_per_shard: 2", "slots_per_shard: 9", "a whole number from 1 to 8"},
        {"slots_per_shard: 2", "slots_per_shard: 8", "cut at slot 4: node0 and node1"},
        {"{node0: 0-3, node1: 4-7}", "{node0: 0-3, node1: 5-7}", "slot 4 on no node"},
        {"{node0: 0-3, node1: 4-7}", "{node0: 0-1, node1: 6-7}", "slots 2-5 on no node"},
        {"{node0: 0-3, node1: 4-7}", "{node0: 0-4, node1: 4-7}", "slot 4, which is placed already"},
        {"{node0: 0-3, node1: 4-7}", "{node0: 0-3, node1: 4-8}", "expected slots 0-7"},
        {"{node0: 0-3, node1: 4-7}", "{node0: 0-3, nodel: 4-7}", "'node0'?"},
        {"{node0: 0-3, node1: 4-7}", "{node0: 3-0, node1: 4-7}", "slots, such as"},
        {"shop_{shard:02}", "shop_{shrad:02}", "the field {shrad}"},
        {"shop_{shard:02}", "shop_{shard", "an opening brace"},
        {"shop_{shard:02}", "shop_{slot}", "{slot} with 2 slots per shard"},
        {"shop_{shard:02}", "shop_{label}", "{label} with 2 slots per shard"},
        {"shop_{shard:02}", "shop_{table}", "the field {table}"},
        {"shop_{shard:02}", "shop_x", "shop_x.t_item twice on node0"},
        {"shop_{shard:02}", "shop_by_order_{shard}", "which group by_user of shop uses"},
        {"shop_{shard:02}", "shop", "a logical database"},
        {"shop_{shard:02}", "shardway_meta", "the reserved database shardway_meta"},
        {"{database: \"shop_{shard:02}\"}", "{list: {0: a, 1: b, 2: c}}", "nothing for shard 3"},
        {"{database: \"shop_{shard:02}\"}", "{list: {0: a, 1: b, 2: c, 3: d.}}",
         "database or database.table"},
        {"{database: \"shop_{shard:02}\"}", "{list: {0: a.t, 1: b, 2: c, 3: d}}", "a.t twice on node0"},
        {"  shop:\n", "  shardway_none:\n", "a reserved name"},
        {"  shop:\n", "  mysql:\n", "a reserved name"},
        {"group: by_user, key: user_id, locators", "group: by_usr, key: user_id, locators", "'by_user'?"},
        {"group: by_user, key: user_id, locators", "group: by_user, locators",
         "tables.t_order.key: found nothing"},
        {"{group: by_order}", "{group: by_ordr}", "'by_order'?"},
        {"{group: by_order}", "{group: by_user}", "the table's own group"},
        {"{order_id: {group", "{user_id: {group", "a locator by the shard key"},
        {"{reference: true}", "{reference: true, single: node0}", "more than one of group"},
        {"{reference: true}", "{}", "neither group nor reference nor single"},
        {"{reference: true}", "{reference: false}", "found false"},
        {"{reference: true}", "{reference: 1}", "true or false"},
        {"{single: node1}", "{single: nodeX}", "'node0'?"},
        {"t_setting:", "t_order__by_order_id:", "the name of a locator of t_order"},
        {"t_item: {group: by_user, key: user_id}",
         "t_item: {group: by_user, key: user_id, gene: {column: item_id, bits: 2}}", "2 bits for 8 slots"},
        {"t_item: {group: by_user, key: user_id}",
         "t_item: {group: by_user, key: user_id, gene: {column: item_id, bits: 13}}", "from 1 to 12"},
        {"t_item: {group: by_user, key: user_id}",
         "t_item: {group: by_user, key: user_id, id: {column: x, generator: snow}}",
         "snowflake, segment or uuid7"},
        {"backend: {user: u, password: p}", "backend: {user: u, password: p, connect_timeout: 3}",
         "a duration with its unit"},
        {"backend: {user: u, password: p}", "backend: {user: u, password: p, wait_timeout: 0s}",
         "more than nothing"},
        {"backend: {user: u, password: p}", "backend: {user: u, password: p, connections: 0}",
         "from 1 to 100000"},
        {"backend: {user: u, password: p}", "backend: {user: u}", "backend.password: found nothing"},
        {"version: 1", "version: 1\nlimits: {query_memory: 64MB}", "a number of bytes"},
        {"version: 1", "version: 1\nlimits: {query_memory: 2GiB}", "a query_memory above total_memory"},
        {"version: 1", "version: 1\nlisten: {tls: {cert: a}}", "a cert without key"},
        {"version: 1", "version: 1\nmeta: {}", "neither sqlite nor etcd"},
        {"version: 1", "version: 1\nlog: {level: loud}", "trace, debug, info, warn or error"},
        {"version: 1", "version: 1\nthreads: many", "a whole number"},
        {"  app: {password: app, databases: [shop]}", "  [a, b]: {password: x}", "a list as a key"},
    };
    for (const auto& fault : faults) {
        INFO(fault.instead);
        const std::string findings = findings_of(with(fault.piece, fault.instead));
        INFO(findings);
        CHECK(findings.find(fault.finding) != std::string::npos);
    }
}

TEST_CASE("algorithms with gaps, overlaps and mixtures are found") {
    struct Fault {
        std::string_view algorithm, finding;
    };
    const Fault faults[] = {
        {"{type: range, boundaries: [10, 5]}", "5 behind 10; expected rising boundaries"},
        {"{type: range, boundaries: [10, 10]}", "10 behind 10"},
        {"{type: range, boundaries: [10, x]}", "boundaries of one type"},
        {"{type: range, boundaries: []}", "0 boundaries"},
        {"{type: list, values: {0: [a], 2: [b]}}", "no value for slot 1"},
        {"{type: list, values: {0: [a], 1: [b, a]}}", "'a', which slot 0 has"},
        {"{type: list, values: {0: [a], 1: [1]}}", "values of one type"},
        {"{type: list, values: {0: [\"a \"]}}", "spaces at its end"},
        {"{type: list, values: {x: [a]}}", "the number of a slot"},
        {"{type: time, unit: month, from: 2026-13, to: 2027-12}", "a month, 2026-01"},
        {"{type: time, unit: month, from: 2026-02, to: 2026-01}", "an end before the beginning"},
        {"{type: time, unit: day, from: 1900-01-01, to: 2199-01-01}", "at most 65536"},
        {"{type: time, unit: hour, from: 2026, to: 2027}", "day, week, month, quarter or year"},
        {"{type: ring, vnodes: 0}", "from 1 to 10000"},
        {"{type: ring}", "slots 0-3 for a member of a ring"},
        {"{type: composite, keys: [{column: a, type: hash}]}", "1 keys; expected 2 to 4"},
        {"{type: composite, keys: [{column: a, type: hash}, {column: a, type: hash}]}", "'a' again"},
        {"{type: composite, keys: [{column: a, type: hash}, {column: b, type: hash, slots: 257}]}",
         "65792 slots together"},
        {"{type: composite, keys: [{column: a, type: ring}, {column: b, type: hash}]}",
         "ring inside composite"},
    };
    for (const auto& fault : faults) {
        INFO(fault.algorithm);
        const std::string findings =
            findings_of(with("{type: hash, function: crc32, slots: 8}", fault.algorithm));
        INFO(findings);
        CHECK(findings.find(fault.finding) != std::string::npos);
    }
}

TEST_CASE("all faults of a file are found in one run, in the order of the file") {
    std::string text = with("version: 1", "version: x");
    text.replace(text.find("127.0.0.1:2"), 11, "nowhere");
    text.replace(text.find("{reference: true}"), 17, "{refrence: true}");
    const auto loaded = load_rules(text, "f");
    CHECK_FALSE(loaded.rules);
    REQUIRE(loaded.findings.size() == 3);
    CHECK(loaded.findings[0].line == 1);
    CHECK(loaded.findings[1].line == 7);
    CHECK(std::is_sorted(loaded.findings.begin(), loaded.findings.end(),
                         [](const auto& a, const auto& b) { return a.line < b.line; }));
}

TEST_CASE("files that are no rules at all are findings, not crashes") {
    for (const auto* text :
         {"", "null", "[]", "a", "{", "version: 1\n\t bad", "a: &x [*x]", "\xff\xfe", "? [1]\n: 2",
          "databases: {shop: 1}", "databases: {shop: {groups: 1, tables: 2, default_node: {}}}",
          "nodes: []\nusers: 3\nbackend: []", "databases: {shop: {groups: {g: }, tables: {t: }}}",
          "version: !!binary x", "- - - - - -"}) {
        INFO(text);
        const auto loaded = load_rules(text, "f");
        CHECK_FALSE(loaded.rules);
        CHECK_FALSE(loaded.findings.empty());
    }
    CHECK_FALSE(load_rules(std::string(10'000, '['), "f").rules);
    CHECK_FALSE(load_rules_file("/nonexistent/rules.yaml").rules);
    const auto large = load_rules(std::string(rules_bytes_max + 1, ' '), "f");
    REQUIRE(large.findings.size() == 1);
    CHECK(large.findings[0].found.find("bytes") != std::string::npos);
}

TEST_CASE("cut anywhere, the model's rules give findings or rules") {
    const std::string text = read_file(SHARDWAY_TESTS_DIR "/model/shardway.yaml");
    for (std::size_t size = 0; size < text.size(); size += 7) {
        const auto loaded = load_rules(text.substr(0, size), "f");
        CHECK((loaded.rules != nullptr) == loaded.findings.empty());
    }
}

TEST_CASE("damaged anywhere, the model's rules give findings or rules") {
    const std::string text = read_file(SHARDWAY_TESTS_DIR "/model/shardway.yaml");
    shardway::base::SeededRandom random{3};
    constexpr std::string_view bytes = "{}[]:,-#&*!|>'\"%@` \n\t0a\xff";
    for (int round = 0; round < 500; ++round) {
        std::string damaged = text;
        for (std::uint64_t i = 0; i <= random.u64() % 4; ++i) {
            const std::size_t at = random.u64() % damaged.size();
            const char byte = bytes[random.u64() % bytes.size()];
            if (random.u64() % 3 == 0)
                damaged.erase(at, 1 + random.u64() % 20);
            else if (random.u64() % 2 == 0)
                damaged.insert(at, 1, byte);
            else
                damaged[at] = byte;
        }
        const auto loaded = load_rules(damaged, "f");
        if ((loaded.rules != nullptr) != loaded.findings.empty()) FAIL(damaged);
    }
}
