// Rules against tables: nothing on clean ones, and each planted fault is found.
#include "rules/check.hpp"

#include <fstream>
#include <iterator>

#include "schema/from_ddl.hpp"
#include "sqlparse/arena.hpp"
#include "sqlparse/ast.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/parser.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::rules;

namespace {

const std::string check_rules_text = R"(version: 1
users: {app: {password: app}}
backend: {user: u, password: p}
nodes:
  node0: {primary: h:1}
databases:
  shop:
    default_node: node0
    groups:
      by_user:
        algorithm: {type: hash, slots: 8}
        place: {node0: 0-7}
        layout: {database: "shop_{shard}"}
      by_order:
        algorithm: {type: mod, slots: 8}
        place: {node0: 0-7}
        layout: {database: "order_{shard}"}
    tables:
      t_order:
        group: by_user
        key: user_id
        id: {column: order_id, generator: snowflake}
        locators: {order_id: {group: by_order}}
      t_item: {group: by_user, key: user_id}
)";

const std::string check_schema_text = R"(
CREATE TABLE t_order (
  user_id BIGINT NOT NULL,
  order_id BIGINT NOT NULL,
  note VARCHAR(20) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (order_id),
  UNIQUE KEY uk (user_id, note)
);
CREATE TABLE t_item (user_id BIGINT UNSIGNED NOT NULL, item_id BIGINT NOT NULL, PRIMARY KEY (user_id, item_id));
)";

schema::Catalog check_catalog(std::string_view text) {
    const sqlparse::ParseOptions options;
    schema::Catalog::Tables tables;
    while (!text.empty()) {
        const auto first = sqlparse::split_first(text, options);
        sqlparse::Arena arena;
        if (!first.blank) {
            const auto parsed = sqlparse::parse(first.statement, options, arena);
            INFO(first.statement);
            REQUIRE(parsed);
            const auto* create = parsed.statement->as<sqlparse::CreateTable>();
            REQUIRE(create != nullptr);
            auto table = schema::table_from_ddl(*create, parsed.statement->text, options);
            REQUIRE(table);
            tables.emplace(table->name, std::make_shared<const schema::Table>(*table));
        }
        text.remove_prefix(first.next);
    }
    return schema::Catalog{{{"shop", tables}}};
}

std::string exchanged(std::string text, std::string_view piece, std::string_view instead) {
    const std::size_t at = text.find(piece);
    INFO(piece);
    REQUIRE(at != std::string::npos);
    return text.replace(at, piece.size(), instead);
}

std::string checked(const std::string& rules_text, const std::string& schema_text) {
    const auto loaded = load_rules(rules_text, "f");
    std::string all;
    for (const auto& finding : loaded.findings) all += finding.text() + "\n";
    INFO(all);
    REQUIRE(loaded.rules);
    all.clear();
    for (const auto& finding : check_tables(*loaded.rules, loaded.places, check_catalog(schema_text)))
        all += finding.text() + "\n";
    return all;
}

}  // namespace

TEST_CASE("clean rules and tables give no finding") {
    CHECK(checked(check_rules_text, check_schema_text) == "");
    std::ifstream model{SHARDWAY_TESTS_DIR "/model/orders.sql"};
    const std::string orders{std::istreambuf_iterator<char>{model}, {}};
    const auto loaded = load_rules_file(SHARDWAY_TESTS_DIR "/model/shardway.yaml");
    REQUIRE(loaded.rules);
    CHECK(check_tables(*loaded.rules, loaded.places, check_catalog(orders)).empty());
}

TEST_CASE("each planted fault between rules and tables is found at its place") {
    struct Fault {
        std::string_view rules_piece, rules_instead, schema_piece, schema_instead, finding;
    };
    constexpr std::string_view item = "user_id BIGINT UNSIGNED NOT NULL, item_id";
    constexpr std::string_view rule = "t_item: {group: by_user, key: user_id}";
    const Fault faults[] = {
        {"", "", "CREATE TABLE t_item", "CREATE TABLE t_items",
         "no table 't_item' in the schema; expected 't_items'?"},
        {"", "", "UNIQUE KEY uk (user_id, note)", "UNIQUE KEY uk (note)",
         "unique key 'uk' (note) of table t_order without user_id"},
        {"", "", "UNIQUE KEY uk (user_id, note)", "UNIQUE KEY uk (note, (user_id + 1))", "without user_id"},
        {"        locators: {order_id: {group: by_order}}\n", "", "", "",
         "the primary key (order_id) of table t_order without user_id"},
        {"", "", item, "user_id DOUBLE NOT NULL, item_id", "its type double is floating"},
        {"", "", item, "user_id FLOAT NOT NULL, item_id", "its type float is floating"},
        {"", "", item, "user_id DECIMAL(20) NOT NULL, item_id",
         "its type decimal is none that keys may have"},
        {"", "", item, "user_id VARCHAR(20) NOT NULL, item_id",
         "its collation utf8mb4_0900_ai_ci calls different texts equal"},
        {"", "", item, "user_id VARCHAR(20) COLLATE utf8mb4_bin NOT NULL, item_id",
         "found key 'user_id' of table t_order (integers); expected utf8mb4 texts that pad, as table t_item"},
        {"", "", item, "user_id CHAR(20) CHARACTER SET utf16 COLLATE utf16_bin NOT NULL, item_id",
         "its character set utf16"},
        {"", "", item, "user_id TIMESTAMP NOT NULL, item_id", "cannot be hashed"},
        {"", "", item, "user_id JSON NOT NULL, item_id", "its type json"},
        {"", "", item, "user_id INT GENERATED ALWAYS AS (1) STORED NOT NULL, item_id", "generated column"},
        {"", "", "order_id BIGINT NOT NULL", "order_id INT NOT NULL",
         "column 'order_id' of type int for ids of snowflake; expected BIGINT"},
        {"generator: snowflake", "generator: uuid7", "", "",
         "for ids of uuid7; expected CHAR(36) or BINARY(16)"},
        {"generator: snowflake", "generator: segment", "order_id BIGINT NOT NULL",
         "order_id VARCHAR(20) COLLATE utf8mb4_bin NOT NULL", "for ids of segment"},
        {"column: order_id", "column: ordr_id", "", "",
         "'ordr_id', which table t_order does not have; expected 'order_id'?"},
        {"", "", "order_id BIGINT NOT NULL", "order_id VARCHAR(20) COLLATE utf8mb4_bin NOT NULL",
         "does not go with the algorithm, which takes integers"},
        {"", "", "item_id BIGINT NOT NULL", "item_id BIGINT NOT NULL AUTO_INCREMENT UNIQUE",
         "AUTO_INCREMENT on 'item_id', which each shard would count by itself"},
        {rule, "t_item: {group: by_user, key: user_id, gene: {column: item_id, bits: 3}}",
         "item_id BIGINT NOT NULL", "item_id SMALLINT NOT NULL", "with a gene"},
        {rule, "t_item: {group: by_user, key: user_id, gene: {column: itemid, bits: 3}}", "", "",
         "expected 'item_id'?"},
        {rule, "t_item: {group: by_user, key: usr_id}", "", "",
         "'usr_id', which table t_item does not have; expected 'user_id'?"},
        {rule, "t_item: {group: by_order, key: user_id}", item, "user_id DATE NOT NULL, item_id",
         "which takes integers"},
    };
    for (const auto& fault : faults) {
        const std::string rules = fault.rules_piece.empty()
                                      ? check_rules_text
                                      : exchanged(check_rules_text, fault.rules_piece, fault.rules_instead);
        const std::string schema =
            fault.schema_piece.empty()
                ? check_schema_text
                : exchanged(check_schema_text, fault.schema_piece, fault.schema_instead);
        const std::string findings = checked(rules, schema);
        INFO(fault.rules_instead << " / " << fault.schema_instead << "\n" << findings);
        CHECK(findings.find(fault.finding) != std::string::npos);
    }
    const std::string nullable =
        "CREATE TABLE t_item (user_id BIGINT, item_id BIGINT NOT NULL PRIMARY KEY, KEY (user_id));";
    const std::string schema =
        check_schema_text.substr(0, check_schema_text.find("CREATE TABLE t_item")) + nullable;
    CHECK(checked(check_rules_text, schema).find("it may be NULL") != std::string::npos);
    CHECK(checked(check_rules_text, schema)
              .find("f:24:32: databases.shop.tables.t_item.key: found column 'user_id'") !=
          std::string::npos);
}

TEST_CASE("a unique key over a prefix of the shard key does not keep it unique") {
    const std::string rules = exchanged(exchanged(check_rules_text, "t_item: {group: by_user, key: user_id}",
                                                  "t_word: {group: by_order, key: word}"),
                                        "type: mod, slots: 8", "type: hash, slots: 8");
    const std::string head = check_schema_text.substr(0, check_schema_text.find("CREATE TABLE t_item"));
    const std::string without_locator =
        exchanged(rules, "        locators: {order_id: {group: by_order}}\n", "");
    const std::string order = exchanged(head, "PRIMARY KEY (order_id)", "PRIMARY KEY (user_id, order_id)");
    CHECK(checked(
              without_locator,
              order + "CREATE TABLE t_word (word VARCHAR(9) COLLATE utf8mb4_bin NOT NULL, UNIQUE (word(3)));")
              .find("without word") != std::string::npos);
    CHECK(checked(
              without_locator,
              order + "CREATE TABLE t_word (word VARCHAR(9) COLLATE utf8mb4_bin NOT NULL, UNIQUE (word));") ==
          "");
}

TEST_CASE("a gene keeps a unique key of its column unique") {
    const std::string rules = exchanged(check_rules_text, "t_item: {group: by_user, key: user_id}",
                                        "t_item: {group: by_user, key: user_id, gene: {column: item_id, "
                                        "bits: 3}, id: {column: item_id, generator: snowflake}}");
    CHECK(checked(rules, exchanged(check_schema_text, "PRIMARY KEY (user_id, item_id)",
                                   "PRIMARY KEY (item_id)")) == "");
}
