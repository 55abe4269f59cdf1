"""Orders by user: insert, read, update, delete, with the types as the server gives them."""
import datetime
import decimal
import subprocess

from harness import Context, contains, equal, error_of, holds

AT = datetime.datetime(2026, 1, 31, 12, 30, 45, 123456)
NOTE = "caf\u00e9 \u4f60\u597d \U0001f600 'quoted' \"twice\" \\ back\nnext\x00nul"
INSERT = ("INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) "
          "VALUES (%s, %s, %s, %s, %s, %s, %s)")


def test_one_order_comes_back_as_it_went(context: Context):
    with context.client() as client:
        client.query(INSERT, 42, 1, 7, 3, decimal.Decimal("1234567890.12"), NOTE, AT)
        equal(client.affected, 1)
        client.query(INSERT, 42, 2, 7, -3, decimal.Decimal("-0.01"), None, AT)
        rows = client.query("SELECT user_id, order_id, merchant_id, status, amount, note, created_at FROM t_order "
                            "WHERE user_id = 42 ORDER BY order_id")
        equal(rows, [(42, 1, 7, 3, decimal.Decimal("1234567890.12"), NOTE, AT),
                     (42, 2, 7, -3, decimal.Decimal("-0.01"), None, AT)])


def test_labels_and_types_are_a_servers(context: Context):
    statement = ("SELECT o.user_id, amount AS total, note, o.created_at, status + 1, NOW(6) IS NULL, 'x' FROM t_order o "
                 "WHERE user_id = 42")
    with context.client() as client, context.nodes[0].connect() as direct:
        seen, wanted = client.connection.cursor(), direct.cursor()
        seen.execute(statement)
        wanted.execute(statement.replace("t_order", "shop.t_order"))
        equal(seen.description, wanted.description, "the description of columns")
        fields = [(field.org_name, field.org_table, field.table_name, field.db, field.type_code, field.flags, field.charsetnr,
                   field.length, field.scale) for field in seen._result.fields]
        expected = [(field.org_name, field.org_table, field.table_name, field.db, field.type_code, field.flags,
                     field.charsetnr, field.length, field.scale) for field in wanted._result.fields]
        equal(fields, expected, "column definitions")


def test_rows_of_many_users_in_one_insert(context: Context):
    users = range(1000, 1040)
    with context.client() as client:
        values = ", ".join(f"({user}, {user}, 1, 1, 9.90, NULL, NOW())" for user in users)
        client.query("INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) "
                     f"VALUES {values}")
        equal(client.affected, 40)
        for user in users:
            equal(client.query(f"SELECT order_id, amount FROM t_order WHERE user_id = {user}"),
                  [(user, decimal.Decimal("9.90"))])
    if context.direct:
        return
    # Each row lies in the shard of its key, and nowhere else.
    for user in users:
        homes = [node.name for node in context.nodes for (name,) in node.query("SHOW DATABASES LIKE 'shop\\_0%%'")
                 + node.query("SHOW DATABASES LIKE 'shop\\_1%%'")
                 if node.query(f"SELECT 1 FROM `{name}`.t_order WHERE user_id = {user}") and name == context.shard_of(user)]
        equal(homes, [context.node_of(user)], f"where user {user} lies")
    for node in context.nodes:
        equal(node.query("SELECT COUNT(*) FROM shop.t_order"), [(0,)], f"rows in the template of {node.name}")


def test_update_counts_changed_rows(context: Context):
    with context.client() as client:
        for order in range(3):
            client.query(INSERT, 50, order, 7, 1, 5, None, AT)
        client.query("UPDATE t_order SET status = 2 WHERE user_id = 50 AND order_id < 2")
        equal(client.affected, 2)
        client.query("UPDATE t_order SET status = 2 WHERE user_id = 50")
        equal(client.affected, 1, "changed rows")
    import pymysql.constants.CLIENT as flags
    with context.client(client_flag=flags.FOUND_ROWS) as client:
        client.query("UPDATE t_order SET status = 2 WHERE user_id = 50")
        equal(client.affected, 3, "matched rows")


def test_delete(context: Context):
    with context.client() as client:
        for order in range(3):
            client.query(INSERT, 51, order, 7, 1, 5, None, AT)
        client.query("DELETE FROM t_order WHERE user_id = 51 AND order_id = 1")
        equal(client.affected, 1)
        equal(client.query("SELECT order_id FROM t_order WHERE user_id IN (51) ORDER BY 1"), [(0,), (2,)])
        client.query("DELETE FROM t_order WHERE user_id = 51")
        equal(client.affected, 2)


def test_join_in_one_shard(context: Context):
    with context.client() as client:
        client.query("INSERT INTO t_user (user_id, name, created_at) VALUES (60, 'sixty', NOW())")
        client.query(INSERT, 60, 1, 1, 1, 5, None, AT)
        client.query("INSERT INTO t_order_item (user_id, item_id, order_id, sku, qty, price) VALUES (60, 1, 1, 'sku', 2, 2.5)")
        rows = client.query("SELECT u.name, o.order_id, i.qty * i.price AS total FROM t_user u "
                            "JOIN t_order o ON o.user_id = u.user_id "
                            "JOIN t_order_item i ON i.user_id = o.user_id AND i.order_id = o.order_id WHERE u.user_id = 60")
        equal(rows, [("sixty", 1, decimal.Decimal("5.00"))])


def test_single_and_reference_tables(context: Context):
    with context.client() as client:
        client.query("INSERT INTO t_setting (name, value) VALUES ('theme', 'dark'), ('lang', 'en')")
        equal(client.query("SELECT value FROM t_setting WHERE name = (SELECT MAX(name) FROM t_setting)"), [("dark",)])
        client.query("INSERT INTO t_merchant (merchant_id, name) VALUES (7, 'seven'), (8, 'eight')")
        equal(client.affected, 2, "rows of a reference table")
        client.query("UPDATE t_merchant SET name = 'SEVEN' WHERE merchant_id = 7")
        for _ in range(4):
            equal(client.query("SELECT name FROM t_merchant ORDER BY merchant_id"), [("SEVEN",), ("eight",)])
        client.query(INSERT, 61, 1, 7, 1, 5, None, AT)
        equal(client.query("SELECT m.name FROM t_order o JOIN t_merchant m USING (merchant_id) WHERE o.user_id = 61"),
              [("SEVEN",)])
    if context.direct:
        return
    for node in context.nodes:
        equal(node.query("SELECT COUNT(*) FROM shop.t_merchant"), [(2,)], f"the copy on {node.name}")
        equal(node.query("SELECT COUNT(*) FROM shop.t_setting"), [(2 if node.index == 0 else 0,)], node.name)


def test_transaction_on_one_node(context: Context):
    with context.client(autocommit=False) as client, context.client() as other:
        client.query("BEGIN")
        client.query(INSERT, 70, 1, 1, 1, 5, None, AT)
        equal(client.query("SELECT COUNT(*) FROM t_order WHERE user_id = 70"), [(1,)])
        equal(other.query("SELECT COUNT(*) FROM t_order WHERE user_id = 70"), [(0,)])
        client.query("ROLLBACK")
        equal(client.query("SELECT COUNT(*) FROM t_order WHERE user_id = 70"), [(0,)])
        client.query(INSERT, 70, 2, 1, 1, 5, None, AT)  # autocommit is off: this began a transaction
        equal(other.query("SELECT COUNT(*) FROM t_order WHERE user_id = 70"), [(0,)])
        client.connection.commit()
        equal(other.query("SELECT order_id FROM t_order WHERE user_id = 70"), [(2,)])


def test_a_client_that_goes_away_leaves_no_transaction(context: Context):
    client = context.connect(autocommit=True)
    with client.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(INSERT, (71, 1, 1, 1, 5, None, AT))
    client._force_close()
    with context.client() as other:
        # Waits for the lock of the lost session, if it is still there; a left-over would time out.
        other.query("SET SESSION innodb_lock_wait_timeout = 20")
        other.query(INSERT, 71, 1, 1, 1, 6, None, AT)
        equal(other.query("SELECT amount FROM t_order WHERE user_id = 71"), [(decimal.Decimal("6.00"),)])


def test_what_clients_ask_first(context: Context):
    with context.client() as client:
        equal(client.query("SELECT DATABASE(), SCHEMA(), USER(), 1"), [("shop", "shop", "app@127.0.0.1", 1)])
        holds(client.one("SELECT @@version_comment"), "a version comment")
        holds(client.one("SELECT @@max_allowed_packet") >= 1 << 20, "max_allowed_packet")
        equal(client.one("SELECT @@autocommit"), 1)
        equal(client.one("SELECT CONNECTION_ID()"), client.connection.thread_id())
        holds("shop" in [name for (name,) in client.query("SHOW DATABASES")], "shop is among the databases")
        equal(client.query("SELECT 1 + 1 AS two, 'it''s' AS text"), [(2, "it's")])
        client.connection.ping(reconnect=False)


def test_names_that_are_ours_do_not_show(context: Context):
    if context.direct:
        return
    with context.client() as client:
        names = {name for (name,) in client.query("SHOW DATABASES")}
        holds(not any(name.startswith(("shop_", "shardway_")) for name in names), f"databases: {names}")
        equal({name for (name,) in client.query("SHOW TABLES")},
              {"t_user", "t_order", "t_order_item", "t_merchant", "t_setting"})
        equal(client.error("SELECT * FROM t_order__by_order_id"),
              (1146, "Table 'shop.t_order__by_order_id' doesn't exist"))
        for statement in ("SELECT * FROM shop_00.t_order", "SELECT * FROM shardway_meta.decision"):
            holds(client.error(statement)[0] in (1044, 1049, 1142), statement)


def test_sessions_do_not_see_each_other(context: Context):
    """Invariant 8."""
    with context.client() as one, context.client() as two:
        one.query("SET SESSION sql_mode = 'ANSI_QUOTES', time_zone = '+05:00'")
        one.query("SET NAMES latin1")
        state = "SELECT @@sql_mode, @@time_zone, @@character_set_client FROM t_user WHERE user_id = 60"
        before = two.query(state)
        holds(before[0][1] != "+05:00" and before[0][2] == "utf8mb4", f"state of the other session: {before}")
        for _ in range(20):  # over the same backend connections
            equal(one.query(state), [("ANSI_QUOTES", "+05:00", "latin1")])
            equal(two.query(state), before)


def test_go_client(context: Context):
    program = context.build_go("client")
    for plugin in ("app:app", "nat:native-pass"):
        for user, tls in ((81, "false"), (82, "skip-verify")):
            dsn = f"{plugin}@tcp(127.0.0.1:{context.port})/shop?interpolateParams=true&parseTime=true&tls={tls}"
            done = subprocess.run([program, dsn, str(user)], capture_output=True, text=True, timeout=60)
            equal((done.returncode, done.stdout + done.stderr), (0, "ok\n"), f"the Go client with {plugin}, tls={tls}")


def by_client(context: Context, program: str, user: int, *options: str) -> None:
    """A user's orders by a command line client: what it prints."""
    said = context.cli(program, "-uapp", "-papp", *options, "-N", "-B", "shop", statement=(
        f"INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, created_at) VALUES ({user}, 1, 1, 1, 5.5, "
        f"'2026-01-31 10:00:00'), ({user}, 2, 1, 1, 6.5, '2026-01-31 11:00:00');"
        f"SELECT * FROM (SELECT order_id, amount, created_at, note FROM t_order WHERE user_id = {user}) o ORDER BY 1 DESC;"
        f"UPDATE t_order SET amount = amount + 1 WHERE user_id = {user} AND order_id = 2; SELECT ROW_COUNT();"
        f"SELECT amount FROM t_order WHERE user_id = {user} AND order_id = 2;"
        f"DELETE FROM t_order WHERE user_id = {user}; SELECT ROW_COUNT()")).stdout
    equal(said.splitlines(), ["2\t6.50\t2026-01-31 11:00:00.000000\tNULL", "1\t5.50\t2026-01-31 10:00:00.000000\tNULL",
                              "1", "7.50", "2"])


def test_mariadb_client(context: Context):
    by_client(context, "mariadb", 91, "--skip-ssl")
    by_client(context, "mariadb", 92, "--ssl")


def test_mysql_client(context: Context):
    by_client(context, context.mysql_client(), 93, "--ssl-mode=DISABLED", "--get-server-public-key")
    by_client(context, context.mysql_client(), 94, "--ssl-mode=REQUIRED")


def test_errors_of_shards_speak_of_logical_names(context: Context):
    with context.client() as client:
        client.query("INSERT INTO t_user (user_id, name, created_at) VALUES (62, 'x', NOW())")
        code, text = client.error("INSERT INTO t_user (user_id, name, created_at) VALUES (62, 'x', NOW())")
        equal(code, 1062)
        contains(text, "Duplicate entry '62'")
        for statement, number in (("SELECT t_user.nope FROM t_user WHERE user_id = 62", 1054),
                                  ("INSERT INTO t_user (user_id, name, created_at) VALUES (63, NULL, NOW())", 1048)):
            code, text = client.error(statement)
            equal(code, number, statement)
            holds("shop_" not in text, f"{text} speaks of a physical name")
        # The session goes on.
        equal(client.one("SELECT name FROM t_user WHERE user_id = 62"), "x")
        equal(error_of(lambda: client.query("SELECT * FROM"))[0], 1064)


RULES = {r"^  ops: .*$": "  ops: {password: ops, admin: true}\n"
                         "  nat: {password: native-pass, databases: [shop], auth: mysql_native_password}"}


def test_delete_over_tables(context: Context):
    with context.client() as client:
        forms = ["DELETE t_order FROM t_order WHERE user_id = 52",
                 "DELETE t_order.* FROM t_order WHERE user_id = 52",
                 "DELETE FROM t_order USING t_order JOIN t_user ON t_order.user_id = t_user.user_id WHERE t_user.user_id = 52",
                 "DELETE o FROM t_order o JOIN t_user u USING (user_id) WHERE u.user_id = 52",
                 "DELETE shop.t_order FROM shop.t_order WHERE user_id = 52"]
        client.query("INSERT INTO t_user (user_id, name, created_at) VALUES (52, 'u', NOW())")
        for form in forms:
            for order in range(3):
                client.query(INSERT, 52, order, 7, 1, 5, None, AT)
            client.query(form)
            equal(client.affected, 3, form)
        client.query(INSERT, 52, 1, 7, 1, 5, None, AT)
        client.query("INSERT INTO t_order_item (user_id, item_id, order_id, sku, qty, price) VALUES (52, 1, 1, 'sku', 2, 2.5)")
        client.query("DELETE t_order, t_order_item FROM t_order JOIN t_order_item USING (user_id) WHERE t_order.user_id = 52")
        equal(client.affected, 2, "rows of both tables")


def test_rows_that_a_write_returns(context: Context):
    if context.kind != "mariadb":
        return
    with context.client() as client:
        equal(client.query("INSERT INTO t_user (user_id, name, created_at) VALUES (53, 'u', NOW()) RETURNING name"), [("u",)])
        if not context.direct:
            rows = ", ".join(f"({user}, 'many', NOW())" for user in range(500, 520))
            equal(client.error(f"INSERT INTO t_user (user_id, name, created_at) VALUES {rows} RETURNING name")[0], 1235)
            equal(client.query("SELECT name FROM t_user WHERE user_id = 500"), [], "rows of a refused INSERT")


def test_one_moment_for_all_copies(context: Context):
    with context.client() as client:
        client.query("INSERT INTO t_merchant (merchant_id, name) VALUES (90, NOW(6))")
        seen = {client.one("SELECT name FROM t_merchant WHERE merchant_id = 90") for _ in range(8)}
        equal(len(seen), 1, "moments in the copies of a row")
        before = client.one("SELECT NOW(6)")
        holds(client.one("SELECT NOW(6)") > before, "the clock stands still")


def test_counts_of_a_split_insert(context: Context):
    with context.client() as client:
        rows = ", ".join(f"({user}, 'many', NOW())" for user in range(600, 640))
        client.query(f"INSERT IGNORE INTO t_user (user_id, name, created_at) VALUES {rows}")
        equal(client.affected, 40)
        equal(client.connection._result.message[1:], b"Records: 40  Duplicates: 0  Warnings: 0")
        client.query("INSERT IGNORE INTO t_user (user_id, name, created_at) VALUES (600, 'x', NOW()), (639, 'x', NOW()), "
                     "(640, 'x', NOW())")
        equal(client.affected, 1)
        equal(client.connection._result.message[1:], b"Records: 3  Duplicates: 2  Warnings: 2")


def test_found_rows_and_row_count(context: Context):
    with context.client() as client:
        client.query("SELECT 1 UNION SELECT 2 UNION SELECT 3")
        equal(client.one("SELECT FOUND_ROWS()"), 3)
        for order in range(4):
            client.query(INSERT, 54, order, 7, 1, 5, None, AT)
        client.query("DELETE FROM t_order WHERE user_id = 54")
        equal(client.one("SELECT ROW_COUNT()"), 4)


def test_columns_of_a_derived_table_are_logical(context: Context):
    with context.client() as client:
        client.query(INSERT, 55, 1, 7, 1, 5, None, AT)
        client.query("SELECT x.order_id FROM (SELECT * FROM t_order WHERE user_id = 55) x")
        equal({field.db for field in client.connection._result.fields} - {b""}, {b"shop"} - {b""} if
              any(field.db for field in client.connection._result.fields) else set())
