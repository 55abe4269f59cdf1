"""Bad input gets the error a server would give, and the session goes on."""
import pymysql

from harness import Context, contains, equal, holds

CASES = [
    # statement, numbers that fit, what the text must hold
    ("SELECT * FROM nope", [1146], "Table 'shop.nope' doesn't exist"),
    ("SELECT * FROM shop.nope WHERE user_id = 1", [1146], "Table 'shop.nope' doesn't exist"),
    ("INSERT INTO nope VALUES (1)", [1146], "Table 'shop.nope' doesn't exist"),
    ("UPDATE nope SET a = 1", [1146], "Table 'shop.nope' doesn't exist"),
    ("DELETE FROM nope WHERE user_id = 1", [1146], "Table 'shop.nope' doesn't exist"),
    ("SELECT * FROM t_user u JOIN nope n ON n.id = u.user_id WHERE u.user_id = 1", [1146], "'shop.nope'"),
    ("SELECT * FROM T_USER WHERE user_id = 1", [1146], "Table 'shop.T_USER' doesn't exist"),
    ("SELECT * FROM nowhere.t", [1049, 1044, 1142], ""),
    ("USE nowhere", [1049, 1044], "nowhere"),
    ("SELEC 1", [1064], "near 'SELEC 1' at line 1"),
    ("SELECT *\nFROM t_user\nWHERE AND user_id = 1", [1064], "near 'AND user_id = 1' at line 3"),
    ("SELECT 'unfinished", [1064], "near ''unfinished' at line 1"),
    ("SELECT (1", [1064], "near '' at line 1"),
    ("SELECT 1; SELECT 2", [1064], "near 'SELECT 2' at line 1"),
    ("SELECT * FROM t_order WHERE user_id = 1 LIMIT 1 LIMIT 2", [1064], "near 'LIMIT 2' at line 1"),
    ("SELECT nope FROM t_user WHERE user_id = 1", [1054], "Unknown column 'nope'"),
    ("INSERT INTO t_user (user_id, nope) VALUES (1, 2)", [1054], "Unknown column 'nope'"),
    ("INSERT INTO t_user (user_id, name) VALUES (1)", [1136], "Column count doesn't match value count at row 1"),
    ("INSERT INTO t_user VALUES (1, 'a', 'b')", [1136], "Column count doesn't match value count at row 1"),
    ("INSERT INTO t_user (user_id, name, created_at) VALUES (1, 'a', NOW()), (2, 'b')", [1136], "at row 2"),
    ("SELECT user_id FROM t_user u, t_order o WHERE u.user_id = 1 AND o.user_id = 1", [1052], "ambiguous"),
    ("SELECT nope.user_id FROM t_user WHERE user_id = 1", [1054, 1109], "nope"),
    ("SELECT no_such_function(1)", [1305, 1630, 1046, 1235], "no_such_function"),
    ("SET no_such_variable = 1", [1193], "Unknown system variable 'no_such_variable'"),
    ("SET NAMES nocharset", [1115], "Unknown character set: 'nocharset'"),
    ("SET SESSION time_zone = 'Nowhere/Here'", [1298], "Unknown or incorrect time zone: 'Nowhere/Here'"),
    ("SET SESSION sql_mode = 'NOT_A_MODE'", [1231], "NOT_A_MODE"),
    ("KILL 4000000000", [1094], "Unknown thread id: 4000000000"),
    ("", [1065], "Query was empty"),
]


def test_each_error(context: Context):
    problems = []
    with context.client() as client:
        for statement, numbers, part in CASES:
            try:
                code, text = client.error(statement)
                if code not in numbers or part not in text:
                    problems.append(f"{statement!r}: {code} {text}, expected {numbers} {part!r}")
                equal(client.one("SELECT 1"), 1)
            except AssertionError as problem:
                problems.append(str(problem))
    holds(not problems, "\n".join(problems))


def test_sqlstate(context: Context):
    done = context.cli("mariadb", "-uapp", "-papp", "shop", statement="SELECT * FROM nope", check=False)
    contains(done.stderr, "ERROR 1146 (42S02)")
    done = context.cli("mariadb", "-uapp", "-pwrong", "shop", statement="SELECT 1", check=False)
    contains(done.stderr, "ERROR 1045 (28000)")


def test_a_long_statement_with_an_error_at_its_end(context: Context):
    with context.client() as client:
        code, text = client.error("SELECT " + "1 + " * 400 + "FROM")
        equal(code, 1064)
        holds(len(text) < 1000, text)


def test_a_statement_of_comments_alone(context: Context):
    """MySQL answers 1065, MariaDB OK; either way the session goes on."""
    with context.client() as client:
        for statement in ("-- nothing", "/* nothing */", " ; "):
            try:
                client.query(statement)
            except pymysql.err.MySQLError as error:
                equal(error.args[0], 1065)
            equal(client.one("SELECT 1"), 1)


def test_deep_nesting_is_survived(context: Context):
    with context.client() as client:
        for statement in ("SELECT " + "(" * 20000 + "1" + ")" * 20000, "SELECT " + "NOT " * 50000 + "1",
                          "SELECT " + "-" * 1 + " -".join([""] * 30000) + "1", "SELECT 1" + " + 1" * 50000,
                          "SELECT * FROM " + "(SELECT * FROM " * 3000 + "t_user" + ") t" * 3000):
            try:
                client.query(statement)
            except pymysql.err.MySQLError as error:
                holds(1000 <= error.args[0] < 2000 or error.args[0] >= 3000, f"the connection was lost: {error}"[:300])
            equal(client.one("SELECT 1"), 1)


def test_comments_alone_are_a_statement(context: Context):
    with context.client() as client, context.nodes[0].connect() as server:
        for text in ["/* x */", "-- x\n", "# x", "/*!99999 SET x */", "/* x */;", "", " ", ";", " ;"]:
            answers = []
            for run in (client.query, server.cursor().execute):
                try:
                    run(text)
                    answers.append("ok")
                except Exception as error:
                    answers.append(error.args[0])
            equal(answers[0], answers[1], repr(text))
