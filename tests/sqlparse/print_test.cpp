#include "sqlparse/print.hpp"

#include <string>
#include <string_view>

#include "sqlparse/edits.hpp"
#include "sqlparse/literal.hpp"
#include "sqlparse/parser.hpp"
#include "sqlparse/tables.hpp"
#include "sqlparse/walk.hpp"
#include "tests/catch.hpp"

using namespace shardway::sqlparse;

namespace {

std::string printed(std::string_view sql, ParseOptions options = {}) {
    Arena arena;
    const Parsed parsed = parse(sql, options, arena);
    return parsed ? print(*parsed.statement, options) : "error: " + parsed.error.message();
}

}  // namespace

TEST_CASE("the printer puts parentheses where precedence asks for them, and nowhere else") {
    CHECK(printed("select ((a+b))*c, a+(b*c), -(-1), not (a and b), (a or b) and c") ==
          "SELECT (a + b) * c, a + b * c, - - 1, NOT (a AND b), (a OR b) AND c");
    CHECK(printed("select (a=b)=c, a=(b=c), (a in (1)) is null, (not a) is null") ==
          "SELECT a = b = c, a = (b = c), a IN (1) IS NULL, (NOT a) IS NULL");
    CHECK(printed("select (-a) collate x, (@a := 1) + 1") == "SELECT (- a) COLLATE x, (@a := 1) + 1");
}

TEST_CASE("printed text keeps names, literals and hints, and drops comments") {
    CHECK(printed("select /*+ X */ `a``b`, t . x /* c */ from `T` where s='it''s' -- e") ==
          "SELECT /*+ X */ `a``b`, t.x FROM `T` WHERE s = 'it''s'");
    CHECK(printed("insert into t(a)values(1),(2)on duplicate key update a=values(a)") ==
          "INSERT INTO t (a) VALUES (1), (2) ON DUPLICATE KEY UPDATE a = values(a)");
}

TEST_CASE("names of a loadable function's arguments are printed") {
    CHECK(printed("select f(a b, 1, 2 as 'c d', x.y `z`)") == "SELECT f(a AS b, 1, 2 AS 'c d', x.y AS `z`)");
}

TEST_CASE("signs in front of a comment do not become one") {
    ParseOptions mariadb;
    mariadb.dialect = Dialect::mariadb;
    const std::string text = printed("ALTER TABLE t D COLUMN x----- t", mariadb);
    CHECK(text == "ALTER TABLE t D COLUMN x- - -");
    CHECK(printed(text, mariadb) == text);
    Arena arena;
    Arena other_arena;
    const Parsed first = parse("ALTER TABLE t D COLUMN x----- t", mariadb, arena);
    const Parsed second = parse(text, mariadb, other_arena);
    CHECK(dump(*first.statement, mariadb) == dump(*second.statement, mariadb));
}

TEST_CASE(
    "trees are compared in the client's charset: a string may end with a character whose last byte is a "
    "backslash") {
    ParseOptions sjis;
    sjis.charset = CharsetClass::sjis;
    const std::string text = "SELECT'\x81\x5c', \x81\x60 '\x81\x5c', \x81\x60";
    Arena arena;
    Arena other_arena;
    const Parsed first = parse(text, sjis, arena);
    REQUIRE(first);
    const std::string again = printed(text, sjis);
    const Parsed second = parse(again, sjis, other_arena);
    CHECK(dump(*first.statement, sjis) == dump(*second.statement, sjis));
}

TEST_CASE("INTO is printed where it was written") {
    CHECK(printed("select 1 union (select 2 into @x from dual)") ==
          "SELECT 1 UNION (SELECT 2 INTO @x FROM DUAL)");
    CHECK(printed("explain select 1 into @v from t where a in (select b from u)") ==
          "explain SELECT 1 INTO @v FROM t WHERE a IN (SELECT b FROM u)");
    CHECK(printed("explain format=json into @ select 1") == "explain FORMAT = json INTO @ SELECT 1");
    CHECK(printed("select a from t limit 1 into @v") == "SELECT a FROM t LIMIT 1 INTO @v");
    CHECK(printed("with c as (select 1) select a into @v from c") ==
          "WITH c AS (SELECT 1) SELECT a INTO @v FROM c");
}

TEST_CASE("edits change their spans and nothing else") {
    const std::string text = "SELECT  a FROM  t -- x";
    Edits edits;
    CHECK(edits.apply(text) == text);
    edits.replace({16, 1}, "shop_03.t");
    edits.insert(9, " AS x");
    edits.insert(9, ", b");
    edits.remove({17, 5});
    CHECK(edits.apply(text) == "SELECT  a AS x, b FROM  shop_03.t");
    CHECK(edits.apply(text, {8, 9}) == "a AS x, b FROM  shop_03.t");
}

TEST_CASE("literals give their bytes") {
    const ParseOptions options;
    CHECK(literal_bytes(LiteralKind::string, "'a\\n\\'''b' 'c'", options) == "a\n''bc");
    CHECK(literal_bytes(LiteralKind::string, "_latin1 'x'", options) == "x");
    CHECK(literal_bytes(LiteralKind::hex, "x'4142'", options) == "AB");
    CHECK(literal_bytes(LiteralKind::hex, "0x141", options) ==
          "\x01"
          "A");
    CHECK(literal_bytes(LiteralKind::bit, "b'100000001'", options) == std::string{"\x01\x01"});
    CHECK(literal_bytes(LiteralKind::date, "DATE '2024-01-01'", options) == "2024-01-01");
    CHECK(literal_charset("_UTF8 'x'") == "utf8mb3");
    CHECK(integer_value("18446744073709551615") == UINT64_MAX);
    CHECK_FALSE(integer_value("18446744073709551616"));
    CHECK(quote_string("a'\\", options) == "'a''\\\\'");
    CHECK(quote_name("a`b") == "`a``b`");
}

TEST_CASE("the tables of a statement, without its common tables") {
    Arena arena;
    const std::string sql =
        "WITH c AS (SELECT * FROM a) DELETE x FROM d.b AS x JOIN c JOIN a WHERE EXISTS (SELECT f(1) FROM e)";
    const Parsed parsed = parse(sql, {}, arena);
    REQUIRE(parsed);
    std::string names;
    for (const QualifiedName& name : tables_of(*parsed.statement))
        names += std::string{name.span().of(sql)} + " ";
    CHECK(names == "a d.b e ");
}

TEST_CASE("text beyond its limit is an error, at the limit it is not") {
    ParseOptions options;
    options.text_bytes_max = 8;
    Arena arena;
    CHECK(parse("SELECT 1", options, arena));
    CHECK(parse("SELECT 12", options, arena).error.kind == ParseErrorKind::too_long);
}

TEST_CASE("nesting is allowed up to its limit") {
    ParseOptions options;
    options.depth_max = 20;
    Arena arena;
    std::size_t deepest = 0;
    for (std::size_t depth = 1; depth < 30; ++depth)
        if (parse("SELECT " + std::string(depth, '(') + "1" + std::string(depth, ')'), options, arena))
            deepest = depth;
    CHECK(deepest >= 5);
    CHECK(deepest < 20);
}

TEST_CASE("dialects and modes read differently") {
    ParseOptions mariadb;
    mariadb.dialect = Dialect::mariadb;
    Arena arena;
    CHECK(parse("INSERT INTO t VALUES (1) RETURNING id", mariadb, arena));
    CHECK_FALSE(parse("INSERT INTO t VALUES (1) RETURNING id", {}, arena));
    ParseOptions ansi;
    ansi.modes = SqlModes::from_text("STRICT_TRANS_TABLES,ANSI");
    CHECK(printed("SELECT \"a\" || 'b' FROM \"t\"", ansi) == "SELECT \"a\" || 'b' FROM \"t\"");
    CHECK(printed("SELECT a || b") == "SELECT a OR b");
}
