// What explain says, as people and programs read it.
#include "middleware/plan/explain.hpp"

#include "fixture.hpp"
#include "tests/catch.hpp"

using namespace plan_test;

namespace {

plan::Explanation explained(const std::string& sql, const Bench& bench = Bench{}) {
    plan::Planner planner;
    const auto routed = planner.plan(sql, bench.context());
    REQUIRE(routed.has_value());
    return plan::explain(*routed, bench.context(), sql);
}

}  // namespace

TEST_CASE("explain of a point read") {
    CHECK(
        plan::to_text(explained("SELECT * FROM t_order WHERE user_id = 42")) ==
        "statement  SELECT\n"
        "access     shard key: what is said of t_order.user_id leaves only one shard that can hold the rows\n"
        "strategy   one place: it runs whole there, and that answer is the answer\n"
        "goes to    1 of 16 shards, on 1 of 4 nodes\n"
        "node2, shard 8, default database shardway_none\n"
        "    SELECT * FROM `shop_08`.`t_order` WHERE user_id = 42\n");
}

TEST_CASE("explain of a scatter says how one result is made, by the names that were written") {
    using Steps = std::vector<std::string>;
    const plan::Explanation two =
        explained("SELECT order_id FROM t_order WHERE user_id IN (2, 4) ORDER BY note LIMIT 10, 5");
    CHECK(two.goes_to == "2 of 16 shards, on 1 of 4 nodes");
    CHECK(two.steps ==
          Steps{"merge the sorted rows of the parts by note (text by WEIGHT_STRING(note AS CHAR(64))); each "
                "part's own order is checked meanwhile",
                "skip 10 rows, then stop after 5 rows",
                "cut off 2 columns that the client did not ask for: note, WEIGHT_STRING(note AS CHAR(64))"});
    const plan::Explanation latest =
        explained("SELECT * FROM t_order ORDER BY created_at DESC, order_id LIMIT 1");
    CHECK(latest.because == "nothing that is said of t_order.user_id rules out a shard, so all are asked");
    CHECK(latest.steps ==
          Steps{"merge the sorted rows of the parts by created_at DESC, order_id; each part's "
                "own order is checked meanwhile",
                "stop after 1 row"});
    CHECK(explained("SELECT order_id FROM t_order").steps ==
          Steps{"pass the rows of all parts on as they come"});
}

TEST_CASE("explain says what becomes of each aggregate") {
    using Steps = std::vector<std::string>;
    CHECK(explained("SELECT COUNT(*), MIN(amount), AVG(amount) a FROM t_order").steps ==
          Steps{"make one row of the rows of all parts: COUNT(*) adds up, MIN(amount) keeps the least, a is "
                "SUM(amount) / COUNT(amount)",
                "cut off 2 columns that the client did not ask for: SUM(amount), COUNT(amount)"});
    CHECK(explained("SELECT merchant_id, SUM(amount) FROM t_order GROUP BY merchant_id ORDER BY 2 DESC")
              .steps == Steps{"make one row of those that agree in merchant_id: SUM(amount) adds up",
                              "sort by SUM(amount) DESC"});
}

TEST_CASE("explain does not depend on whose turn it is") {
    const Bench bench;
    plan::Planner planner;
    for (int turn = 0; turn < 5; ++turn) {
        const std::string sql = "SELECT name FROM t_merchant";
        const auto routed = planner.plan(sql, bench.context());
        const plan::Explanation explanation = plan::explain(*routed, bench.context(), sql);
        CHECK(explanation.goes_to == "any of 4 nodes");
        CHECK(explanation.parts.at(0).node.empty());
    }
    Bench inside;
    inside.preferred = rules::NodeId{2};
    CHECK(explained("SELECT name FROM t_merchant", inside).parts.at(0).node == "node2");
}

TEST_CASE("explain of writes") {
    const auto split = explained("INSERT INTO t_user (user_id, name) VALUES (1, 'a'), (2, 'b'), (3, NOW())");
    CHECK(split.because == "each row goes to the shard of its t_user.user_id");
    CHECK(split.steps.front() == "one moment, for NOW() and its like, is set on all connections beforehand");
    CHECK(split.steps.back() == "all parts succeed or none; their counts of rows are added");
    const auto copies = explained("UPDATE t_merchant SET city = 'x'");
    CHECK(copies.goes_to == "4 of 4 nodes");
    CHECK(copies.strategy == "written on every node");
}

TEST_CASE("explain as JSON") {
    CHECK(
        plan::to_json(explained("SELECT \"a\\b\" FROM t_order WHERE user_id = 42")) ==
        R"({"statement":"SELECT","access":"shard key",)"
        R"("because":"what is said of t_order.user_id leaves only one shard that can hold the rows",)"
        R"("strategy":"one place","meaning":"it runs whole there, and that answer is the answer",)"
        R"("goes_to":"1 of 16 shards, on 1 of 4 nodes","then":[],)"
        R"("parts":[{"node":"node2","shard":8,"database":"shardway_none","text":"SELECT \"a\\b\" FROM `shop_08`.`t_order` WHERE user_id = 42"}]})");
    CHECK(plan::to_json(explained("BEGIN"))
              .find(R"("access":null,"because":null,"strategy":"answered by the session")") !=
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
