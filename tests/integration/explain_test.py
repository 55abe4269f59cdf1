"""EXPLAIN SHARDWAY and `shardway explain`: they say the same to the byte, and what they say is what the nodes hear."""
import json
import re

from harness import MODEL, Context, contains, equal, error_of, holds

RUNS = [  # runs and is compared with the general logs; "some": a limit may spare the last parts
    "SELECT * FROM t_order WHERE user_id = 42",
    "SELECT o.order_id, i.sku FROM t_order o JOIN t_order_item i USING (user_id, order_id) WHERE o.user_id = '42'",
    "SELECT COUNT(*) FROM t_order WHERE user_id = 42 AND user_id = 43",
    "SELECT note FROM t_order WHERE user_id IN (1, 2, 3, 4, 5, 6)",
    "SELECT * FROM t_order WHERE merchant_id = 7 ORDER BY created_at DESC, order_id DESC LIMIT 20",
    "SELECT order_id FROM t_order ORDER BY note, amount LIMIT 3, 2",
    "SELECT merchant_id, COUNT(*) AS n, AVG(amount) FROM t_order GROUP BY merchant_id ORDER BY n DESC, merchant_id LIMIT 10",
    "SELECT DISTINCT city FROM t_user ORDER BY city",
    "SELECT MIN(created_at), MAX(note) FROM t_order",
    "SELECT name FROM t_merchant WHERE merchant_id = 1",
    "SELECT u.name, m.name FROM t_user u JOIN t_merchant m ON m.merchant_id = u.user_id",
    "SELECT value FROM t_setting WHERE name = 'x'",
    "SELECT 'it''s', \"a\\b\", NULL, 1.50",
    "SELECT DATABASE(), USER(), CURRENT_USER(), @@version_comment, @@autocommit",
    "SHOW TABLES",
    "SHOW CREATE TABLE t_order",
    "INSERT INTO t_user (user_id, name, created_at) VALUES (901, 'a', NOW()), (902, 'b', NOW()), (903, 'c', '2026-01-01')",
    "INSERT INTO t_user SET user_id = 904, name = 'd', created_at = NOW()",
    "UPDATE t_user SET city = 'x' WHERE user_id = 901",
    "UPDATE t_merchant SET city = 'x' WHERE merchant_id = 1",
    "DELETE FROM t_user WHERE user_id = 904",
    "DELETE FROM t_user WHERE user_id IN (2, 4)",  # two shards of one node
]
EXPLAINED = [  # the two ways are compared
    "SELECT * FROM t_order LIMIT 7 -- with a comment",
    "SELECT\n  order_id\nFROM t_order\nWHERE user_id = 42;",
    "SELECT CONNECTION_ID() + 0 FROM t_merchant WHERE 1 = 0 AND name = '\u00e9\u4f60'",
    "BEGIN", "SET autocommit = 1", "USE shop", "SHOW WARNINGS",
    "EXPLAIN SELECT * FROM t_order WHERE user_id = 42",
    "SELECT * FROM t_user u LEFT JOIN t_order o ON o.user_id = u.user_id AND o.status = 1",
]
REFUSED = [
    "SELECT * FROM nosuch", "SELEC 1", "", "SELECT * FROM legacy.t",
    "INSERT INTO t_order (order_id) VALUES (1)", "UPDATE t_user SET user_id = 2 WHERE user_id = 1",
    "SELECT GROUP_CONCAT(note) FROM t_order", "EXPLAIN SHARDWAY SELECT 1", "SELECT 1; SELECT 2",
]
# What a statement's connection is told around it.
AROUND = re.compile(r"(?i)(BEGIN|START TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT|RELEASE SAVEPOINT|SHOW WARNINGS)\b")


def prepare(context: Context):
    with context.client() as client:
        client.query("INSERT INTO t_merchant (merchant_id, name) VALUES (1, 'm')")
        for user in (1, 2, 3, 42):
            client.query(f"INSERT INTO t_user (user_id, name, city, created_at) VALUES ({user}, 'u', 'c{user}', NOW())")
            client.query("INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) VALUES "
                         f"({user}, {user}, 7, 1, 1.5, 'n{user}', NOW())")


def in_sql(client, statement: str, form: str = "") -> str:
    return "\n".join(line for (line,) in client.query(f"EXPLAIN SHARDWAY {form}{statement}")) + "\n"


def by_command(context: Context, statement: str, *more: str, check: bool = True):
    return context.cluster.run("explain", "--config", str(context.cluster.rules_file), "--user", "app", "--database", "shop",
                               *more, statement, check=check)


def test_both_ways_agree_to_the_byte(context: Context):
    with context.client() as client:
        for statement in RUNS + EXPLAINED:
            if "CONNECTION_ID" in statement:  # what only a session knows
                continue
            equal(by_command(context, statement).stdout, in_sql(client, statement), f"shardway explain {statement!r}")
            equal(by_command(context, statement, "--json").stdout, in_sql(client, statement, "FORMAT=JSON "),
                  f"shardway explain --json {statement!r}")


def test_a_schema_file_tells_as_much_as_a_node(context: Context):
    schema = ["--schema", str(MODEL / "orders.sql")] + (["--mariadb"] if context.kind == "mariadb" else [])
    with context.client() as client:
        for statement in RUNS + EXPLAINED:
            if "CONNECTION_ID" not in statement:
                equal(by_command(context, statement, *schema).stdout, in_sql(client, statement), statement)


def test_the_texts_are_what_the_nodes_hear(context: Context):
    with context.client() as client:
        for statement in RUNS:
            explained = json.loads(in_sql(client, statement, "FORMAT=JSON "))
            expected = sorted((part["node"], part["text"].strip()) for part in explained["parts"])
            heard = context.sent(lambda: client.query(statement))
            told = sorted((node, text) for node, texts in heard.items() for text in texts if not AROUND.match(text))
            if expected and expected[0][0] is None:
                equal(explained["goes_to"], "any of 4 nodes")
                told = [(None, text) for _, text in told]
            equal(told, expected, f"what the nodes heard of {statement!r}")
            holds(expected, f"{statement} goes nowhere")
            holds(explained["goes_to"], statement)


def test_nothing_is_run(context: Context):
    with context.client() as client:
        def ask():
            for statement in RUNS:
                client.query("EXPLAIN SHARDWAY " + statement)
        equal(context.sent(ask), {})
        client.query("EXPLAIN SHARDWAY DELETE FROM t_user WHERE user_id = 42")
        equal(client.one("SELECT COUNT(*) FROM t_user WHERE user_id = 42"), 1)
        client.query("EXPLAIN SHARDWAY BEGIN")
        client.query("INSERT INTO t_merchant (merchant_id, name) VALUES (2, 'x')")
        client.query("ROLLBACK")
        equal(client.one("SELECT COUNT(*) FROM t_merchant WHERE merchant_id = 2"), 1, "rows after ROLLBACK without BEGIN")


def test_what_is_refused_says_its_error(context: Context):
    with context.client() as client:
        for statement in REFUSED:
            if statement:  # EXPLAIN SHARDWAY alone is DESCRIBE of a table
                code, text = client.error("EXPLAIN SHARDWAY " + statement)
                if "; " not in statement and "SHARDWAY" not in statement:  # which a session may run
                    ran = client.error(statement)
                    equal((code, text.split(" near ")[0]), (ran[0], ran[1].split(" near ")[0]), f"the error of {statement!r}")
            done = by_command(context, statement, check=False)
            equal(done.returncode, 1, f"status of shardway explain {statement!r}: {done.stdout}{done.stderr}")
            equal(done.stdout, "")
            said = re.fullmatch(r"ERROR (\d+) \((.{5})\): (.*)\n", done.stderr, re.S)
            holds(said, done.stderr)
            if statement:
                equal((int(said.group(1)), said.group(3)), (code, text))
            error = json.loads(by_command(context, statement, "--json", check=False).stdout)["error"]
            equal((error["code"], error["sqlstate"]), (int(said.group(1)), said.group(2)))


def test_it_is_the_sessions_own_plan(context: Context):
    with context.client() as client:
        client.query("BEGIN")
        client.query("UPDATE t_user SET name = 'v' WHERE user_id = 42")
        explained = json.loads(in_sql(client, "SELECT name FROM t_merchant", "FORMAT=JSON "))
        equal(explained["parts"][0]["node"], context.node_of(42), "a transaction's first node reads copies")
        client.query("ROLLBACK")
        equal(json.loads(in_sql(client, "SELECT name FROM t_merchant", "FORMAT=JSON "))["parts"][0]["node"], None)
        client.query("SET sql_mode = 'ANSI_QUOTES'")
        contains(in_sql(client, 'SELECT "name" FROM t_user WHERE "user_id" = 42'), "1 of 16 shards")
    with context.client(user="ops", password="ops", database=None) as client:
        contains(in_sql(client, "SELECT * FROM shop.t_user WHERE user_id = 42"), "default database shardway_none")
        equal(client.error("EXPLAIN SHARDWAY SELECT * FROM t_user")[0], 1046)


def test_wrong_options_and_no_node(context: Context):
    done = by_command(context, "SELECT 1", "--schema", "/nowhere/schema.sql", check=False)
    equal(done.returncode, 2)
    contains(done.stderr, "cannot read /nowhere/schema.sql")
    for option, value, wanted in (("--user", "nobody", "no user 'nobody'"), ("--database", "nosuch", "no database 'nosuch'")):
        done = context.cluster.run("explain", "--config", str(context.cluster.rules_file), option, value, "SELECT 1", check=False)
        equal(done.returncode, 2)
        contains(done.stderr, wanted)
    dead = context.cluster.folder / "dead.yaml"
    dead.write_text(re.sub(r"node(\d): {primary: [^\s}]+", r"node\1: {primary: 127.0.0.1:1\1",
                           context.cluster.rules_file.read_text()))
    done = context.cluster.run("explain", "--config", str(dead), "SELECT * FROM t_user", check=False)
    equal((done.returncode, done.stdout), (1, ""))
    contains(done.stderr, "no node answers")
    contains(done.stderr, "--schema")
    error_of(lambda: context.query("EXPLAIN SHARDWAY"))
