#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "middleware/cli/apply_plan.hpp"
#include "middleware/cli/apply_run.hpp"
#include "rules/load.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::cli;

namespace {

std::string file_text(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    REQUIRE(file);
    return {std::istreambuf_iterator<char>{file}, {}};
}

struct Planned {
    std::shared_ptr<const rules::Topology> topology;
    SchemaFile schema;
    ApplyPlan plan;
};

Planned plan_of(const std::string& rules_text, const std::string& schema_text) {
    const rules::LoadResult loaded = rules::load_rules(rules_text, "/rules/shardway.yaml");
    REQUIRE(loaded.rules);
    Planned planned;
    planned.topology = rules::Topology::build(loaded.rules, std::make_shared<const schema::Catalog>(), {}, 1);
    planned.schema = read_schema(schema_text, "schema.sql", *loaded.rules,
                                 default_schema_database(*loaded.rules), sqlparse::ParseOptions{});
    planned.plan = plan_apply(*planned.topology, planned.schema, "schema.sql");
    return planned;
}

Planned plan_of_model(const std::string& schema_text) {
    return plan_of(file_text(SHARDWAY_TESTS_DIR "/model/shardway.yaml"), schema_text);
}

Planned plan_of_model() { return plan_of_model(file_text(SHARDWAY_TESTS_DIR "/model/orders.sql")); }

std::multiset<std::string> tables_of(const NodePlan& node) {
    std::multiset<std::string> names;
    for (const PlannedTable& table : node.tables) names.insert(table.database + "." + table.name);
    return names;
}

const PlannedTable& table_named(const NodePlan& node, const std::string& name) {
    for (const PlannedTable& table : node.tables)
        if (table.database + "." + table.name == name) return table;
    FAIL("no table " << name);
    return node.tables.front();
}

}  // namespace

TEST_CASE("the model: every node has the template, ours, its own shards, and nothing else") {
    const Planned model = plan_of_model();
    CHECK(model.plan.problems.empty());
    CHECK(model.plan.notes.empty());
    REQUIRE(model.plan.nodes.size() == 4);
    std::multiset<std::string> expected{"shardway_meta.decision", "shardway_meta.gate", "shop.t_user",
                                        "shop.t_order",           "shop.t_order_item",  "shop.t_merchant",
                                        "shop.t_setting"};
    for (const std::string shard : {"shop_04", "shop_05", "shop_06", "shop_07"})
        for (const std::string table : {"t_user", "t_order", "t_order_item"})
            expected.insert(shard + "." + table);
    CHECK(tables_of(model.plan.nodes[1]) == expected);
    std::set<std::string> databases;
    for (const PlannedDatabase& database : model.plan.nodes[1].databases) databases.insert(database.name);
    CHECK(databases == std::set<std::string>{"shardway_meta", "shardway_none", "shop", "legacy", "shop_04",
                                             "shop_05", "shop_06", "shop_07", "shop_by_order_04",
                                             "shop_by_order_05", "shop_by_order_06", "shop_by_order_07"});
}

TEST_CASE("a shard's table is the file's text under another name") {
    const Planned model =
        plan_of_model("CREATE TABLE IF NOT EXISTS shop . t_user (\n user_id BIGINT /* key */\n) ;");
    CHECK(table_named(model.plan.nodes[3], "shop_15.t_user").statement ==
          "CREATE TABLE IF NOT EXISTS `shop_15`.`t_user` (\n user_id BIGINT /* key */\n)");
    CHECK(table_named(model.plan.nodes[3], "shop_15.t_user").scratch_statement ==
          "CREATE TABLE IF NOT EXISTS `shardway_scratch`.`t_user` (\n user_id BIGINT /* key */\n)");
}

TEST_CASE("a single-node database lies on its node alone") {
    const Planned model = plan_of_model("USE legacy; CREATE TABLE old (id INT PRIMARY KEY);");
    CHECK(tables_of(model.plan.nodes[1]).count("legacy.old") == 1);
    CHECK(tables_of(model.plan.nodes[0]).count("legacy.old") == 0);
}

TEST_CASE("a table that the rules do not name is a single table, with an empty copy in every template") {
    const Planned model = plan_of_model("CREATE TABLE extra (id INT PRIMARY KEY)");
    for (const NodePlan& node : model.plan.nodes) CHECK(tables_of(node).count("shop.extra") == 1);
    CHECK(tables_of(model.plan.nodes[0]).count("shop_00.extra") == 0);
    // The rules' own tables are missing from this file, and the report says so.
    CHECK(model.plan.notes.size() == 5);
}

TEST_CASE("a locator lies in the shards of its own group only") {
    const Planned model = plan_of_model();
    REQUIRE(model.plan.locators.size() == 1);
    const PlannedLocator& locator = model.plan.locators.front();
    CHECK(locator.locator == "t_order__by_order_id");
    std::vector<NodePlan> nodes(4);
    plan_locator(locator, {{"order_id", "bigint(20)", "", ""}, {"user_id", "bigint(20)", "", ""}}, nodes);
    CHECK(tables_of(nodes[2]) == std::multiset<std::string>{"shop_by_order_08.t_order__by_order_id",
                                                            "shop_by_order_09.t_order__by_order_id",
                                                            "shop_by_order_10.t_order__by_order_id",
                                                            "shop_by_order_11.t_order__by_order_id"});
    CHECK(nodes[2].tables.front().statement ==
          "CREATE TABLE IF NOT EXISTS `shop_by_order_08`.`t_order__by_order_id` (`order_id` bigint(20) NOT "
          "NULL, "
          "`user_id` bigint(20) NOT NULL, ver BIGINT UNSIGNED NOT NULL DEFAULT 1, PRIMARY KEY (`order_id`)) "
          "ENGINE=InnoDB");
}

TEST_CASE("foreign keys stay in the shard, or lead to the node's copy of a reference table") {
    const Planned model = plan_of_model(
        "CREATE TABLE t_user (user_id BIGINT PRIMARY KEY);\n"
        "CREATE TABLE t_merchant (merchant_id BIGINT PRIMARY KEY);\n"
        "CREATE TABLE `t_order` (user_id BIGINT, merchant_id BIGINT,\n"
        "  FOREIGN KEY (user_id) REFERENCES shop.t_user (user_id),\n"
        "  FOREIGN KEY (merchant_id) REFERENCES t_merchant (merchant_id));");
    REQUIRE(model.plan.problems.empty());
    CHECK(table_named(model.plan.nodes[0], "shop_02.t_order").statement ==
          "CREATE TABLE IF NOT EXISTS `shop_02`.`t_order` (user_id BIGINT, merchant_id BIGINT,\n"
          "  FOREIGN KEY (user_id) REFERENCES `shop_02`.`t_user` (user_id),\n"
          "  FOREIGN KEY (merchant_id) REFERENCES `shop`.`t_merchant` (merchant_id))");
}

TEST_CASE("a foreign key that leaves its table group is refused, with its line") {
    const Planned model = plan_of_model(
        "CREATE TABLE t_setting (name VARCHAR(9) PRIMARY KEY);\n\n"
        "CREATE TABLE t_order (user_id BIGINT, s VARCHAR(9) REFERENCES t_setting (name));");
    REQUIRE(model.plan.problems.size() == 1);
    CHECK(model.plan.problems.front().rfind("schema.sql:3: ", 0) == 0);
}

TEST_CASE("what a schema file cannot hold is said with its line, all of it") {
    const Planned model = plan_of_model(
        "CREATE TABLE a (id INT);\n"
        "CREATE TABLE a (id INT);\n"
        "INSERT INTO a VALUES (1);\n"
        "CREATE TABLE b LIKE a;\n"
        "CREATE TABLE c (id INT,,);\n"
        "USE nowhere;\n"
        "DELETE FROM a;\n");
    REQUIRE(model.plan.problems.size() == 6);
    for (std::size_t i = 0; i < 6; ++i)
        CHECK(model.plan.problems[i].rfind("schema.sql:" + std::to_string(i + 2) + ": ", 0) == 0);
}

TEST_CASE("what a dump holds beside its tables is passed over") {
    const Planned model = plan_of_model(
        "-- a dump\n"
        "/*!40101 SET NAMES utf8mb4 */;\n"
        "DROP TABLE IF EXISTS `x`;\n"
        "CREATE TABLE `x` (id INT);\n"
        "LOCK TABLES `x` WRITE;\n"
        "UNLOCK TABLES;\n");
    CHECK(model.plan.problems.empty());
    REQUIRE(model.schema.passed_over.size() == 1);
    CHECK(model.schema.passed_over.front().rfind("schema.sql:3: ", 0) == 0);
    CHECK(model.schema.tables.size() == 1);
}

TEST_CASE("definitions agree whatever their names, counters and databases of foreign keys") {
    const std::string there =
        "CREATE TABLE `t` (\n  `id` bigint NOT NULL,\n  CONSTRAINT `t_ibfk_1` FOREIGN KEY (`id`) REFERENCES "
        "`u` (`id`)\n)"
        " ENGINE=InnoDB AUTO_INCREMENT=17 DEFAULT CHARSET=utf8mb4";
    const std::string wanted =
        "CREATE TABLE `t` (\n  `id` bigint NOT NULL,\n  CONSTRAINT `t_ibfk_1` FOREIGN KEY (`id`) REFERENCES "
        "`shop_00`.`u` (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";
    CHECK_FALSE(compare_definitions(there, wanted, "shop_00").differs);
    std::string other = wanted;
    other.replace(other.find("bigint"), 6, "int");
    const LineDifference difference = compare_definitions(there, other, "shop_00");
    CHECK(difference.differs);
    CHECK(difference.found == "  `id` bigint NOT NULL,");
    CHECK(difference.expected == "  `id` int NOT NULL,");
}
