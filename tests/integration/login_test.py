"""Real clients log in: both plugins, TLS and plain, and what is refused."""
import ssl

from harness import Context, contains, equal, error_of, holds

RULES = {
    r"^  ops: .*$": "  ops: {password: ops, admin: true}\n"
                    "  nat: {password: native-pass, databases: [shop], auth: mysql_native_password}\n"
                    "  empty: {password: '', databases: [shop]}\n"
                    "  odd: {password: \"p' \\\"\\\\\u00e9 \u4f60\", databases: [shop]}",
}
TLS = {"check_hostname": False}


def login(context: Context, **options: object) -> tuple[bool, object]:
    with context.client(**options) as client:
        return isinstance(client.connection._sock, ssl.SSLSocket), client.one("SELECT DATABASE()")


def test_pymysql_sha2_by_tls(context: Context):
    for _ in range(2):  # the second finds the server's cache warm
        equal(login(context, ssl=TLS), (True, "shop"))


def test_pymysql_sha2_in_plain_by_rsa(context: Context):
    for _ in range(2):
        equal(login(context), (False, "shop"))


def test_pymysql_native(context: Context):
    equal(login(context, user="nat", password="native-pass"), (False, "shop"))
    equal(login(context, user="nat", password="native-pass", ssl=TLS), (True, "shop"))


def test_pymysql_empty_and_odd_passwords(context: Context):
    equal(login(context, user="empty", password=""), (False, "shop"))
    equal(login(context, user="odd", password="p' \"\\\u00e9 \u4f60".encode()), (False, "shop"))
    equal(login(context, user="odd", password="p' \"\\\u00e9 \u4f60".encode(), ssl=TLS), (True, "shop"))


def test_login_without_database(context: Context):
    with context.client(database=None) as client:
        equal(client.one("SELECT DATABASE()"), None)
        equal(client.error("SELECT * FROM t_user WHERE user_id = 1")[0], 1046)
        client.query("USE shop")
        equal(client.query("SELECT * FROM t_user WHERE user_id = 1"), [])


def test_mariadb_client(context: Context):
    for user, password in (("app", "app"), ("nat", "native-pass"), ("empty", "")):
        for tls in ("--skip-ssl", "--ssl"):
            done = context.cli("mariadb", f"-u{user}", f"-p{password}" if password else "--skip-password", tls, "-N", "-B",
                               "shop", statement="SELECT DATABASE(), 1 + 1")
            equal(done.stdout, "shop\t2\n", f"what {user} with {tls} reads")


def test_mysql_client(context: Context):
    client = context.mysql_client()
    for user, password in (("app", "app"), ("nat", "native-pass"), ("empty", "")):
        for tls in (["--ssl-mode=REQUIRED"], ["--ssl-mode=DISABLED", "--get-server-public-key"]):
            done = context.cli(client, f"-u{user}", f"--password={password}", *tls, "-N", "-B", "shop",
                               statement="SELECT DATABASE(), 1 + 1")
            equal(done.stdout, "shop\t2\n", f"what {user} with {tls} reads")


def test_mysql_client_says_what_it_is_connected_to(context: Context):
    done = context.cli(context.mysql_client(), "-uapp", "-papp", "--ssl-mode=REQUIRED", "--commands", "shop",
                       statement="\\s")
    contains(done.stdout, "Cipher in use is TLS")
    if not context.direct:
        contains(done.stdout, "-shardway")


def test_wrong_passwords(context: Context):
    for user in ("app", "nat", "empty", "nobody"):
        for options in ({}, {"ssl": TLS}):
            code, text = error_of(lambda: login(context, user=user, password="wrong", **options), f"login of {user}")
            equal(code, 1045, f"error of {user}")
            contains(text, f"Access denied for user '{user}'@'127.0.0.1' (using password: YES)")
    code, text = error_of(lambda: login(context, password=""))
    equal(code, 1045)
    contains(text, "(using password: NO)")


def test_databases_at_login(context: Context):
    code, text = error_of(lambda: login(context, database="nowhere"))
    holds(code in (1049, 1044), f"{code} {text}")
    code, text = error_of(lambda: login(context, user="ops", password="ops", database="nowhere"))
    equal((code, text), (1049, "Unknown database 'nowhere'"))
    if not context.direct:
        code, text = error_of(lambda: login(context, database="legacy"))
        equal(code, 1044)
        contains(text, "'legacy'")
        # What lies on the nodes under other names is no database of a client's.
        for hidden in ("shop_00", "shardway_meta", "shardway_none"):
            code, _ = error_of(lambda: login(context, user="ops", password="ops", database=hidden))
            equal(code, 1049, f"error for {hidden}")


def test_init_db(context: Context):
    with context.client(user="ops", password="ops", database=None) as client:
        client.connection.select_db("shop")
        equal(client.one("SELECT SCHEMA()"), "shop")
        code, text = error_of(lambda: client.connection.select_db("nowhere"))
        equal((code, text), (1049, "Unknown database 'nowhere'"))
        equal(client.one("SELECT DATABASE()"), "shop")


def test_many_logins_leave_nothing(context: Context):
    for _ in range(50):
        login(context)
    equal(login(context), (False, "shop"))
