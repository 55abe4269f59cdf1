#include "sqlparse/parser.hpp"

#include "sqlparse/scan.hpp"
#include "sqlparse/walk.hpp"
#include "tests/catch.hpp"

using namespace shardway::sqlparse;

namespace {

struct Parse {
    std::string text;
    ParseOptions options;
    Arena arena;
    Scan scanned;
    Parsed parsed;

    explicit Parse(std::string sql, ParseOptions with = {}) : text{std::move(sql)}, options{with} {
        scan(text, options, scanned);
        parsed = parse(text, options, arena, &scanned);
    }
    const Query& query() const { return *parsed.statement->as<Query>(); }
    std::string_view of(Span span) const { return span.of(text); }
};

bool accepts(std::string_view sql, ParseOptions options = {}) {
    Arena arena;
    const Parsed parsed = parse(sql, options, arena);
    if (!parsed)
        UNSCOPED_INFO(sql.substr(0, 300)
                      << ": " << parsed.error.message() << " | expected " << parsed.error.expected);
    return parsed.statement != nullptr;
}

}  // namespace

TEST_CASE("a select's parts have exact spans") {
    const Parse p{"SELECT t.a, DATABASE() AS d FROM shop.t_order AS t WHERE t.id IN (1, 2) LIMIT 5, 10"};
    REQUIRE(p.parsed);
    const Select& select = *p.query().select();
    CHECK(p.of(select.items[0].expr.span) == "t.a");
    CHECK(p.of(select.items[1].expr.span) == "DATABASE()");
    CHECK(p.of(select.items[1].span) == "DATABASE() AS d");
    const TableName& table = *select.from[0].as<TableName>();
    CHECK(p.of(table.name.span()) == "shop.t_order");
    CHECK(table.alias.text == "t");
    const InList& in = *select.where.as<InList>();
    CHECK(p.of(in.list) == "(1, 2)");
    CHECK(p.of(in.items[1].span) == "2");
    CHECK(in.items[0].as<Literal>()->hole == in.items[1].as<Literal>()->hole);
    CHECK(p.of(p.query().limit->span) == "LIMIT 5, 10");
    CHECK(p.of(p.query().limit->offset.span) == "5");
}

TEST_CASE("ordinary statements are accepted") {
    for (const char* sql : {
             "SELECT 1",
             "SELECT 1;",
             "SELECT c FROM sbtest1 WHERE id=12345",
             "SELECT DISTINCT a.*, b.x y FROM a LEFT JOIN b ON a.id = b.id, c WHERE a.x > 5 GROUP BY 1 "
             "HAVING COUNT(*) > 1 "
             "ORDER BY a.x DESC LIMIT 10 OFFSET 5 FOR UPDATE",
             "INSERT INTO t (a, b) VALUES (1, 'x'), (2, DEFAULT) ON DUPLICATE KEY UPDATE b = VALUES(b)",
             "INSERT t SET a = 1",
             "REPLACE INTO t SELECT * FROM u",
             "UPDATE t SET a = a + 1, b = DEFAULT WHERE id = 5 ORDER BY id LIMIT 1",
             "UPDATE a, b SET a.x = b.x WHERE a.id = b.id",
             "DELETE FROM t WHERE id = 1 LIMIT 1",
             "DELETE a, b.* FROM a JOIN b USING (id)",
             "DELETE FROM a USING a JOIN b ON a.id = b.id",
             "BEGIN",
             "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
             "COMMIT AND CHAIN",
             "ROLLBACK TO SAVEPOINT s",
             "SET NAMES utf8mb4 COLLATE utf8mb4_bin",
             "SET @a = 1, GLOBAL max_connections = 5, @@session.sql_mode = 'ANSI', autocommit = ON",
             "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
             "SHOW FULL TABLES FROM shop LIKE 'a%'",
             "SHOW CREATE TABLE t",
             "DESC t",
             "EXPLAIN FORMAT=JSON SELECT 1",
             "KILL QUERY 5",
             "USE shop",
             "CREATE TABLE t (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, s VARCHAR(20) DEFAULT 'x' "
             "COMMENT 'c', "
             "KEY k (s(5)), CONSTRAINT f FOREIGN KEY (s) REFERENCES u (s) ON DELETE CASCADE) ENGINE=InnoDB "
             "DEFAULT "
             "CHARSET=utf8mb4",
             "DROP TABLE IF EXISTS a, b",
             "TRUNCATE TABLE t",
             "CREATE DATABASE d CHARACTER SET utf8mb4",
             "ALTER TABLE t ADD COLUMN c INT AFTER b, DROP INDEX k, ADD UNIQUE KEY u (c)",
             "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT * FROM c",
             "(SELECT 1) UNION (SELECT 2) ORDER BY 1 LIMIT 1",
             "SELECT * FROM ((SELECT 1 AS a) UNION (SELECT 2)) AS x JOIN (t1, t2) ON 1 = 1",
             "SELECT ((SELECT 1) + 2) * 3, (SELECT 1) IN ((SELECT 2)), ((1, 2)) = ROW(1, 2)",
             "SELECT a->'$.x', a->>'$.y', CAST(a AS UNSIGNED), CONVERT(a USING utf8mb4), TRIM(LEADING 'x' "
             "FROM a), "
             "EXTRACT(DAY FROM a), a + INTERVAL 1 DAY, DATE '2020-01-01', _utf8mb4'x' COLLATE utf8mb4_bin, "
             "x'00', 0b1",
             "SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) "
             "FROM t",
         }) {
        CHECK(accepts(sql));
    }
}

TEST_CASE("a syntax error names its place as MySQL does") {
    Arena arena;
    const Parsed parsed = parse("SELECT *\nFROM t WHERE\n  AND x", {}, arena);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error.line == 3);
    CHECK(parsed.error.column == 3);
    CHECK(parsed.error.message() ==
          "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server "
          "version for the "
          "right syntax to use near 'AND x' at line 3");
}

TEST_CASE("one statement only") {
    Arena arena;
    CHECK(parse("", {}, arena).empty());
    CHECK(parse(" /* x */ -- y", {}, arena).empty());
    CHECK(parse("SELECT 1; -- x", {}, arena));
    CHECK(parse("SELECT 1; SELECT 2", {}, arena).error.kind == ParseErrorKind::several);
}

TEST_CASE("depth has a limit, and deep text is an error, not a crash") {
    ParseOptions options;
    const auto nested = [](std::size_t depth) {
        return "SELECT " + std::string(depth, '(') + "1" + std::string(depth, ')');
    };
    CHECK(accepts(nested(100), options));
    Arena arena;
    CHECK(parse(nested(100'000), options, arena).error.kind == ParseErrorKind::too_deep);
    std::string chain = "SELECT 1";
    for (int i = 0; i < 100'000; ++i) chain += "+1";
    CHECK(parse(chain, options, arena).error.kind == ParseErrorKind::too_deep);
    std::string flat = "SELECT 1 FROM t WHERE a = 1";
    for (int i = 0; i < 10'000; ++i) flat += " OR a = 1";
    CHECK(accepts(flat, options));
}

TEST_CASE("conditionless joins bind to the left") {
    const Parse p{"SELECT * FROM a JOIN b LEFT JOIN c ON a.x = c.x"};
    REQUIRE(p.parsed);
    const Join& outer = *p.query().select()->from[0].as<Join>();
    CHECK(outer.kind == JoinKind::left);
    CHECK(outer.left.as<Join>()->kind == JoinKind::inner);
    CHECK(p.of(outer.left.span) == "a JOIN b");
}

TEST_CASE("text that cannot be lexed ends in an error wherever it stands") {
    ParseOptions mariadb;
    mariadb.dialect = Dialect::mariadb;
    for (std::string head :
         {"ALTER TABLE t foo bar ", "CREATE TABLE t (a INT) PARTITION BY SYSTEM_TIME ", "SET ROLE ", "GRANT ",
          "CREATE PROCEDURE p() ", "SHOW PROFILE ", "FLUSH ", "SELECT "}) {
        head += '\0';
        CHECK_FALSE(accepts(head, mariadb));
        CHECK_FALSE(accepts(head));
    }
}

// As MySQL 9.7 and MariaDB 10.11 answer.
TEST_CASE("bytes of comparisons that stand together are one token, or none") {
    for (const char* sql :
         {"SELECT 1<=>!0", "SELECT 1>=!0", "SELECT 1!=!0", "SELECT 1>=-1", "SELECT 1>>!0", "SELECT 1<>-1",
          "SELECT @a:=!0", "SELECT 1|!0", "SELECT 1<<2", "SELECT !>0", "SELECT !<0", "SELECT = 1"})
        CHECK(accepts(sql) == (sql[7] != '='));
    for (const char* sql :
         {"SELECT 1=!0", "SELECT !<>0", "SELECT !=0", "SELECT 1>!0", "SELECT 1<!0", "SELECT 1<=!0",
          "SELECT 1<>!0", "SELECT 1==1", "SELECT 1=<1", "SELECT 1<<!0", "SELECT 1<<=1", "SELECT 1=>1",
          "SELECT 1><1", "SELECT 1>>=1", "SELECT 1<>=1", "SELECT 1<=<1"})
        CHECK_FALSE(accepts(sql));
    ParseOptions mariadb;
    mariadb.dialect = Dialect::mariadb;
    for (const char* sql : {"SELECT !!0", "SELECT 1=!0", "SELECT 1>!0", "SELECT 1<!0", "SELECT 1<=!0",
                            "SELECT 1<=>!0", "SELECT 1<>!0", "SELECT 1<<!0"})
        CHECK(accepts(sql, mariadb));
    for (const char* sql : {"SELECT !>0", "SELECT !<0", "SELECT !<>0", "SELECT 1==1", "SELECT 1=<1",
                            "SELECT 1<<=1", "SELECT 1=>1", "SELECT 1><1", "SELECT 1>>=1", "SELECT 1<>=1"})
        CHECK_FALSE(accepts(sql, mariadb));
    // To MySQL the second ! is gone.
    const Parse p{"SELECT !!0, ! !0"};
    REQUIRE(p.parsed);
    const auto operand = [&](std::size_t item) {
        return p.query().select()->items[item].expr.as<Unary>()->operand;
    };
    CHECK(operand(0).as<Literal>());
    CHECK(operand(1).as<Unary>());
}
