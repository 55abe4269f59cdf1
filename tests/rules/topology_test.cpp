#include "rules/topology.hpp"

#include "rules/load.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::rules;

namespace {

std::shared_ptr<const Rules> model_rules() {
    const auto loaded = load_rules_file(SHARDWAY_TESTS_DIR "/model/shardway.yaml");
    REQUIRE(loaded.rules);
    return loaded.rules;
}

std::shared_ptr<const schema::Catalog> model_catalog() {
    schema::Table order;
    order.name = "t_order";
    for (const auto* name : {"user_id", "order_id", "note"}) {
        schema::Column column;
        column.name = name;
        column.type = schema::ColumnType::bigint;
        column.nullable = false;
        order.columns.push_back(column);
    }
    schema::Table extra = order;
    extra.name = "t_extra";
    schema::Catalog::Tables tables;
    tables.emplace("t_order", std::make_shared<const schema::Table>(order));
    tables.emplace("t_extra", std::make_shared<const schema::Table>(extra));
    return std::make_shared<const schema::Catalog>(schema::Catalog{{{"shop", tables}}});
}

}  // namespace

TEST_CASE("a topology answers where a table's shards lie and what they are called") {
    const auto topology = Topology::build(model_rules(), model_catalog(), {}, 5);
    CHECK(topology->epoch() == 5);
    const auto* order = topology->table("shop", "t_order");
    REQUIRE(order != nullptr);
    CHECK(order->is_sharded());
    CHECK(order->key_columns == std::vector<std::size_t>{0});
    REQUIRE(order->places.size() == 16);
    CHECK(order->place(ShardId{3u}).database == "shop_03");
    CHECK(order->place(ShardId{3u}).table == "t_order");
    CHECK(order->place(ShardId{15u}).quoted == "`shop_15`.`t_order`");
    CHECK(order->group->databases[7] == "shop_07");
    CHECK(order->group->node_of(Slot{64u}) == NodeId{1u});
    CHECK(order->columns->find_column("ORDER_ID") == std::size_t{1});

    CHECK(topology->table("shop", "t_merchant")->is_reference());
    CHECK(topology->table("shop", "t_setting")->is_single());
    CHECK(topology->table("shop", "nothing") == nullptr);
    CHECK(topology->table("nothing", "t_order") == nullptr);
    CHECK(topology->table("legacy", "t_order") == nullptr);
    CHECK(topology->database("legacy")->is_single_node());
}

TEST_CASE("a table that the rules do not name is a single table on the default node") {
    const auto topology = Topology::build(model_rules(), model_catalog(), {}, 1);
    const auto* extra = topology->table("shop", "t_extra");
    REQUIRE(extra != nullptr);
    CHECK(extra->is_single());
    CHECK(extra->rule == nullptr);
    CHECK(extra->node == NodeId{0u});
}

TEST_CASE("locators are found from their table and by no client") {
    const auto topology = Topology::build(model_rules(), model_catalog(), {}, 1);
    CHECK(topology->table("shop", "t_order__by_order_id") == nullptr);
    const auto* order = topology->table("shop", "t_order");
    REQUIRE(order->locators.size() == 1);
    const auto* locator = order->locators.front();
    CHECK(locator->locator_of == order);
    CHECK(locator->place(ShardId{2u}).quoted == "`shop_by_order_02`.`t_order__by_order_id`");
    REQUIRE(locator->columns != nullptr);
    CHECK(locator->columns->columns[0].name == "order_id");
    CHECK(locator->columns->columns[1].name == "user_id");
    CHECK(locator->columns->columns[2].name == "ver");
    CHECK(locator->key_columns == std::vector<std::size_t>{0});
}

TEST_CASE("physical names lead back to logical ones") {
    const auto topology = Topology::build(model_rules(), model_catalog(), {}, 1);
    const auto order = topology->logical_of("shop_03", "t_order");
    REQUIRE(order);
    CHECK(order->table->name == "t_order");
    CHECK(order->shard == ShardId{3u});
    const auto database = topology->logical_of("shop_03", "");
    REQUIRE(database);
    CHECK(database->table == nullptr);
    CHECK(database->database->rule->name == "shop");
    CHECK_FALSE(topology->logical_of("shop", "t_order"));
}

TEST_CASE("a stored slot map wins over place, and must fit") {
    const auto rules = model_rules();
    auto shards = rules->databases.at("shop").groups[0].shards;
    shards[0].node = NodeId{3u};
    const auto topology =
        Topology::build(rules, model_catalog(), {{{"shop", "by_user"}, SlotMap{9, shards}}}, 1);
    CHECK(topology->database("shop")->groups[0]->map.version() == 9);
    CHECK(topology->database("shop")->groups[0]->node_of(Slot{0u}) == NodeId{3u});

    const StoredMaps other_size = {{{"shop", "by_user"}, SlotMap{1, {{{0, 7}, NodeId{0u}}}}}};
    CHECK_THROWS_AS(Topology::build(rules, model_catalog(), other_size, 1), std::invalid_argument);
    shards[0].node = NodeId{4u};
    const StoredMaps unknown_node = {{{"shop", "by_user"}, SlotMap{1, shards}}};
    CHECK_THROWS_AS(Topology::build(rules, model_catalog(), unknown_node, 1), std::invalid_argument);
}

TEST_CASE("without a catalog the topology still routes by rule") {
    const auto topology = Topology::build(model_rules(), std::make_shared<const schema::Catalog>(), {}, 1);
    const auto* order = topology->table("shop", "t_order");
    CHECK(order->columns == nullptr);
    CHECK(order->key_columns.empty());
    CHECK(order->places.size() == 16);
}
