#include "sqlparse/scan.hpp"

#include <string>
#include <vector>

#include "sqlparse/lexer.hpp"
#include "sqlparse/parser.hpp"
#include "sqlparse/print.hpp"
#include "tests/catch.hpp"

using namespace shardway::sqlparse;

namespace {

Scan scanned(std::string_view text, ParseOptions options = {}) {
    Scan result;
    scan(text, options, result);
    return result;
}

bool same_key(std::string_view left, std::string_view right) {
    return scanned(left).key == scanned(right).key;
}

}  // namespace

TEST_CASE("plain values, spaces, comments and the case of reserved words do not count in the plan key") {
    CHECK(same_key("SELECT a FROM t WHERE id = 1", "select a from t where id=/* x */ 4711"));
    CHECK(same_key("SELECT a FROM t WHERE s = 'x'", "SELECT a FROM t WHERE s = \"it's\""));
    CHECK(same_key("UPDATE t SET a = 1 WHERE b = 2", "UPDATE t SET a = 5 WHERE b = 6 -- end"));
    CHECK(same_key("DELETE FROM t WHERE a BETWEEN 1 AND 2", "DELETE FROM t WHERE a BETWEEN 3 AND 4"));
    CHECK(same_key("INSERT INTO t (a, b) VALUES (1, 'x') ON DUPLICATE KEY UPDATE a = 5",
                   "INSERT INTO t (a, b) VALUES (2, 'y'), (3, 'z') ON DUPLICATE KEY UPDATE a = 6"));
    CHECK(same_key("SELECT a FROM t WHERE id IN (1, 2)", "SELECT a FROM t WHERE id IN (5)"));
    CHECK(same_key("SELECT x FROM (SELECT a AS x FROM t WHERE b = 1) d",
                   "SELECT x FROM (SELECT a AS x FROM t WHERE b = 2) d"));
}

TEST_CASE("what decides about the plan counts in its key") {
    for (const auto& [left, right] : std::vector<std::pair<const char*, const char*>>{
             {"SELECT a FROM t WHERE id = 1", "SELECT a FROM t WHERE id = '1'"},
             {"SELECT a FROM t WHERE id = 1", "SELECT a FROM t WHERE id = 1.0"},
             {"SELECT a FROM t WHERE id = 1", "SELECT a FROM t WHERE id = NULL"},
             {"SELECT a FROM t WHERE id = 1", "SELECT a FROM t WHERE id = TRUE"},
             {"SELECT a FROM t WHERE id = 1", "SELECT A FROM t WHERE id = 1"},
             {"SELECT a FROM t WHERE id = 1", "SELECT `a` FROM t WHERE id = 1"},
             {"SELECT a FROM t ORDER BY 1", "SELECT a FROM t ORDER BY 2"},
             {"SELECT a FROM t GROUP BY a + 1", "SELECT a FROM t GROUP BY a + 2"},
             {"SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2"},
             {"SELECT a FROM t LIMIT 1, 10", "SELECT a FROM t LIMIT 1, 11"},
             {"SELECT a + 1 FROM t", "SELECT a + 2 FROM t"},
             {"SELECT a + 1 FROM t", "SELECT a +  1 FROM t"},
             {"SELECT 'x' FROM t", "SELECT 'y' FROM t"},
             {"SELECT a FROM t WHERE f(b 'x') = 1", "SELECT a FROM t WHERE f(b 'y') = 1"},
             {"SELECT a FROM t WHERE f(DATE '2024-01-01' 'x')",
              "SELECT a FROM t WHERE f(DATE '2024-01-01' 'y')"},
             {"SELECT a FROM t WHERE f(1 'x', NULL 'y') = 1", "SELECT a FROM t WHERE f(1 'x', NULL 'z') = 1"},
             {"SELECT a AS 'x' FROM t", "SELECT a AS 'y' FROM t"},
             {"SELECT a FROM t WHERE CAST(b AS DECIMAL(10,2)) = 1",
              "SELECT a FROM t WHERE CAST(b AS DECIMAL(10,3)) = 1"},
             {"SELECT a FROM t WHERE b > NOW() - INTERVAL 1 DAY",
              "SELECT a FROM t WHERE b > NOW() - INTERVAL 2 DAY"},
             {"SELECT a FROM t WHERE b->'$.x' = 1", "SELECT a FROM t WHERE b->'$.y' = 1"},
             {"SELECT a FROM t WHERE JSON_EXTRACT(b, '$.x') = 1",
              "SELECT a FROM t WHERE JSON_EXTRACT(b, '$.y') = 1"},
             {"SELECT /*+ NO_MERGE() */ a FROM t", "SELECT a FROM t"},
             {"SELECT a FROM t WHERE id IN (1, 2)", "SELECT a FROM t WHERE id IN (1, 'x')"},
             {"SELECT a FROM t WHERE id IN (1, 2)", "SELECT a FROM t WHERE id IN (1, NULL)"},
             {"SELECT a FROM t WHERE id IN (1+2)", "SELECT a FROM t WHERE id IN (1,2)"},
             {"INSERT INTO t VALUES (1, 2)", "INSERT INTO t VALUES (1, NULL)"},
             {"INSERT INTO t VALUES (1), (2)", "INSERT INTO t VALUES (1), ('x')"},
             {"SELECT a FROM t HAVING a > 1", "SELECT a FROM t HAVING a > 2"},
             {"SET @a = 1", "SET @a = 2"},
             {"SELECT 1", "SELECT ?"},
             {"SELECT count(*) FROM t", "SELECT count (*) FROM t"},
         }) {
        INFO(left << " / " << right);
        CHECK_FALSE(same_key(left, right));
    }
}

TEST_CASE("literals of a collapsed list share a hole, and rows of a run theirs by column") {
    const Scan in = scanned("SELECT a FROM t WHERE x = 1 AND id IN (2, 3, 4) AND y = 5");
    REQUIRE(in.literals.size() == 5);
    CHECK(in.holes == 3);
    CHECK(in.literals[1].hole == 1);
    CHECK(in.literals[3].hole == 1);
    CHECK(in.literals[4].hole == 2);

    const Scan rows = scanned(
        "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, NULL) ON DUPLICATE KEY UPDATE x = 9");
    REQUIRE(rows.rows.size() == 4);
    CHECK(rows.rows[0].run == 0);
    CHECK(rows.rows[1].run == 0);
    CHECK(rows.rows[2].run == 1);
    CHECK(rows.rows[3].run == 1);
    REQUIRE(rows.literals.size() == 7);
    CHECK(rows.literals[2].hole == 0);
    CHECK(rows.literals[3].hole == 1);
    CHECK(rows.literals[4].hole == 2);
    CHECK(rows.literals[5].hole == 2);
    CHECK(rows.literals[6].hole == 3);
    CHECK(rows.rows[1].first_literal == 2);
    CHECK(rows.rows[3].first_literal == 5);
}

TEST_CASE("rows read by pattern are what the lexer reads") {
    // A comment at the end of a row keeps it from the short way.
    const auto text = [](const char* comment) {
        std::string sql = "INSERT INTO t VALUES ";
        for (int i = 0; i < 20; ++i)
            sql += std::string{i ? ", " : ""} + "(" + std::to_string(i) + ", 'a\\'b''c', -1.5, NOW(), NULL" +
                   comment + ")";
        return sql + " ON DUPLICATE KEY UPDATE a = 1";
    };
    const Scan fast = scanned(text(""));
    const Scan slow = scanned(text(" /**/"));
    CHECK(fast.key == slow.key);
    CHECK(fast.digest == slow.digest);
    CHECK(fast.holes == slow.holes);
    CHECK(fast.rows.size() == slow.rows.size());
    REQUIRE(fast.literals.size() == slow.literals.size());
    for (std::size_t i = 0; i < fast.literals.size(); ++i) {
        CHECK(fast.literals[i].hole == slow.literals[i].hole);
        CHECK(fast.literals[i].kind == slow.literals[i].kind);
        CHECK(fast.literals[i].length == slow.literals[i].length);
    }
    CHECK(fast.tokens.size() == slow.tokens.size());
}

TEST_CASE("the scanner's loop reads the tokens that the lexer reads") {
    for (const std::string_view text : {
             "SELECT c FROM sbtest1 WHERE id=12345 AND x = 1.5e3 or y=.5 AND z = 0x1F",
             "select t.c, t . d, `t`.select_ from t where a=b'01'and x='a''b'",
             "SELECT 1st, _utf8'x', n'y', @a, @@global.b, t.`x` FROM t1,t2 WHERE a<=>b AND c->'$.x' LIKE '%'",
             "INSERT INTO a(b,c) SELECT count(*), count (*) FROM x /*! WHERE a=1 */ # end",
             "SELECT very_long_identifier_beyond_sixteen_bytes FROM another_very_long_table_name_here",
         }) {
        const ParseOptions options;
        Lexer lexer{text, options};
        const Scan scan = scanned(text);
        std::size_t i = 0;
        for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next(), ++i) {
            REQUIRE(i < scan.tokens.size());
            CHECK(scan.tokens[i] == token.span());
        }
        CHECK(i == scan.tokens.size());
    }
}

TEST_CASE("anchors find a place again in a text with the same key") {
    const std::string first = "SELECT a FROM t_order WHERE id IN (1, 2, 3) LIMIT 5";
    const std::string second = "SELECT a FROM   t_order WHERE id IN (77777) LIMIT 5";
    const Scan scan_first = scanned(first);
    const Scan scan_second = scanned(second);
    REQUIRE(scan_first.key == scan_second.key);
    const auto offset = static_cast<std::uint32_t>(first.find("t_order"));
    const Anchor start = anchor_start(scan_first, offset);
    const Anchor end = anchor_end(scan_first, offset + 7);
    CHECK(second.substr(offset_of(scan_second, start),
                        offset_of(scan_second, end) - offset_of(scan_second, start)) == "t_order");
    const Anchor limit = anchor_start(scan_first, static_cast<std::uint32_t>(first.find("LIMIT")));
    CHECK(offset_of(scan_second, limit) == second.find("LIMIT"));
}

TEST_CASE("digests are for people") {
    const ParseOptions options;
    CHECK(digest_text("select  a from t where id in (1,2,3) and b='x'", options) ==
          "SELECT a FROM t WHERE id IN (...) AND b = ?");
    CHECK(digest_text("INSERT INTO t VALUES (1,2),(3,4)", options) == "INSERT INTO t VALUES (?, ?)");
    CHECK(scanned("SELECT a FROM t WHERE b = 1").digest == scanned("select a from t where b = 'x'").digest);
    CHECK(scanned("SELECT a FROM t LIMIT 1").digest == scanned("SELECT a FROM t LIMIT 2").digest);
    CHECK(scanned("SELECT a FROM t").digest != scanned("SELECT b FROM t").digest);
}

TEST_CASE("a multi-byte client charset is read by characters") {
    ParseOptions gbk;
    gbk.charset = CharsetClass::gbk;
    // 0xbf5c is one character of GBK: its second byte is no backslash.
    const std::string text = "SELECT '\xbf\\' , 'x'";
    CHECK(scanned(text, gbk).status == ScanStatus::ok);
    CHECK(scanned(text).status == ScanStatus::invalid);
    Arena arena;
    CHECK(parse(text, gbk, arena));
    CHECK_FALSE(parse(text, {}, arena));
}

// The loop over common tokens is not used for client charsets like gbk; ASCII text means the same in them.
TEST_CASE("the loop over common tokens counts what the lexer gives") {
    ParseOptions slow;
    slow.charset = CharsetClass::gbk;
    std::vector<std::string> texts = {
        "SELECT c FROM sbtest1 WHERE id=12345",
        "select  a,b , c from t where x = 1 and y=2",
        "SELECT name, bit, x, n FROM b WHERE x'61' = b'1' AND n = N'x'",
        "SELECT t.a, t . b, t.from FROM db.t WHERE t.id = 1",
        "SELECT a$b, $a, a$ FROM t$ WHERE a$=1",
        "UPDATE t SET a=1,b=2 WHERE c IN (1,2,3) LIMIT 5",
        "INSERT INTO t (a, b) VALUES (1, 2), (3, 4), (5, 'x') ON DUPLICATE KEY UPDATE a = 1",
        "INSERT INTO t (a, b) VALUES (1, 2), (3, x y z",
        "INSERT INTO t SELECT 1, distinct_, DISTINCT FROM u",
        "WITH c AS (SELECT 1) SELECT a FROM c",
        "DELETE FROM t WHERE a=!!0 OR b = !1 OR c==1",
        "DELETE FROM t WHERE id = 1st OR id = 1.5 OR id = 1e5 OR id = 0x1f OR id = "
        "123456789012345678901234567890",
        "SELECT a FROM t WHERE id=1234567 AND i2=12345678 AND i3=123456789 AND i4=1234567x",
        "SET a = 1, b = 2",
        "SHOW TABLES FROM d",
        "x",
        "1",
        "=",
        "  SELECT 1  ",
        "",
    };
    // Long texts pass the windows' ends at every place.
    for (std::size_t pad = 0; pad < 70; ++pad)
        texts.push_back("SELECT a FROM t WHERE id = " + std::string(pad + 1, '7') +
                        " AND long_name_number_one = 5 AND b IN (1, 2) AND " +
                        std::string(pad % 12 + 1, 'q') +
                        " = 12345678 AND customer_id=42 ORDER BY 1, two LIMIT 10");
    for (const std::string& text : texts) {
        // At every length, since what stands near the end is read with care.
        for (std::size_t size = 0; size <= text.size(); ++size) {
            const std::string part = text.substr(0, size);
            INFO(part);
            const Scan fast = scanned(part);
            const Scan careful = scanned(part, slow);
            REQUIRE(fast.status == careful.status);
            CHECK(fast.key == careful.key);
            CHECK(fast.digest == careful.digest);
            CHECK(fast.first == careful.first);
            CHECK(fast.holes == careful.holes);
            CHECK(fast.literals.size() == careful.literals.size());
            CHECK(std::vector<Span>(fast.tokens.begin(), fast.tokens.end()) ==
                  std::vector<Span>(careful.tokens.begin(), careful.tokens.end()));
            const ParseOptions options;
            Lexer common{part, options};
            Lexer other{part, slow};
            for (;;) {
                const Token token = common.next();
                const Token expected = other.next();
                REQUIRE(token.span() == expected.span());
                REQUIRE(token.kind == expected.kind);
                REQUIRE(token.keyword == expected.keyword);
                if (token.kind == TokenKind::end || token.kind == TokenKind::error) break;
            }
        }
    }
}

TEST_CASE("a hint follows its word alone: one behind another is a comment, whichever loop reads it") {
    for (const CharsetClass charset : {CharsetClass::ascii_safe, CharsetClass::gb18030}) {
        ParseOptions options;
        options.charset = charset;
        const auto tokens = [&](std::string_view text) { return scanned(text, options).tokens.size(); };
        CHECK(tokens("SELECT /*+ A() */ 1") == 3);
        CHECK(tokens("SELECT /*+ A() */ /*+ B() */ 1") == 3);
        CHECK(tokens("SELECT /*+ A() *//*+ B() */ 1 FROM t") == 5);
    }
    CHECK(same_key("SELECT /*+ A() */ /*+ B() */ 1", "SELECT /*+ A() */ 1"));
}
