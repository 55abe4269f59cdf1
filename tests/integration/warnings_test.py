"""What SHOW WARNINGS says behind a write of many shards is what one server says of the same rows."""
from harness import Context, equal, holds

COLUMNS = "order_id, user_id, merchant_id, status, amount, note, created_at"
TABLE = """CREATE TABLE plain.t_order (user_id BIGINT NOT NULL, order_id BIGINT NOT NULL, merchant_id BIGINT NOT NULL,
status TINYINT NOT NULL, amount DECIMAL(12,2) NOT NULL, note VARCHAR(255), created_at DATETIME(6) NOT NULL,
PRIMARY KEY (user_id, created_at, order_id), UNIQUE KEY uk_order (user_id, order_id))"""


def prepare(context: Context):
    with context.nodes[0].connect() as connection, connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS plain")
        cursor.execute("CREATE DATABASE plain")
        cursor.execute(TABLE)


def both(context: Context, statement: str, mode: str, order=list) -> None:
    """`statement` on a server of its own and through Shardway: the same count, the same warnings, in the same order where
    `order` does not make one of its own."""
    with context.nodes[0].connect() as connection, connection.cursor() as cursor, context.client() as client:
        cursor.execute("USE plain")
        cursor.execute(f"SET sql_mode = '{mode}'")
        client.query(f"SET sql_mode = '{mode}'")
        cursor.execute(statement)
        expected_count = cursor._result.warning_count
        cursor.execute("SHOW WARNINGS")
        expected = [tuple(row) for row in cursor.fetchall()]
        holds(expected, "the server warns")
        client.query(statement)
        equal(client.query("SHOW COUNT(*) WARNINGS"), [(expected_count,)])
        holds(order(client.query("SHOW WARNINGS")) == order(expected), "the same warnings")


def rows(first: int, amount: str, note: str = "'x'") -> str:
    return ", ".join(f"({first + i}, {i * 37 % 101}, 1, 1, {amount}, {note}, '2026-01-01')" for i in range(60))


def test_rounded_decimals(context: Context):
    both(context, f"INSERT INTO t_order ({COLUMNS}) VALUES {rows(1000, '1.239')}", "STRICT_TRANS_TABLES")


def test_cut_texts(context: Context):
    both(context, f"INSERT INTO t_order ({COLUMNS}) VALUES {rows(2000, '1', 'REPEAT(0x61, 300)')}", "")


def test_rows_that_are_there_already(context: Context):
    # These name no row, so nobody knows their order over several nodes.
    both(context, f"INSERT IGNORE INTO t_order ({COLUMNS}) VALUES {rows(1000, '1')}", "STRICT_TRANS_TABLES", order=sorted)
