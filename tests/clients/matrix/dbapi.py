"""One Python driver against Shardway: dbapi.py DRIVER HOST PORT TLS USER_ID, see README.md for what it prints.
DRIVER: pymysql, mysqlclient, connector-pure, connector-c."""
import datetime
import sys

driver, host, port, tls, user = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "tls", int(sys.argv[5])
NOTE = "caf\u00e9 \u4f60\u597d 'quoted' \\ back"
AT = datetime.datetime(2026, 1, 31, 12, 30, 45, 123456)
LOGIN = dict(host=host, port=port, user="app", password="app", database="shop")


def connect():
    if driver == "pymysql":
        import pymysql
        return pymysql.connect(**LOGIN, charset="utf8mb4", ssl={"check_hostname": False} if tls else None)
    if driver == "mysqlclient":
        import MySQLdb
        more = {"ssl": {"cipher": "DEFAULT"}} if tls else {}
        return MySQLdb.connect(host=host, port=port, user="app", passwd="app", db="shop", charset="utf8mb4", **more)
    import mysql.connector
    return mysql.connector.connect(**LOGIN, use_pure=driver == "connector-pure", ssl_disabled=not tls)


def step(name, work):
    try:
        work()
    except Exception as problem:  # noqa: BLE001 - whatever a driver raises is the answer
        print(f"{name}\tFAILED\t{type(problem).__name__}: {problem}", flush=True)
        return False
    print(f"{name}\tok", flush=True)
    return True


def equal(seen, expected):
    if seen != expected:
        raise AssertionError(f"{seen!r} instead of {expected!r}")


class Client:
    def login(self):
        self.connection = connect()
        self.cursor = self.connection.cursor()
        self.cursor.execute("SELECT DATABASE()")
        equal(self.cursor.fetchall()[0][0], "shop")
        if driver == "pymysql":
            equal("SSL" in type(self.connection._sock).__name__, tls)

    def insert(self):
        columns = "(user_id, order_id, merchant_id, status, amount, note, created_at)"
        self.cursor.execute(f"INSERT INTO t_order {columns} VALUES (%s, %s, %s, %s, %s, %s, %s)",
                            (user, user * 10, 7, 1, "19.90", NOTE, AT))
        equal(self.cursor.rowcount, 1)
        rows = [(user, user * 10 + i, 7, 1, "5.00", None, AT) for i in (1, 2)]
        self.cursor.executemany(f"INSERT INTO t_order {columns} VALUES (%s, %s, %s, %s, %s, %s, %s)", rows)
        equal(self.cursor.rowcount, 2)
        self.connection.commit()

    def read(self):
        self.cursor.execute("SELECT order_id, amount, note, created_at FROM t_order WHERE user_id = %s ORDER BY order_id",
                            (user,))
        rows = self.cursor.fetchall()
        equal([row[0] for row in rows], [user * 10 + i for i in range(3)])
        equal((str(rows[0][1]), rows[0][2], rows[0][3]), ("19.90", NOTE, AT))
        equal(rows[1][2], None)

    def update(self):
        self.cursor.execute("UPDATE t_order SET status = 2 WHERE user_id = %s AND order_id = %s", (user, user * 10))
        equal(self.cursor.rowcount, 1)
        self.connection.commit()
        self.cursor.execute("DELETE FROM t_order WHERE user_id = %s", (user,))
        equal(self.cursor.rowcount, 3)
        self.connection.rollback()
        self.cursor.execute("SELECT COUNT(*) FROM t_order WHERE user_id = %s AND status = 2", (user,))
        equal(self.cursor.fetchall()[0][0], 1)
        self.connection.commit()

    def prepare(self):
        with self.connection.cursor(prepared=True) as cursor:
            cursor.execute("SELECT order_id FROM t_order WHERE user_id = %s ORDER BY order_id", (user,))
            equal([row[0] for row in cursor.fetchall()], [user * 10 + i for i in range(3)])


client = Client()
steps = ["login", "insert", "read", "update"] + (["prepare"] if driver.startswith("connector") else [])
for name in steps:
    if not step(name, getattr(client, name)) and name == "login":
        break
