#include "schema/from_ddl.hpp"

#include "sqlparse/arena.hpp"
#include "sqlparse/ast.hpp"
#include "sqlparse/parser.hpp"
#include "tests/catch.hpp"

using namespace shardway;
using namespace shardway::schema;

namespace {

Table table_of(std::string_view text, sqlparse::Dialect dialect = sqlparse::Dialect::mysql) {
    sqlparse::ParseOptions options;
    options.dialect = dialect;
    sqlparse::Arena arena;
    const auto parsed = sqlparse::parse(text, options, arena);
    INFO(text);
    REQUIRE(parsed);
    const auto* create = parsed.statement->as<sqlparse::CreateTable>();
    REQUIRE(create != nullptr);
    auto table = table_from_ddl(*create, parsed.statement->text, options);
    REQUIRE(table);
    return *table;
}

Column only_column(std::string_view definition) {
    return table_of("CREATE TABLE t (" + std::string{definition} + ")").columns.at(0);
}

}  // namespace

TEST_CASE("a CREATE TABLE gives the table that the catalog would") {
    const Table t = table_of(R"(CREATE TABLE t_order (
        user_id BIGINT NOT NULL,
        order_id BIGINT UNSIGNED,
        amount DECIMAL(12,2) NOT NULL DEFAULT '0.00',
        note VARCHAR(255) NULL,
        made DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
        total INT GENERATED ALWAYS AS (1 + 1) STORED,
        PRIMARY KEY (user_id, order_id),
        UNIQUE KEY uk (note(10), user_id),
        UNIQUE (made), UNIQUE (made), UNIQUE ((amount + 1)),
        KEY plain (note)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin)");
    CHECK(t.name == "t_order");
    CHECK(t.collation == "utf8mb4_bin");
    REQUIRE(t.columns.size() == 6);
    CHECK((t.columns[0].type == ColumnType::bigint));
    CHECK_FALSE(t.columns[0].nullable);
    CHECK(t.columns[1].is_unsigned);
    CHECK_FALSE(t.columns[1].nullable);  // by the primary key
    CHECK(t.columns[2].precision == 12);
    CHECK(t.columns[2].scale == 2);
    CHECK(t.columns[2].default_text == "0.00");
    CHECK(t.columns[3].nullable);
    CHECK(t.columns[3].length == 255);
    CHECK(t.columns[3].collation == "utf8mb4_bin");
    CHECK(t.columns[4].fsp == 6);
    CHECK(t.columns[4].default_is_clock);
    CHECK(t.columns[4].on_update_clock);
    CHECK(t.columns[5].generated);
    REQUIRE(t.unique_keys.size() == 5);
    CHECK(t.primary_key()->columns == std::vector<std::size_t>{0, 1});
    CHECK(t.unique_keys[1].name == "uk");
    CHECK(t.unique_keys[1].has_prefix);
    CHECK(t.unique_keys[2].name == "made");
    CHECK(t.unique_keys[3].name == "made_2");
    CHECK(t.unique_keys[4].has_expression);
}

TEST_CASE("character sets come from the column, the table, or the server's kind") {
    CHECK(only_column("a VARCHAR(9)").collation == "utf8mb4_0900_ai_ci");
    CHECK(table_of("CREATE TABLE t (a VARCHAR(9))", sqlparse::Dialect::mariadb).columns[0].collation ==
          "utf8mb4_general_ci");
    CHECK(only_column("a VARCHAR(9) CHARACTER SET latin1").collation == "latin1_swedish_ci");
    CHECK(only_column("a VARCHAR(9) CHARSET utf8").collation == "utf8mb3_general_ci");
    CHECK(only_column("a VARCHAR(9) COLLATE utf8_bin").charset == "utf8mb3");
    CHECK(only_column("a VARCHAR(9) BINARY").collation == "utf8mb4_bin");
    CHECK(only_column("a VARCHAR(9) CHARACTER SET latin1 BINARY").collation == "latin1_bin");
    CHECK((only_column("a VARCHAR(9) CHARACTER SET binary").type == ColumnType::varbinary));
    CHECK((only_column("a TEXT BYTE").type == ColumnType::blob));
    CHECK(only_column("a NCHAR(3)").charset == "utf8mb3");
    CHECK(only_column("a INT").charset.empty());
    CHECK(only_column("a ENUM('x') COLLATE utf8mb4_bin").collation == "utf8mb4_bin");
}

TEST_CASE("short forms mean what the manual says") {
    const Table serial = table_of("CREATE TABLE t (id SERIAL, b BOOL, c CHAR, d BIT, e DECIMAL, f LONGTEXT)");
    CHECK(serial.columns[0].auto_increment);
    CHECK(serial.columns[0].is_unsigned);
    CHECK_FALSE(serial.columns[0].nullable);
    REQUIRE(serial.unique_keys.size() == 1);
    CHECK(serial.unique_keys[0].name == "id");
    CHECK((serial.columns[1].type == ColumnType::tinyint));
    CHECK(serial.columns[2].length == 1);
    CHECK(serial.columns[3].length == 1);
    CHECK(serial.columns[4].precision == 10);
    CHECK(serial.columns[5].length == UINT32_MAX);
    CHECK(table_of("CREATE TABLE t (a INT PRIMARY KEY, b INT UNIQUE)").unique_keys.size() == 2);
    CHECK_FALSE(only_column("a DATETIME DEFAULT 'now()'").default_is_clock);
    CHECK(only_column("a DATE DEFAULT (CURDATE())").default_is_clock);
    CHECK_FALSE(only_column("a INT NOT NULL").has_default);
    CHECK(only_column("a INT").has_default);
    CHECK_FALSE(only_column("a INT DEFAULT NULL").default_text);
}
