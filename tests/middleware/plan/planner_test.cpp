// The planner as a whole: its cache, its limits, whom it asks, what it leaves alone.
#include "fixture.hpp"
#include "middleware/plan/plan_cache.hpp"
#include "sqlparse/ast.hpp"
#include "tests/catch.hpp"

using namespace plan_test;

TEST_CASE("the second statement of a kind comes from the cache") {
    Bench bench;
    plan::Planner planner;
    const auto first = planner.plan("SELECT * FROM t_order WHERE user_id = 42", bench.context());
    const auto second = planner.plan("SELECT  *  FROM t_order WHERE user_id = 2 -- another", bench.context());
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    CHECK(planner.counters().hits == 1);
    CHECK(first->plan == second->plan);
    CHECK(second->parts.at(0).text == "SELECT  *  FROM `shop_00`.`t_order` WHERE user_id = 2");
}

TEST_CASE("rights are asked for again when the plan comes from the cache") {
    Bench bench;
    plan::Planner planner;
    const std::string sql = "SELECT * FROM shop.t_order WHERE user_id = 42";
    bench.database = "legacy";
    CHECK(planner.plan(sql, bench.context()).has_value());
    bench.session.databases = {"legacy"};
    const auto refused = planner.plan(sql, bench.context());
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == 1044);
    CHECK(planner.counters().hits == 1);
}

TEST_CASE("database, modes, state and topology each have plans of their own (invariant 2)") {
    Bench bench;
    plan::Planner planner;
    const std::string sql = "SELECT note FROM t_order WHERE user_id = 42";
    CHECK(planner.plan(sql, bench.context()).has_value());
    bench.database = "legacy";
    CHECK(planner.plan(sql, bench.context())->parts.at(0).default_database == "legacy");
    bench.database = "shop";
    bench.options.modes.ansi_quotes = true;
    CHECK(planner.plan(sql, bench.context()).has_value());
    plan::PlanContext other = bench.context();
    other.state_hash = 1;
    CHECK(planner.plan(sql, other).has_value());
    Bench renamed{"rules"};
    CHECK(planner.plan(sql, renamed.context()).error().code == 1146);
    CHECK(planner.counters().hits == 0);
    CHECK(planner.counters().misses == 5);
}

TEST_CASE("the cache keeps within its bytes") {
    Bench bench;
    plan::PlannerLimits limits;
    limits.cache_bytes_max = 64U << 10;
    plan::Planner planner{limits};
    for (int i = 0; i < 500; ++i) {
        const std::string sql = "SELECT note AS a" + std::to_string(i) + " FROM t_order WHERE user_id = 42";
        REQUIRE(planner.plan(sql, bench.context()).has_value());
        CHECK(planner.cache_bytes() <= limits.cache_bytes_max);
    }
    CHECK(planner.counters().evictions > 0);
    CHECK(planner.cache_bytes() > limits.cache_bytes_max / 2);
    planner.clear_cache();
    CHECK(planner.cache_bytes() == 0);
}

TEST_CASE("the plan that was not asked for the longest goes first") {
    plan::PlanCache cache{8000};
    const auto plan = std::make_shared<const plan::Plan>();
    for (std::uint64_t i = 0; i < 6; ++i) cache.insert({i, i}, plan, 800);
    CHECK(cache.find({0, 0}) != nullptr);
    for (std::uint64_t i = 6; i < 9; ++i) cache.insert({i, i}, plan, 800);
    CHECK(cache.find({0, 0}) != nullptr);
    CHECK(cache.find({1, 1}) == nullptr);
    CHECK(cache.find({8, 8}) != nullptr);
    cache.insert({9, 9}, plan, 1000);  // with its overhead more than an eighth of the cache
    CHECK(cache.find({9, 9}) == nullptr);
}

TEST_CASE("texts beyond the limit are planned, not cached") {
    Bench bench;
    plan::PlannerLimits limits;
    const std::string start = "SELECT note FROM t_order WHERE user_id = 42 AND note = '";
    limits.cached_text_bytes_max = start.size() + 1 + 10;
    plan::Planner planner{limits};
    for (const std::size_t letters : {9U, 10U, 11U}) {
        const std::string sql = start + std::string(letters, 'x') + "'";
        CHECK(planner.plan(sql, bench.context()).has_value());
    }
    CHECK(planner.counters().hits == 1);
    CHECK(planner.counters().misses == 1);
}

TEST_CASE("no more parts than the limit") {
    Bench bench;
    plan::PlannerLimits limits;
    limits.parts_max = 2;
    plan::Planner planner{limits};
    CHECK(planner.plan("INSERT INTO t_user (user_id) VALUES (1), (2)", bench.context())->parts.size() == 2);
    CHECK(planner.plan("INSERT INTO t_user (user_id) VALUES (1), (2), (4)", bench.context()).error().code ==
          9042);
    CHECK(planner.plan("SELECT note FROM t_order", bench.context()).error().code == 9042);
}

TEST_CASE("a statement of the session comes with its tree") {
    Bench bench;
    plan::Planner planner;
    std::shared_ptr<const plan::ParsedStatement> kept;
    for (int i = 0; i < 2; ++i) {
        const auto begin = planner.plan("BEGIN", bench.context());
        REQUIRE(begin.has_value());
        REQUIRE(begin->parsed != nullptr);
        CHECK(plan::tree_of(*begin->parsed)->as<sqlparse::Begin>() != nullptr);
        const auto set = planner.plan("SET autocommit = " + std::to_string(i), bench.context());
        REQUIRE(set->parsed != nullptr);
        CHECK(plan::text_of(*set->parsed) == "SET autocommit = " + std::to_string(i));
        kept = set->parsed;
    }
    planner.clear_cache();
    CHECK(plan::tree_of(*kept)->as<sqlparse::Set>() != nullptr);
}

TEST_CASE("reads that any node can answer take turns, but for a transaction's") {
    Bench bench;
    plan::Planner planner;
    std::set<std::uint32_t> nodes;
    for (int i = 0; i < 8; ++i)
        nodes.insert(planner.plan("SELECT * FROM t_merchant", bench.context())->parts.at(0).node.value);
    CHECK(nodes.size() == 4);
    bench.preferred = rules::NodeId{2};
    for (int i = 0; i < 4; ++i)
        CHECK(planner.plan("SELECT * FROM t_merchant", bench.context())->parts.at(0).node.value == 2);
}

TEST_CASE("a data statement on sharded tables never runs in the template (invariant 9)") {
    Bench bench;
    plan::Planner planner;
    for (const char* sql : {"SELECT * FROM t_order WHERE user_id = 42", "SELECT * FROM t_order",
                            "UPDATE t_order SET note = 'a' WHERE user_id = 42",
                            "INSERT INTO t_user (user_id) VALUES (1), (2), (3)",
                            "SELECT o.note FROM t_order o, t_merchant m WHERE o.user_id = 42",
                            "EXPLAIN SELECT * FROM t_order WHERE user_id = 42"}) {
        const auto routed = planner.plan(sql, bench.context());
        INFO(sql);
        REQUIRE(routed.has_value());
        for (const plan::Part& part : routed->parts) {
            CHECK(part.default_database == plan::none_database);
            CHECK(part.text.find("`shop`.t_order") == std::string::npos);
            CHECK_FALSE(part.names.empty());
        }
    }
}

TEST_CASE("physical names come with their logical ones") {
    Bench bench{"rules"};
    plan::Planner planner;
    const auto routed = planner.plan("SELECT * FROM t_account WHERE name = 'ann'", bench.context());
    REQUIRE(routed.has_value());
    REQUIRE(routed->parts.at(0).names.size() == 1);
    const plan::NameMapping& mapping = routed->parts[0].names[0];
    CHECK(mapping.physical_database == "ds_0");
    CHECK(mapping.physical_table == "t_account_0003");
    CHECK(mapping.logical_database == "shop");
    CHECK(mapping.logical_table == "t_account");
}

TEST_CASE("deep statements are refused, not crashed on") {
    Bench bench;
    plan::Planner planner;
    std::string sql = "SELECT note FROM t_order WHERE user_id = 42 AND ";
    for (int i = 0; i < 10000; ++i) sql += "(1 = 1 OR ";
    sql += "1";
    for (int i = 0; i < 10000; ++i) sql += ")";
    CHECK(planner.plan(sql, bench.context()).has_error());
    std::string nested = "SELECT 1";
    for (int i = 0; i < 400; ++i) nested = "SELECT (" + nested + ")";
    (void)planner.plan(nested, bench.context());
}
