"""Faults in a rules file or in a schema under it. They were written from what check promises, not from its code."""
from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODEL = HERE.parent.parent / "model"

from plants import Plant  # noqa: E402

PLANTS: list[Plant] = []


class Model:
    """The model's rules and schema, to be damaged."""

    def __init__(self) -> None:
        self.rules = (MODEL / "shardway.yaml").read_text()
        self.schema = (MODEL / "orders.sql").read_text()

    def in_rules(self, old: str, new: str, count: int = 1) -> None:
        self.rules = replaced(self.rules, old, new, count)

    def in_schema(self, old: str, new: str, count: int = 1) -> None:
        self.schema = replaced(self.schema, old, new, count)

    def in_table(self, table: str, old: str, new: str) -> None:
        """Within that table's CREATE TABLE alone."""
        whole = re.search(rf"CREATE TABLE {table} \(.*?;", self.schema, re.S).group()
        self.schema = self.schema.replace(whole, replaced(whole, old, new, 1))

    def key_type(self, definition: str, *tables: str) -> None:
        for table in tables:
            self.in_table(table, r"user_id +BIGINT +NOT NULL", f"user_id {definition}")

    def one_table(self, group: str, tables: str, schema: str) -> None:
        """Another database, `extra`, with one group and its tables."""
        self.in_rules(r"^  legacy:", f"  extra:\n    default_node: node0\n    groups:\n      only:\n{group}"
                                     f"    tables:\n{tables}  legacy:")
        self.schema += f"\nCREATE DATABASE extra;\nUSE extra;\n{schema}\n"


def replaced(text: str, old: str, new: str, count: int) -> str:
    text, times = re.subn(old, lambda _: new, text, count=count, flags=re.M)
    assert times == count, f"'{old}' is {times} times in the model, not {count}"
    return text


def plant(clause: str, name: str, *words: str):
    def keep(work):
        PLANTS.append(Plant(clause, name, list(words), work))
        return work
    return keep


@plant("unique keys", "t_user gets UNIQUE (phone)", "t_user", "uk_phone", "locator")
def unique_without_key(model: Model) -> None:
    model.in_table("t_user", r"created_at  DATETIME\(6\)  NOT NULL", "created_at DATETIME(6) NOT NULL,\n  UNIQUE KEY uk_phone (phone)")


@plant("unique keys", "UNIQUE (order_id), and its locator is gone", "t_order", "uk_order", "locator")
def unique_without_locator(model: Model) -> None:
    model.in_rules(r"^ +locators:\n.*order_id: \{group: by_order\}.*\n", "")
    model.in_table("t_order", r"uk_order \(user_id, order_id\)", "uk_order (order_id)")


@plant("unique keys", "the primary key of t_order_item leaves user_id out", "t_order_item", "PRIMARY", "locator")
def primary_without_key(model: Model) -> None:
    model.in_table("t_order_item", r"PRIMARY KEY \(user_id, item_id\)", "PRIMARY KEY (item_id)")


@plant("locator and gene columns", "a locator on a DOUBLE", "t_order", "order_id", "double")
def locator_type(model: Model) -> None:
    model.in_table("t_order", r"order_id    BIGINT  ", "order_id    DOUBLE  ")
    model.in_rules(r"^        id: \{column: order_id, generator: snowflake\}.*\n", "")


@plant("locator and gene columns", "a gene in a VARCHAR", "t_order", "gene", "order_id", "varchar")
def gene_type(model: Model) -> None:
    model.in_rules(r"^ +locators:\n.*order_id: \{group: by_order\}.*\n", "        gene: {column: order_id, bits: 8}\n")
    model.in_rules(r"^        id: \{column: order_id, generator: snowflake\}.*\n", "")
    model.in_table("t_order", r"order_id    BIGINT       ", "order_id    VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin")


@plant("key types in a group", "t_user's key is a string, the others' are numbers", "t_user", "user_id", "varchar|texts", "integers")
def members_string_and_number(model: Model) -> None:
    model.key_type("VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL", "t_user")


@plant("key types in a group", "one key is a DATE, the other a DATETIME", "t_moment", "datetime", "date,")
def members_date_and_datetime(model: Model) -> None:
    model.one_table("        algorithm: {type: time, unit: month, from: 2026-01, to: 2026-12}\n        slots_per_shard: 1\n"
                    "        place: {node0: 0-5, node1: 6-11}\n        layout: {database: \"extra_{shard:02}\"}\n",
                    "      t_day: {group: only, key: made}\n      t_moment: {group: only, key: made}\n",
                    "CREATE TABLE t_day (id INT NOT NULL, made DATE NOT NULL, KEY (id));\n"
                    "CREATE TABLE t_moment (id INT NOT NULL, made DATETIME NOT NULL, KEY (id));")


@plant("gaps and overlaps", "a range's boundaries fall", "boundaries", "20000000|10000000")
def range_falls(model: Model) -> None:
    model.in_rules(r"\{type: hash, function: crc32, slots: 256\} +# crc32.*$", "{type: range, boundaries: [20000000, 10000000]}")
    model.in_rules(r"^        slots_per_shard: 16  .*\n        place: .*$", "        slots_per_shard: 1\n        place: {node0: 0, node1: 1, node2: 2}")


@plant("gaps and overlaps", "a list names one value for two slots", "values", "hk")
def list_overlaps(model: Model) -> None:
    model.one_table("        algorithm: {type: list, values: {0: [cn, hk], 1: [us, hk]}}\n        slots_per_shard: 1\n"
                    "        place: {node0: 0, node1: 1}\n        layout: {database: \"extra_{shard:02}\"}\n",
                    "      t_land: {group: only, key: land}\n",
                    "CREATE TABLE t_land (land VARCHAR(2) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY);")


@plant("gaps and overlaps", "two nodes are given the same slots", "by_user", "place", "node1", "node0|64")
def place_overlaps(model: Model) -> None:
    model.in_rules(r"node0: 0-63, node1: 64-127, node2: 128-191, node3: 192-255\}     # slots", "node0: 0-79, node1: 64-127, node2: 128-191, node3: 192-255}     # slots")


def ring(model: Model, place: str) -> None:
    model.one_table("        algorithm: {type: ring, vnodes: 160}\n        slots_per_shard: 1\n"
                    f"        place: {place}\n        layout: {{database: \"extra_{{shard:02}}\"}}\n",
                    "      t_session: {group: only, key: id}\n",
                    "CREATE TABLE t_session (id BIGINT NOT NULL PRIMARY KEY);")


@plant("gaps and overlaps", "a ring with a gap between its members' slots", "only", "place", "1")
def ring_gap(model: Model) -> None:
    ring(model, "{node0: 0, node1: 2, node2: 3}")


@plant("gaps and overlaps", "two members of a ring in one slot", "only", "place", "node1|node0")
def ring_overlap(model: Model) -> None:
    ring(model, "{node0: 0, node1: 0, node2: 1}")


@plant("key column", "it may be NULL", "t_order_item", "user_id", "null")
def key_nullable(model: Model) -> None:
    model.key_type("BIGINT NULL", "t_order_item")
    model.in_table("t_order_item", r"PRIMARY KEY \(user_id, item_id\)", "KEY idx_item (user_id, item_id)")


@plant("key column", "it is a DOUBLE", "t_user", "user_id", "double")
def key_floating(model: Model) -> None:
    model.key_type("DOUBLE NOT NULL", "t_user", "t_order", "t_order_item")


@plant("key column", "its collation calls a and A equal", "t_user", "user_id", "utf8mb4_general_ci")
def key_collation(model: Model) -> None:
    model.key_type("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL", "t_user", "t_order", "t_order_item")


@plant("slots without a node", "nobody has slots 128-191", "by_user", "place", "128")
def slots_without_node(model: Model) -> None:
    model.in_rules(r"node1: 64-127, node2: 128-191, node3: 192-255\}     # slots", "node1: 64-127, node3: 192-255}     # slots")


@plant("shards cut by place", "node0 ends at slot 70, in the middle of a shard", "by_user", "place", "70|71", "shard|16")
def shard_cut(model: Model) -> None:
    model.in_rules(r"node0: 0-63, node1: 64-127, node2: 128-191, node3: 192-255\}     # slots", "node0: 0-70, node1: 71-127, node2: 128-191, node3: 192-255}     # slots")


@plant("two groups, one database", "by_order lies in by_user's databases", "by_order", "by_user", "shop_00")
def shared_database(model: Model) -> None:
    model.in_rules(r'"shop_by_order_\{shard:02\}"', '"shop_{shard:02}"')


@plant("reserved names", "a logical database is called shardway_meta", "shardway_meta")
def reserved_name(model: Model) -> None:
    model.in_rules(r"^  legacy:", "  shardway_meta:")
