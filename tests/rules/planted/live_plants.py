"""Faults in a fleet of real servers: the model's rules over two nodes, applied. Each plant is damage, `yield` (check looks),
mending. They were written from what check promises, not from its code."""
from __future__ import annotations

import contextlib
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Iterator

import pymysql
from cluster import Cluster
from plants import Plant, Verdict, check
from servers import HOST, KINDS, PASSWORD, USER, Node, copy_tree, template

NODES = 2
PLANTS: dict[str, list[Plant]] = {"mariadb": [], "mysql": []}

# Users 1, 2, 3, … by the shard they live in: 256 slots, 16 to a shard.
def shard_of(key: int) -> int:
    return zlib.crc32(str(key).encode()) % 256 // 16


class Fleet:
    def __init__(self, kind: str, binary: Path):
        self.kind = kind
        self.binary = binary

    def __enter__(self) -> "Fleet":
        with contextlib.ExitStack() as stack:
            self.cluster = stack.enter_context(Cluster(self.kind, NODES, shardway=self.binary))
            self.cluster.write_rules()
            self.cluster.apply()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def check(self) -> Verdict:
        return check(self.binary, self.cluster.folder, self.cluster.rules_file, "--live")

    def apply(self) -> None:
        self.cluster.apply()

    def node(self, index: int) -> Node:
        return self.cluster.nodes[index]

    def at(self, shard: int) -> Node:
        return self.cluster.nodes[shard // 8]

    def run(self, node: Node | int, *statements: str) -> None:
        node = self.node(node) if isinstance(node, int) else node
        with node.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    @contextlib.contextmanager
    def setting(self, node: int, name: str, value: str) -> Iterator[None]:
        """A global variable, for as long as the block lasts."""
        ((before,),) = self.node(node).query(f"SELECT @@GLOBAL.{name}")
        self.run(node, f"SET GLOBAL {name} = {value}")
        try:
            yield
        finally:
            self.run(node, f"SET GLOBAL {name} = {before if isinstance(before, int) else repr(before)}")

    @contextlib.contextmanager
    def restarted(self, node: int, *options: str) -> Iterator[None]:
        """The server runs with these options too, for as long as the block lasts."""
        self.again(node, self.node(node).options + list(options))
        try:
            yield
        finally:
            self.again(node, self.node(node).options[:-len(options)])

    def again(self, index: int, options: list[str]) -> None:
        node = self.node(index)
        node.stop()
        node.options = options
        node.restart()

    def root(self, node: int, *statements: str) -> None:
        """As root, who may take rights from the backend user."""
        with self.node(node).connect(user="root", password="") as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    @contextlib.contextmanager
    def without(self, node: int, right: str) -> Iterator[None]:
        """The backend user has all rights but this one."""
        self.root(node, f"REVOKE {right} ON *.* FROM '{USER}'@'%'")
        try:
            yield
        finally:
            self.root(node, f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'%' WITH GRANT OPTION")


def plants(kind: str) -> list[Plant]:
    return PLANTS[kind]


def plant(clause: str, name: str, *words: str, kinds: tuple = ("mariadb", "mysql"), in_notes: bool = False):
    def keep(work):
        for kind in kinds:
            PLANTS[kind].append(Plant(clause, name, list(words), work, in_notes))
        return work
    return keep


@plant("shard tables", "a shard's table is gone", "shop_05", "t_order", "node0")
def table_gone(fleet: Fleet):
    fleet.run(fleet.at(5), "DROP TABLE shop_05.t_order")
    yield
    fleet.apply()


@plant("shard tables", "a shard's whole database is gone", "shop_12", "node1")
def database_gone(fleet: Fleet):
    fleet.run(fleet.at(12), "DROP DATABASE shop_12")
    yield
    fleet.apply()


@plant("shard tables", "a table nobody's rules know, in one shard", "shop_03", "t_order_backup")
def table_extra(fleet: Fleet):
    fleet.run(fleet.at(3), "CREATE TABLE shop_03.t_order_backup LIKE shop_03.t_order")
    yield
    fleet.run(fleet.at(3), "DROP TABLE shop_03.t_order_backup")


@plant("shard tables", "a shard's database on a node that is not its own", "shop_02", "node1")
def shard_extra(fleet: Fleet):
    fleet.run(1, "CREATE DATABASE shop_02", "CREATE TABLE shop_02.t_order LIKE shop.t_order")
    yield
    fleet.run(1, "DROP DATABASE shop_02")


@plant("schema drift", "a column is longer in one shard", "shop_09", "t_order", "note", "300", "255")
def drift_column(fleet: Fleet):
    fleet.run(fleet.at(9), "ALTER TABLE shop_09.t_order MODIFY note VARCHAR(300) NULL")
    yield
    fleet.run(fleet.at(9), "ALTER TABLE shop_09.t_order MODIFY note VARCHAR(255) NULL")


@plant("schema drift", "an index is missing in one shard", "shop_14", "t_order", "idx_merchant")
def drift_index(fleet: Fleet):
    fleet.run(fleet.at(14), "ALTER TABLE shop_14.t_order DROP KEY idx_merchant")
    yield
    fleet.run(fleet.at(14), "ALTER TABLE shop_14.t_order ADD KEY idx_merchant (merchant_id, status, created_at)")


@plant("schema drift", "a reference table has a column more on one node", "t_merchant", "node1", "opened")
def drift_reference(fleet: Fleet):
    fleet.run(1, "ALTER TABLE shop.t_merchant ADD opened DATE NULL")
    yield
    fleet.run(1, "ALTER TABLE shop.t_merchant DROP opened")


ORDER = ("INSERT INTO {database}.t_order (user_id, order_id, merchant_id, status, amount, created_at) VALUES "
         "({user}, {user}, 1, 1, 1, '2026-01-01')")


@plant("rows in the wrong shard", "3,000 rows are right, the last 150 are not", "shop_06", "t_order")
def rows_wrong(fleet: Fleet):
    right = [user for user in range(1, 60_000) if shard_of(user) == 6][:3000]
    wrong = [user for user in range(900_000, 903_000) if shard_of(user) != 6][:150]
    rows = ", ".join(f"({user}, {user}, 1, 1, 1, '2026-01-01')" for user in right + wrong)
    fleet.run(fleet.at(6), "INSERT INTO shop_06.t_order (user_id, order_id, merchant_id, status, amount, created_at) "
                           f"VALUES {rows}")
    yield
    fleet.run(fleet.at(6), "TRUNCATE shop_06.t_order")


@plant("rows in the wrong shard", "a locator's row lies in another order's shard", "shop_by_order_", "t_order__by_order_id")
def locator_wrong(fleet: Fleet):
    order = next(order for order in range(1, 1000) if shard_of(order) == 4)
    table = "shop_by_order_11.t_order__by_order_id"
    fleet.run(fleet.at(11), f"INSERT INTO {table} (order_id, user_id) VALUES ({order}, 7)")
    yield
    fleet.run(fleet.at(11), f"TRUNCATE {table}")


@plant("rows in the template", "an order in the logical database of a node", "shop.t_order", "node1", "template")
def template_row(fleet: Fleet):
    fleet.run(1, ORDER.format(database="shop", user=5))
    yield
    fleet.run(1, "TRUNCATE shop.t_order")


@plant("rows in the template", "a single table's row on a node that is not its own", "t_setting", "node1")
def single_row(fleet: Fleet):
    fleet.run(1, "INSERT INTO shop.t_setting VALUES ('a', 'b')")
    yield
    fleet.run(1, "TRUNCATE shop.t_setting")


@plant("versions and collations", "one node is older", "node1", "version|10.6.11", kinds=("mariadb",))
def version_mariadb(fleet: Fleet):
    with fleet.restarted(1, "--version=10.6.11-MariaDB-log"):
        yield


@plant("versions and collations", "one node is a MariaDB", "node1", "mariadb", "version|9.|mysql", kinds=("mysql",))
def version_mysql(fleet: Fleet):
    ours = fleet.node(1)
    ours.stop()
    other = Node(KINDS["mariadb"], fleet.cluster.folder / "other", "other", 1, port=ours.port)
    other.folder.mkdir()
    copy_tree(template(other.kind), other.folder / "data")
    try:
        other.restart()
        yield
    finally:
        other.kill()
        shutil.rmtree(other.folder)
        ours.restart()


@plant("versions and collations", "one node's default collation is another", "node1", "collation", "utf8mb4_bin")
def collation_server(fleet: Fleet):
    with fleet.setting(1, "collation_server", "'utf8mb4_bin'"):
        yield


@plant("rights", "no XA_RECOVER_ADMIN", "node1", "XA_RECOVER_ADMIN", kinds=("mysql",))
def right_recover(fleet: Fleet):
    with fleet.without(1, "XA_RECOVER_ADMIN"):
        yield


@plant("rights", "no DELETE", "node1", "DELETE", kinds=("mariadb",))
def right_delete(fleet: Fleet):
    with fleet.without(1, "DELETE"):
        yield


@plant("rights", "no CREATE TEMPORARY TABLES", "node0", "CREATE TEMPORARY TABLES")
def right_temporary(fleet: Fleet):
    with fleet.without(0, "CREATE TEMPORARY TABLES"):
        yield


@plant("settings", "sql_mode: NO_BACKSLASH_ESCAPES on one node", "node1", "sql_mode", "NO_BACKSLASH_ESCAPES")
def sql_mode(fleet: Fleet):
    with fleet.setting(1, "sql_mode", "'NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES'"):
        yield


@plant("settings", "lower_case_table_names on one node", "node1", "lower_case_table_names")
def lower_case(fleet: Fleet):
    if fleet.kind == "mariadb":
        with fleet.restarted(1, "--lower-case-table-names=1"):
            yield
        return
    # MySQL fixes it when the data directory is made: a server of its own for as long as check looks.
    ours = fleet.node(1)
    ours.stop()
    other = Node(ours.kind, fleet.cluster.folder / "other", "other", 1, port=ours.port)
    other.folder.mkdir()
    option = "--lower-case-table-names=1"
    subprocess.run([ours.kind.program("mysqld"), "--initialize-insecure", f"--datadir={other.folder / 'data'}", option,
                    "--user=root"], check=True, stdin=subprocess.DEVNULL, capture_output=True)
    other.options = [option]
    try:
        other.start()
        make_user(other)
        fleet.apply()
        yield
    finally:
        other.kill()
        shutil.rmtree(other.folder)
        ours.restart()


def make_user(node: Node) -> None:
    import time
    until = time.monotonic() + 60
    while True:
        try:
            root = node.connect(user="root", password="")
            break
        except (pymysql.err.OperationalError, OSError):
            if time.monotonic() > until or not node.running():
                raise
            time.sleep(0.05)
    with root, root.cursor() as cursor:
        cursor.execute(f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}'")
        cursor.execute(f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'%' WITH GRANT OPTION")


@plant("settings", "binlog_format = STATEMENT", "node0", "binlog_format|binary log", "row")
def binlog_format(fleet: Fleet):
    with fleet.setting(0, "binlog_format", "'STATEMENT'"):
        yield


@plant("settings", "room for 100 prepared statements", "node1", "max_prepared_stmt_count", "100")
def prepared(fleet: Fleet):
    with fleet.setting(1, "max_prepared_stmt_count", "100"):
        yield


@plant("settings", "two nodes with one server_id", "node0", "node1", "server_id")
def server_id(fleet: Fleet):
    with fleet.setting(1, "server_id", "1"):
        yield


@plant("settings", "semi-synchronous replication on node0 alone", "node1", "semi-sync", in_notes=True)
def semi_sync(fleet: Fleet):
    if fleet.kind == "mysql":
        fleet.run(0, "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'")
    name = "rpl_semi_sync_source_enabled" if fleet.kind == "mysql" else "rpl_semi_sync_master_enabled"
    with fleet.setting(0, name, "ON"):
        assert not any("node0" in note and "semi-sync" in note for note in fleet.check().notes), "node0 has it"
        yield
    if fleet.kind == "mysql":
        fleet.run(0, "UNINSTALL PLUGIN rpl_semi_sync_source")
