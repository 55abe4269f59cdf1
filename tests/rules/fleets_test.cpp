// Fleets of other middleware, adopted as they lie: the rules find each row where that middleware put it.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>

#include "rules/load.hpp"
#include "rules/moment.hpp"
#include "rules/topology.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::rules;

namespace {

std::shared_ptr<const Topology> fleet(const std::string& name) {
    const auto loaded = load_rules_file(std::string{SHARDWAY_TESTS_DIR} + "/rules/fleets/" + name + ".yaml");
    for (const auto& finding : loaded.findings) UNSCOPED_INFO(finding.text());
    REQUIRE(loaded.rules);
    return Topology::build(loaded.rules, std::make_shared<const schema::Catalog>(), {}, 1);
}

// "node: database.table" of the row with these keys.
std::string place_of(const Topology& topology, std::string_view table_name, const std::vector<Key>& keys) {
    const auto* table = topology.table("shop", table_name);
    REQUIRE(table != nullptr);
    const auto slot = table->group->algorithm->slot_of(keys);
    REQUIRE(slot);
    const ShardId shard = table->group->map.shard_of(*slot);
    const auto& place = table->place(shard);
    return topology.node(table->group->map.node_of(shard)).name + ": " + place.database + "." + place.table;
}

Key number(std::int64_t value) { return Key::of(value); }

}  // namespace

TEST_CASE("a ShardingSphere fleet: database by one key, table by another") {
    const auto topology = fleet("shardingsphere");
    CHECK(place_of(*topology, "t_order", {number(10), number(7)}) == "node0: ds_0.t_order_1");
    CHECK(place_of(*topology, "t_order", {number(11), number(8)}) == "node1: ds_1.t_order_0");
    CHECK(place_of(*topology, "t_order_item", {number(11), number(7)}) == "node1: ds_1.t_order_item_1");
    const auto* order = topology->table("shop", "t_order");
    REQUIRE(order->places.size() == 4);
    // One key alone leaves two of the four tables.
    CHECK(order->group->algorithm->slots_with(0, number(11)).count() == 2);
    CHECK(order->group->algorithm->slots_with(1, number(8)).count() == 2);
    const auto back = topology->logical_of("ds_1", "t_order_0");
    REQUIRE(back);
    CHECK(back->table->name == "t_order");
    CHECK(back->shard == ShardId{2u});
}

TEST_CASE("a kingshard fleet: numbered tables in one database per node") {
    const auto topology = fleet("kingshard");
    CHECK(place_of(*topology, "t_order", {number(0)}) == "node1: kingshard.t_order_0000");
    CHECK(place_of(*topology, "t_order", {number(13)}) == "node2: kingshard.t_order_0005");
    // kingshard takes uint64(-1) % 8.
    CHECK(place_of(*topology, "t_order", {number(-1)}) == "node2: kingshard.t_order_0007");
    // CRC32("12345678x") is ca2f4820: the last two bits say 0; a text of digits is a number.
    CHECK(place_of(*topology, "t_log", {Key::of("12345678x")}) == "node1: kingshard_log.t_log_0000");
    CHECK(place_of(*topology, "t_log", {Key::of("123456789")}) == "node1: kingshard_log.t_log_0001");
}

TEST_CASE("a kingshard fleet: each key where kingshard's router puts it") {
    const auto topology = fleet("kingshard");
    const std::map<std::string, std::string> tables{
        {"hash:8", "t_order"}, {"hash:4", "t_log"},  {"hash:6", "t_device"}, {"range:1000:4", "t_bill"},
        {"day", "t_click"},    {"month", "t_visit"}, {"year", "t_report"}};
    std::ifstream answers{std::string{SHARDWAY_TESTS_DIR} + "/rules/fleets/judges/kingshard.tsv"};
    std::size_t checked = 0;
    for (std::string line; std::getline(answers, line);) {
        if (line.starts_with('#')) continue;
        std::vector<std::string> parts;
        for (std::size_t begin = 0; begin <= line.size();) {
            const std::size_t end = std::min(line.find('\t', begin), line.size());
            parts.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        REQUIRE(parts.size() == 4);
        INFO(line);
        const auto moment = parts[0].find(':') == std::string::npos ? parse_moment(parts[2]) : std::nullopt;
        const Key key = moment               ? Key::of(moment->moment)
                        : parts[1] == "text" ? Key::of(parts[2])
                                             : number(std::stoll(parts[2]));
        const std::string& name = tables.at(parts[0]);
        const auto* table = topology->table("shop", name);
        const auto slot = table->group->algorithm->slot_of(key);
        if (parts[3].starts_with("error")) continue;  // kingshard has no table for it
        if (!slot) {                                  // nor have we: it names a table that its fleet has not
            CHECK(topology->logical_of(table->group->databases.front(), name + "_" + parts[3]) ==
                  std::nullopt);
            continue;
        }
        const auto& place = table->place(table->group->map.shard_of(*slot));
        CHECK(place.table == fmt::format("{}_{:04}", name, std::stoi(parts[3])));
        ++checked;
    }
    CHECK(checked > 300);
}

TEST_CASE("tables by month are named by their month") {
    const auto loaded = load_rules(R"(version: 1
users: {app: {password: app}}
backend: {user: u, password: p}
nodes: {node0: {primary: h:1}, node1: {primary: h:2}}
databases:
  shop:
    default_node: node0
    groups:
      g:
        algorithm: {type: time, unit: month, from: 2026-01, to: 2026-12}
        slots_per_shard: 1
        place: {node0: 0-5, node1: 6-11}
        layout: {database: "log_{node}", table: "{table}_{label}"}
    tables:
      t_log: {group: g, key: made}
)",
                                   "f");
    for (const auto& finding : loaded.findings) UNSCOPED_INFO(finding.text());
    REQUIRE(loaded.rules);
    const auto topology = Topology::build(loaded.rules, std::make_shared<const schema::Catalog>(), {}, 1);
    CHECK(place_of(*topology, "t_log", {Key::of(Moment{2026, 7, 9})}) == "node1: log_node1.t_log_202607");
}
