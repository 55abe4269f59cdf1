// What explain says, as people and programs read it.
#include "middleware/plan/explain.hpp"

#include "fixture.hpp"
#include "tests/catch.hpp"

using namespace plan_test;

namespace {

plan::Explanation explained(const std::string& sql) {
    Bench bench;
    plan::Planner planner;
    const auto routed = planner.plan(sql, bench.context());
    REQUIRE(routed.has_value());
    return plan::explain(*routed, *bench.topology);
}

}  // namespace

TEST_CASE("explain of a point read") {
    CHECK(plan::to_text(explained("SELECT * FROM t_order WHERE user_id = 42")) ==
          "statement  SELECT\n"
          "access     shard key\n"
          "strategy   one place\n"
          "goes to    1 shard on 1 node\n"
          "node2, shard 8 (in shardway_none)\n"
          "    SELECT * FROM `shop_08`.`t_order` WHERE user_id = 42\n");
}

TEST_CASE("explain of a scatter says how one result is made") {
    const plan::Explanation explanation =
        explained("SELECT order_id FROM t_order WHERE user_id IN (2, 4) ORDER BY note LIMIT 10, 5");
    CHECK(explanation.shards == "2 shards on 1 node");
    CHECK(explanation.steps == std::vector<std::string>{"merge by 1 column, checking each shard's own order",
                                                        "skip 10 rows, stop after 5 rows",
                                                        "cut off 2 hidden columns"});
}

TEST_CASE("explain as JSON") {
    CHECK(
        plan::to_json(explained("SELECT \"a\\b\" FROM t_order WHERE user_id = 42")) ==
        R"({"statement":"SELECT","access":"shard key","strategy":"one place","goes_to":"1 shard on 1 node","then":[],)"
        R"("parts":[{"node":"node2","shard":8,"database":"shardway_none","text":"SELECT \"a\\b\" FROM `shop_08`.`t_order` WHERE user_id = 42"}]})");
    CHECK(plan::to_json(explained("BEGIN")).find(R"("strategy":"answered by the session")") !=
          std::string::npos);
}

TEST_CASE("EXPLAIN SHARDWAY is told from what MySQL explains") {
    const sqlparse::ParseOptions options;
    CHECK(plan::explain_request(" explain /* a */ shardway SELECT 1", options)->statement == " SELECT 1");
    CHECK(plan::explain_request("EXPLAIN SHARDWAY FORMAT=JSON SELECT 1", options)->json);
    CHECK_FALSE(plan::explain_request("EXPLAIN SHARDWAY FORMAT = TEXT SELECT 1", options)->json);
    CHECK_FALSE(plan::explain_request("EXPLAIN SHARDWAY FORMAT = TREE SELECT 1", options));
    CHECK_FALSE(plan::explain_request("EXPLAIN SELECT 1", options));
    CHECK_FALSE(plan::explain_request("DESCRIBE shardway", options));
    CHECK_FALSE(plan::explain_request("SELECT 1", options));
    CHECK_FALSE(plan::explain_request("", options));
}
