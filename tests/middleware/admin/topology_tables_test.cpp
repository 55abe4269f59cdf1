// SHARDWAY SHOW SHARDS and SHOW TABLES over the model's rules; explain_statement.
#include "middleware/admin/topology_tables.hpp"

#include "middleware/admin/explain_statement.hpp"
#include "middleware/plan/explain.hpp"
#include "tests/catch.hpp"
#include "tests/middleware/plan/fixture.hpp"

using namespace plan_test;

namespace {

std::string line(const session::OwnResult& result, std::size_t row) {
    std::string out;
    for (const auto& value : result.rows.at(row)) out += (out.empty() ? "" : "|") + value.value_or("NULL");
    return out;
}

}  // namespace

TEST_CASE("SHARDWAY SHOW SHARDS") {
    const auto topology = make_topology("model");
    const auto all = admin::shards_table(*topology, "", std::nullopt);
    CHECK(all.rows.size() == 32);
    for (const auto& row : all.rows) CHECK(row.size() == all.columns.size());
    const auto by_user = admin::shards_table(*topology, "shop", "by\\_user");
    REQUIRE(by_user.rows.size() == 16);
    CHECK(line(by_user, 0).starts_with("shop|by_user|0|0-15|node0|shop_00|{table}|"));
    CHECK(line(by_user, 15).starts_with("shop|by_user|15|240-255|node3|shop_15|{table}|"));
    CHECK(admin::shards_table(*topology, "legacy", std::nullopt).rows.empty());
    CHECK(admin::shards_table(*topology, "", "nosuch").rows.empty());
}

TEST_CASE("SHARDWAY SHOW TABLES") {
    const auto topology = make_topology("model");
    const auto all = admin::tables_table(*topology, "", std::nullopt);
    for (const auto& row : all.rows) CHECK(row.size() == all.columns.size());
    CHECK(line(all, 0) == "legacy|*|single-node database|NULL|NULL|NULL|NULL|node1");
    const auto shop = admin::tables_table(*topology, "shop", std::nullopt);
    REQUIRE(shop.rows.size() == 6);
    CHECK(line(shop, 0) == "shop|t_merchant|reference|NULL|NULL|NULL|NULL|every node");
    CHECK(line(shop, 1) == "shop|t_order|sharded|by_user|user_id|hash crc32 256|16|NULL");
    CHECK(line(shop, 3) == "shop|t_setting|single|NULL|NULL|NULL|NULL|node0");
    CHECK(line(shop, 5) == "shop|t_order__by_order_id|locator|by_order|order_id|hash crc32 256|16|NULL");
    CHECK(admin::tables_table(*topology, "shop", "t_u%").rows.size() == 1);
}

TEST_CASE("EXPLAIN SHARDWAY gives what the planner says, or the statement's own error") {
    const Bench bench;
    plan::Planner planner;
    const std::string sql = "SELECT * FROM t_order WHERE user_id = 42";
    const auto text = admin::explain_statement(planner, bench.context(), sql, false);
    const auto routed = planner.plan(sql, bench.context());
    CHECK(text.value() + "\n" == plan::to_text(plan::explain(*routed, bench.context(), sql)));
    CHECK(admin::explain_statement(planner, bench.context(), sql, true).value().starts_with("{"));
    CHECK(admin::explain_statement(planner, bench.context(), "SELECT * FROM nosuch", false).error().code ==
          1146);
    CHECK(admin::explain_statement(planner, bench.context(), "", false).error().code == 1065);
}
