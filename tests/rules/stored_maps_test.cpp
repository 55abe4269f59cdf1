#include "rules/stored_maps.hpp"

#include <filesystem>

#include <unistd.h>

#include "rules/load.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::rules;

namespace {

// A store that the test throws away.
class MapsFolder {
public:
    MapsFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "shardway-maps-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
        store = schema::open_sqlite_store(path_ + "/meta.db");
    }
    ~MapsFolder() {
        store.reset();
        std::filesystem::remove_all(path_);
    }
    std::unique_ptr<schema::MetaStore> store;

private:
    std::string path_;
};

const std::string maps_rules = R"(version: 1
users: {app: {password: app}}
backend: {user: u, password: p}
nodes: {node0: {primary: h:1}, node1: {primary: h:2}}
databases:
  shop:
    default_node: node0
    groups:
      g:
        algorithm: {type: hash, slots: 8}
        slots_per_shard: 2
        place: {node0: 0-3, node1: 4-7}
    tables:
      t: {group: g, key: id}
      r: {reference: true}
)";

std::shared_ptr<const Rules> loaded(std::string text, std::string_view piece = "",
                                    std::string_view instead = "") {
    if (!piece.empty()) text.replace(text.find(piece), piece.size(), instead);
    const auto result = load_rules(text, "f");
    for (const auto& finding : result.findings) UNSCOPED_INFO(finding.text());
    REQUIRE(result.rules);
    return result.rules;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const auto& line : lines) all += line + "\n";
    return all;
}

}  // namespace

TEST_CASE("place seeds the slot map; once stored, the stored map wins") {
    const MapsFolder folder;
    const auto rules = loaded(maps_rules);
    const auto seeded = load_or_seed_maps(*rules, *folder.store);
    const SlotMap& map = seeded.at({"shop", "g"});
    CHECK(map.shards() == rules->databases.at("shop").groups[0].shards);
    CHECK(map_differences(*rules, seeded).empty());

    auto shards = map.shards();
    shards[1].node = NodeId{1u};
    const auto version = publish_map(*rules, *folder.store, "shop", "g", shards, map.version());
    REQUIRE(version);
    CHECK_FALSE(publish_map(*rules, *folder.store, "shop", "g", shards, map.version()));

    const auto again = load_or_seed_maps(*rules, *folder.store);
    CHECK(again.at({"shop", "g"}).version() == *version);
    CHECK(again.at({"shop", "g"}).shards() == shards);
    CHECK(joined(map_differences(*rules, again)).find("slots 2-3 on node1 instead of node0") !=
          std::string::npos);
}

TEST_CASE("a stored map names nodes, so their order may change") {
    const MapsFolder folder;
    load_or_seed_maps(*loaded(maps_rules), *folder.store);
    const auto turned = loaded(maps_rules, "{node0: {primary: h:1}, node1: {primary: h:2}}",
                               "{node1: {primary: h:2}, node0: {primary: h:1}}");
    const auto maps = load_maps(*turned, *folder.store);
    CHECK(turned->node(maps.at({"shop", "g"}).node_of(ShardId{0u})).name == "node0");
}

TEST_CASE("stored texts that are no slot maps are refused") {
    const auto rules = loaded(maps_rules);
    CHECK(decode_slot_map(*rules, "shardway slot map 1\n0-7 node0\n", 1).slot_count() == 8);
    for (const auto* text :
         {"", "shardway slot map 2\n0-7 node0\n", "shardway slot map 1\n", "shardway slot map 1\n0-7\n",
          "shardway slot map 1\n0 node0\n", "shardway slot map 1\n0-3 node0\n5-7 node0\n",
          "shardway slot map 1\n0-7 node9\n", "shardway slot map 1\n0-65536 node0\n",
          "shardway slot map 1\n7-0 node0\n", "shardway slot map 1\n-\n"})
        CHECK_THROWS_AS(decode_slot_map(*rules, text, 1), std::invalid_argument);
}

TEST_CASE("a reload that would orphan rows says which") {
    const auto current = loaded(maps_rules);
    const auto reasons = [&](std::string_view piece, std::string_view instead) {
        return joined(orphaned_by(*current, *loaded(maps_rules, piece, instead), {}));
    };
    CHECK(reasons("app: {password: app}", "ops: {password: x}").empty());
    CHECK(reasons("r: {reference: true}", "r: {single: node0}").empty());
    // Other places do not count: the stored map stays.
    CHECK(reasons("{node0: 0-3, node1: 4-7}", "{node1: 0-3, node0: 4-7}").empty());
    CHECK(reasons("type: hash", "type: hash, function: md5")
              .find("another algorithm, which moves keys of slots 0-7") != std::string::npos);
    CHECK(reasons("      t: {group: g, key: id}\n", "").find("t is sharded no more") != std::string::npos);
    CHECK(reasons("t: {group: g, key: id}", "t: {group: g, key: other}").find("another key") !=
          std::string::npos);
    CHECK(reasons("t: {group: g, key: id}", "t: {group: g, key: id, gene: {column: other, bits: 3}}")
              .find("another gene") != std::string::npos);
    CHECK(reasons("r: {reference: true}", "r: {group: g, key: id}").find("r is sharded now") !=
          std::string::npos);
    CHECK(reasons("place: {node0: 0-3, node1: 4-7}",
                  "place: {node0: 0-3, node1: 4-7}\n        layout: {database: \"x_{shard}\"}")
              .find("names its shards otherwise") != std::string::npos);
    CHECK(reasons("node1: {primary: h:2}}", "node1: {primary: h:3}}").empty());
}
