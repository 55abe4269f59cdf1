// SHARDWAY statements as they are written.
#include "middleware/admin/statement.hpp"

#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::admin;

namespace {

const sqlparse::ParseOptions options;

Statement parsed(std::string_view text) {
    const auto result = parse_statement(text, options);
    REQUIRE(result.has_value());
    return result.value();
}

bool is_refused(std::string_view text) {
    const auto result = parse_statement(text, options);
    return result.has_error() && result.error().code == 1064;
}

}  // namespace

TEST_CASE("SHARDWAY statements are told from others by their first word") {
    CHECK(is_shardway_statement("SHARDWAY HELP", options));
    CHECK(is_shardway_statement("  shardway show nodes", options));
    CHECK(is_shardway_statement("/* a */ -- b\n SHARDWAY", options));
    CHECK(is_shardway_statement("shardway", options));
    CHECK_FALSE(is_shardway_statement("SHOW TABLES", options));
    CHECK_FALSE(is_shardway_statement("SELECT * FROM shardway", options));
    CHECK_FALSE(is_shardway_statement("shardways", options));
    CHECK_FALSE(is_shardway_statement("`shardway`", options));
    CHECK_FALSE(is_shardway_statement("/* SHARDWAY */ SELECT 1", options));
    CHECK_FALSE(is_shardway_statement("s", options));
    CHECK_FALSE(is_shardway_statement("", options));
}

TEST_CASE("SHARDWAY statements") {
    CHECK(parsed("SHARDWAY HELP").kind == StatementKind::help);
    CHECK(parsed("shardway show nodes;").kind == StatementKind::show_nodes);
    CHECK(parsed("SHARDWAY SHOW STATUS").kind == StatementKind::show_status);
    CHECK(parsed("SHARDWAY SHOW PROCESSLIST").full == false);
    CHECK(parsed("SHARDWAY SHOW FULL PROCESSLIST").full);
    const Statement tables = parsed("SHARDWAY SHOW TABLES FROM `shop` LIKE 't\\_%' -- all of them");
    CHECK(tables.kind == StatementKind::show_tables);
    CHECK(tables.database == "shop");
    CHECK(tables.like == "t\\_%");
    CHECK(parsed("SHARDWAY SHOW SHARDS IN shop").database == "shop");
    CHECK_FALSE(parsed("SHARDWAY SHOW SHARDS").like);
}

TEST_CASE("what SHARDWAY does not know is refused, and the error says what there is") {
    for (const char* text :
         {"SHARDWAY", "SHARDWAY SHOW", "SHARDWAY SHOW FULL NODES", "SHARDWAY SHOW NODES FROM shop",
          "SHARDWAY SHOW TABLES FROM", "SHARDWAY SHOW TABLES LIKE", "SHARDWAY SHOW TABLES LIKE 1",
          "SHARDWAY HELP me", "SHARDWAY SHOW NODES; SHARDWAY SHOW NODES", "SHARDWAY DROP NODES",
          "SHARDWAY SHOW NODES LIKE 'a", "SHARDWAY \x01"}) {
        INFO(text);
        CHECK(is_refused(text));
    }
    const auto unknown = parse_statement("SHARDWAY SHOW FOO", options);
    CHECK(unknown.error().message.find("near 'FOO'") != std::string::npos);
    for (const auto& [statement, what] : statement_help())
        if (statement.starts_with("SHARDWAY"))
            CHECK(unknown.error().message.find(statement) != std::string::npos);
}

TEST_CASE("everything that HELP lists is understood") {
    for (const auto& [statement, what] : statement_help()) {
        if (!statement.starts_with("SHARDWAY")) continue;
        std::string text;
        for (const char c : statement)
            if (c != '[' && c != ']') text += c;
        const std::size_t from = text.find("database");
        if (from != text.npos) text.replace(from, 8, "shop");
        INFO(text);
        CHECK(parse_statement(text, options).has_value());
    }
}
