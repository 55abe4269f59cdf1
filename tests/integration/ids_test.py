"""Ids that the client leaves to us: unique, with their slot where the rules say so, and numbered as one server does."""
import re
import signal
import threading
import zlib

import pymysql

from harness import Client, Context, contains, equal, holds

TABLES = """
CREATE TABLE item (id BIGINT NOT NULL AUTO_INCREMENT, user_id BIGINT NOT NULL, k INT, v INT,
  PRIMARY KEY (user_id, id), KEY (id), UNIQUE KEY (user_id, k));
CREATE TABLE few (id INT NOT NULL AUTO_INCREMENT, user_id BIGINT NOT NULL, k INT, v INT,
  PRIMARY KEY (user_id, id), KEY (id), UNIQUE KEY (user_id, k));
CREATE TABLE account (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT, v INT);
CREATE TABLE gene (id BIGINT NOT NULL, user_id BIGINT NOT NULL, k INT, PRIMARY KEY (user_id, id));
CREATE TABLE page (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, k INT);
CREATE TABLE leaf (id BINARY(16) NOT NULL PRIMARY KEY, k INT);
CREATE TABLE country (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT UNIQUE, v INT);
CREATE TABLE alone (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT, k INT UNIQUE, v INT);
CREATE TABLE t_seq (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, user_id BIGINT, msg VARCHAR(20));
"""
SCHEMA = TABLES
RULES_TEXT = """
version: 1
listen:
  mysql: 127.0.0.1:3306
  tls: {mode: preferred}
users: {app: {password: app, databases: [shop]}}
backend: {user: shardway, password: shardway}
nodes:
  node0: {primary: "127.0.0.1:1"}
  node1: {primary: "127.0.0.1:1"}
  node2: {primary: "127.0.0.1:1"}
  node3: {primary: "127.0.0.1:1"}
databases:
  shop:
    default_node: node0
    groups:
      by_user:
        algorithm: {type: hash, function: crc32, slots: 16}
        slots_per_shard: 4
        place: {node0: 0-3, node1: 4-7, node2: 8-11, node3: 12-15}
        layout: {database: "shop_{shard:02}"}
    tables:
      item:    {group: by_user, key: user_id, id: {column: id, generator: snowflake}}
      few:     {group: by_user, key: user_id, id: {column: id, generator: segment}}
      account: {group: by_user, key: id, id: {column: id, generator: snowflake}}
      gene:    {group: by_user, key: user_id, id: {column: id, generator: snowflake}, gene: {column: id, bits: 6}}
      page:    {group: by_user, key: id, id: {column: id, generator: uuid7}}
      leaf:    {group: by_user, key: id, id: {column: id, generator: uuid7}}
      country: {reference: true, id: {column: id, generator: segment}}
      alone:   {single: node2}
      t_seq:   {group: by_user, key: id, id: {column: id, generator: snowflake}}
meta: {sqlite: shardway-meta.db}
"""
SHARDS = [f"shop_{shard:02}" for shard in range(4)]

# {t} is the table. The same statements go to one server; a table's rows are told apart by k.
SEQUENCE = [
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 10, 1)",
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 11, 1), (2, 12, 1), (3, 13, 1), (4, 14, 1)",
    "INSERT INTO {t} (id, user_id, k, v) VALUES (1000, 1, 20, 1)",
    "INSERT INTO {t} (id, user_id, k, v) VALUES (1002, 1, 21, 1), (1001, 2, 22, 1)",
    "INSERT INTO {t} (id, user_id, k, v) VALUES (1010, 1, 23, 1), (NULL, 2, 24, 1), (0, 3, 25, 1), (1100, 4, 26, 1)",
    "INSERT INTO {t} (id, user_id, k, v) VALUES ('0', 1, 27, 1), (DEFAULT, 1, 28, 1), (0.2, 1, 29, 1), (FALSE, 1, 30, 1)",
    "INSERT IGNORE INTO {t} (user_id, k, v) VALUES (1, 10, 1)",
    "INSERT IGNORE INTO {t} (user_id, k, v) VALUES (1, 31, 1)",
    "INSERT IGNORE INTO {t} (id, user_id, k, v) VALUES (5000, 1, 10, 1)",
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 10, 2) ON DUPLICATE KEY UPDATE v = 2",
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 10, 2) ON DUPLICATE KEY UPDATE v = 2",
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 40, 2) ON DUPLICATE KEY UPDATE v = 2",
    "INSERT INTO {t} (id, user_id, k, v) VALUES (7000, 1, 10, 2) ON DUPLICATE KEY UPDATE v = v + 1",
    "INSERT INTO {t} (id, user_id, k, v) VALUES (7000, 1, 70, 2) ON DUPLICATE KEY UPDATE v = v + 1",
    "REPLACE INTO {t} (user_id, k, v) VALUES (1, 10, 5)",
    "REPLACE INTO {t} (id, user_id, k, v) VALUES (8000, 1, 10, 5)",
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 10, 1)",
    "INSERT INTO {t} SET user_id = 2, k = 60",
    "INSERT INTO {t} SET user_id = 2, k = 61, id = DEFAULT",
    "INSERT INTO {t} SET id = 9000, user_id = 2, k = 62",
    "UPDATE {t} SET v = 9 WHERE user_id = 1 AND k = 11",
    "BEGIN",
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 80, 1), (1, 81, 1)",
    "INSERT INTO {t} (user_id, k, v) VALUES (1, 82, 1)",
    "ROLLBACK",
    "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'",
    "INSERT INTO {t} (id, user_id, k, v) VALUES (0, 1, 90, 1)",
    "INSERT INTO {t} (id, user_id, k, v) VALUES (NULL, 1, 91, 1)",
]


def outcomes(client, table: str) -> list[tuple]:
    """Of each statement: rows affected, the OK packet's id and LAST_INSERT_ID(), each as the k of the row that has it,
    or as the number it is."""
    seen = []
    known: dict[int, object] = {0: 0}
    for statement in SEQUENCE:
        statement = statement.format(t=table)
        try:
            client.query(statement)
            affected, last_ok = client.affected, client.last_id
        except pymysql.err.MySQLError as error:
            affected, last_ok = error.args[0], "error"
        last = client.one("SELECT LAST_INSERT_ID()")
        for row_id, k in client.query(f"SELECT id, k FROM {table}"):
            known.setdefault(row_id, f"k{k}")
        seen.append((statement, affected, known.get(last_ok, last_ok), known.get(last, last)))
        holds(client.one("SELECT @@identity") == last, "@@identity")
    return seen


def on_one_server(context: Context, work):
    with context.nodes[0].connect() as connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS twin")
        cursor.execute("CREATE DATABASE twin")
        cursor.execute("USE twin")
        for statement in TABLES.split(";")[:-1]:
            cursor.execute(statement)
    with context.nodes[0].connect(database="twin", autocommit=True) as connection:
        return work(Client(connection))


def agree(context: Context, table: str) -> None:
    expected = on_one_server(context, lambda client: outcomes(client, table))
    with context.client() as client:
        seen = outcomes(client, table)
    for one, other in zip(seen, expected):
        equal(one, other, "statement, rows affected, id in the OK packet, LAST_INSERT_ID()")


def test_ids_are_numbered_as_one_server_numbers_them(context: Context):
    agree(context, "item")


def test_so_are_those_of_segments(context: Context):
    agree(context, "few")


def test_and_those_of_a_single_table(context: Context):
    agree(context, "alone")


def test_every_spelling_of_last_insert_id(context: Context):
    with context.client() as client:
        client.query("INSERT INTO t_seq (user_id, msg) VALUES (1, 'a')")
        made = client.last_id
        holds(made > 1 << 40, f"{made} is no snowflake")
        for text in ("SELECT LAST_INSERT_ID()", "SELECT LAST_INSERT_ID();", "select last_insert_id() as ID",
                     "/* app */ SELECT  LAST_INSERT_ID( ) AS `id`", "SELECT LAST_INSERT_ID() FROM DUAL",
                     "SELECT LAST_INSERT_ID() LIMIT 1", "SELECT @@identity", "SELECT MAX(id) FROM t_seq"):
            equal(client.one(text), made, text)


def test_ids_rise_within_a_statement(context: Context):
    with context.client() as client:
        for table in ("item", "few"):
            rows = ", ".join(f"({user}, {5000 + user})" for user in range(500))
            client.query(f"INSERT INTO {table} (user_id, k) VALUES {rows}")
            first = client.last_id
            stored = client.query(f"SELECT id FROM {table} WHERE k >= 5000 ORDER BY k")
            ids = [row[0] for row in stored]
            equal(ids, sorted(set(ids)), f"ids of {table}, by row")
            equal(ids[0], first, "the first row's")


def test_the_key_itself_is_made_before_its_row_is_routed(context: Context):
    with context.client() as client:
        for number in range(60):
            client.query(f"INSERT INTO account (k) VALUES ({number})")
            equal(client.query(f"SELECT k FROM account WHERE id = {client.last_id}"), [(number,)])
        client.query("INSERT INTO account () VALUES (), (), ()")
        equal(client.affected, 3)
        equal(client.one("SELECT COUNT(*) FROM account"), 63)
    holds(sum(count_at(context, shard, "account") > 0 for shard in SHARDS) >= 3, "accounts are in nearly all shards")


def count_at(context: Context, shard: str, table: str) -> int:
    with context.nodes[SHARDS.index(shard)].connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM {shard}.{table}")
        return cursor.fetchone()[0]


def test_the_gene_is_the_slot_of_the_rows_key(context: Context):
    with context.client() as client:
        rows = ", ".join(f"({user}, {user})" for user in range(300))
        client.query(f"INSERT INTO gene (user_id, k) VALUES {rows}")
        ids = client.query("SELECT id, user_id FROM gene")
        equal(len({row[0] for row in ids}), 300, "distinct ids")
        for row_id, user in ids:
            equal(row_id & 63, zlib.crc32(str(user).encode()) % 16, f"gene of user {user}")
        code, text = client.error("INSERT INTO gene (id, user_id) VALUES (%s, 1)",
                                  zlib.crc32(b"1") % 16 + 1 & 63)
        equal(code, 9073)
        contains(text, "carries slot")


def test_uuids(context: Context):
    with context.client() as client:
        for number in range(30):
            client.query("INSERT INTO page (k) VALUES (%s)", number)
            equal(client.last_id, 0)
        client.query("INSERT INTO page (k) VALUES (30), (31)")
        pages = [row[0] for row in client.query("SELECT id FROM page ORDER BY id")]
        equal(len(set(pages)), 32)
        holds(all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", page)
                  for page in pages), f"UUIDs of version 7: {pages[:3]}")
        equal(client.query("SELECT COUNT(*) FROM page WHERE id = %s", pages[7]), [(1,)])
        client.query("INSERT INTO leaf (k) VALUES (1), (2), (3)")
        leaves = client.query("SELECT HEX(id), k FROM leaf")
        equal(len({row[0] for row in leaves}), 3)
        for text, k in leaves:
            equal(client.query(f"SELECT k FROM leaf WHERE id = x'{text}'"), [(k,)])


def test_a_reference_table_has_one_id_everywhere(context: Context):
    with context.client() as client:
        client.query("INSERT INTO country (k) VALUES (1), (2)")
        first = client.last_id
        equal(client.one("SELECT LAST_INSERT_ID()"), first)
        client.query("INSERT INTO country SET k = 3")
    copies = set()
    for node in context.nodes:
        with node.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT id, k FROM shop.country ORDER BY k")
            copies.add(cursor.fetchall())
    equal(len(copies), 1, "different copies")
    equal(copies.pop()[0], (first, 1))


def test_what_a_row_needs_beside_its_id_is_still_missed(context: Context):
    with context.client() as client:
        equal(client.error("INSERT INTO item (k) VALUES (1)")[0], 1364)
        equal(client.error("INSERT INTO item (id, user_id) VALUES (1 + 1, 1)")[0], 1235)


def test_ids_are_unique_over_threads_and_restarts(context: Context):
    made: list[int] = []
    lock = threading.Lock()

    def insert(user: int, table: str) -> None:
        mine = []
        with context.client() as client:
            for turn in range(40):
                count = 1 + turn % 5
                rows = ", ".join(f"({user + row}, 1)" for row in range(count))
                client.query(f"INSERT INTO {table} (user_id, v) VALUES {rows}")
                mine.append(client.last_id)
        with lock:
            made.extend((table, one) for one in mine)

    for how in (signal.SIGTERM, signal.SIGKILL, None):
        threads = [threading.Thread(target=insert, args=(100 * number, table))
                   for number in range(1, 5) for table in ("item", "few")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if how is not None:
            context.cluster.stop_shardway(how)
            context.cluster.start_shardway()
    equal(len(made), 3 * 8 * 40, "inserts that went well")
    equal(len(set(made)), len(made), "distinct first ids")
    for table in ("item", "few"):
        # Rows of other tests have a k. They bring ids of their own, which nobody tells the generator.
        ids = [row[0] for row in context.query(f"SELECT id FROM {table} WHERE k IS NULL")]
        equal((len(ids), len(set(ids))), (3 * 4 * 120, 3 * 4 * 120), f"rows and distinct ids of {table}")
