"""The two fleets: their tables, where these lie, and the rows that are written."""
from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass
class Table:
    name: str
    keys: list[str]
    key_types: list[str]
    places: list[tuple[int, str, str]]   # node, database, physical table
    first: list[tuple]                   # the judge's rows: keys, n, s
    second: list[tuple]                  # Shardway's
    judge: str = ""                      # of kingshard: the rule
    numbers: list[int] = field(default_factory=list)  # of kingshard: the number of each place
    reference: bool = False
    rows: list[tuple] = field(default_factory=list)   # what is there

    @property
    def columns(self) -> list[str]:
        return [*self.keys, "n", "s"]

    @property
    def body(self) -> str:
        keys = "".join(f"{key} {kind} NOT NULL, " for key, kind in zip(self.keys, self.key_types))
        return (f"({keys}n INT NOT NULL, s VARCHAR(20) NOT NULL, PRIMARY KEY ({', '.join(self.keys)}, n)) "
                "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin")


@dataclass
class Fleet:
    name: str
    user: str
    tables: list[Table]
    queries: list[str] = field(default_factory=list)
    before_apply: list[tuple[int, str]] = field(default_factory=list)


def literal(value: object) -> str:
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


WORDS = ["red", "green", "blue", "black", "white"]


def rows_of(keys: list, begin: int) -> list[tuple]:
    """Rows with these keys (or tuples of keys); n tells them apart."""
    rows = []
    for position, key in enumerate(keys):
        key = key if isinstance(key, tuple) else (key,)
        rows.append((*key, begin + position, WORDS[position % len(WORDS)]))
    return rows


# Keys: plain ones, negative ones, large ones, and both ends of 64 bits.
def numbers(count: int) -> list[int]:
    return [*range(-12, 13), 2**31, -2**31 - 1, 2**32, 2**53 + 1, 2**63 - 1, -2**63, 10**18 + 7, -10**18 - 7,
            *(random.randrange(-2**63, 2**63) for _ in range(count)), *(random.randrange(1, 10**6) for _ in range(count))]


def positive(count: int) -> list[int]:
    return [*range(0, 12), 2**31, 2**32, 2**53 + 1, 2**63 - 1, *(random.randrange(2**63) for _ in range(count))]


def texts(count: int) -> list[str]:
    odd = ["", "a", "A", "ab", "0", "1", "42", "042", "00", "-1", "-42", "+7", " 1", "1.5", "1e3", "0x10", "12 34", "1_000",
           "18446744073709551615", "18446744073709551616", "99999999999999999999999", "00000000000000000000000000007",
           "9223372036854775808", "O'Neil", "back\\slash", "\u00e9t\u00e9", "\u4f60\u597d", "\U0001f600", "\u0661\u0662",
           "a|b", "per%cent"]
    words = ["".join(random.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(random.randrange(1, 16)))
             for _ in range(count)]
    return odd + words + [str(random.randrange(10**random.randrange(1, 22))) for _ in range(count)]


def moments(days: list[str], form: str) -> list[str]:
    times = ["00:00:00", "23:59:59", "12:30:00"]
    if form == "day":
        return days
    return [f"{day} {time}" + (".999" if form == "milli" else "") for day in days for time in times]


def split(keys: list, begin: int = 0) -> tuple[list[tuple], list[tuple]]:
    """Two thirds of the keys for the judge. Shardway gets the others, and some of the judge's again."""
    keys = list(dict.fromkeys(keys))
    random.shuffle(keys)
    cut = len(keys) * 2 // 3
    return rows_of(keys[:cut], begin), rows_of(keys[cut:] + keys[:8], begin + 10_000)


def kingshard() -> Fleet:
    def table(name: str, key: str, kind: str, database: str, rule: str, tables: list[int], keys: list) -> Table:
        places = [(0 if at < len(tables) // 2 else 1, database, f"{name}_{number:04}") for at, number in enumerate(tables)]
        first, second = split(keys)
        return Table(name, [key], [kind], places, first, second, rule, tables)

    days = [f"2026-01-{day:02}" for day in range(1, 7)] + ["2025-12-31", "2026-01-07"]  # the last two: no table
    months = ["2025-10-31", "2025-11-01", "2025-11-30", "2025-12-31", "2026-01-01", "2026-01-31", "2026-02-28", "2026-03-01",
              "2026-04-30", "2026-05-01"]
    years = ["2023-12-31", "2024-01-01", "2024-02-29", "2024-12-31", "2025-01-01", "2026-07-04", "2027-12-31", "2028-01-01"]
    return Fleet("kingshard", "kingshard", [
        table("t_order", "user_id", "BIGINT", "kingshard", "hash:8", list(range(8)), numbers(20)),
        table("t_log", "name", "VARCHAR(64)", "kingshard_log", "hash:4", list(range(4)), texts(25)),
        table("t_device", "device_id", "BIGINT", "kingshard_device", "hash:6", list(range(6)), numbers(25)),
        table("t_bill", "bill_no", "BIGINT", "kingshard_bill", "range:1000:4", list(range(4)),
              [-1, 0, 1, 999, 1000, 1001, 1999, 2000, 2999, 3000, 3999, 4000, *(random.randrange(4000) for _ in range(40))]),
        table("t_click", "clicked", "DATE", "kingshard_day", "day", list(range(20260101, 20260107)), days * 1),
        table("t_visit", "visited", "DATETIME", "kingshard_month", "month",
              [202511, 202512, 202601, 202602, 202603, 202604], moments(months, "second")),
        table("t_report", "made", "DATETIME(3)", "kingshard_year", "year", [2024, 2025, 2026, 2027], moments(years, "milli")),
    ])


def shardingsphere() -> Fleet:
    def table(name: str, keys: list[str], kinds: list[str], places: list, values: list, begin: int = 0) -> Table:
        return Table(name, keys, kinds, places, *split(values, begin))

    pairs = [(user, order) for user in positive(6) for order in random.sample(positive(6), 4)]
    months = ["2025-11-01", "2025-11-30", "2025-12-31", "2026-01-01", "2026-01-31", "2026-02-28", "2026-03-01", "2026-04-30"]
    items = table("t_order_item", ["user_id", "order_id"], ["BIGINT", "BIGINT"],
                  [(0, "ds_0", "t_order_item_0"), (0, "ds_0", "t_order_item_1"), (1, "ds_1", "t_order_item_0"),
                   (1, "ds_1", "t_order_item_1")], pairs)
    tables = [
        table("t_order", ["user_id", "order_id"], ["BIGINT", "BIGINT"],
              [(0, "ds_0", "t_order_0"), (0, "ds_0", "t_order_1"), (1, "ds_1", "t_order_0"), (1, "ds_1", "t_order_1")], pairs),
        items,
        table("t_point", ["point_id"], ["BIGINT"], [(at % 2, f"point_{at % 2}", f"t_point_{at}") for at in range(6)], numbers(25)),
        table("t_bill", ["bill_no"], ["BIGINT"], [(at % 2, f"bill_{at % 2}", f"t_bill_{at}") for at in range(5)],
              [-2**63, -1, 0, 1, 999, 1000, 1999, 2000, 2999, 3000, 3001, 2**63 - 1, *(random.randrange(-500, 4000) for _ in range(40))]),
        table("t_score", ["score"], ["BIGINT"], [(at % 2, f"score_{at % 2}", f"t_score_{at}") for at in range(4)],
              [-2**63, -101, -100, -99, -1, 0, 1, 99, 100, 101, 2**63 - 1, *(random.randrange(-200, 200) for _ in range(40))]),
        table("t_visit", ["visited"], ["DATETIME"],
              [(0 if month < "202602" else 1, "visit_0" if month < "202602" else "visit_1", f"t_visit_{month}")
               for month in ("202511", "202512", "202601", "202602", "202603", "202604")], moments(months, "second")),
        table("t_shop", ["region", "id"], ["VARCHAR(8)", "BIGINT"],
              [(at // 2, f"region_{region}", "t_shop") for at, region in enumerate(["cn", "hk", "us", "eu"])],
              [(region, number) for region in ("cn", "hk", "us", "eu") for number in numbers(0)[:9]]),
    ]
    # ShardingSphere keeps a copy of a broadcast table in every data source; one on each node stays.
    sources = sorted({place[:2] for table in tables for place in table.places})
    tables.append(Table("t_address", ["address_id"], ["BIGINT"], [(*source, "t_address") for source in sources],
                        rows_of(list(range(20)), 0), [], reference=True))
    joined = [
        "SELECT o.user_id, o.order_id, o.n, i.n FROM t_order o JOIN t_order_item i ON o.user_id = i.user_id AND "
        "o.order_id = i.order_id ORDER BY 1, 2, 3, 4",
        "SELECT o.s, COUNT(*), SUM(i.n) FROM t_order o JOIN t_order_item i ON o.user_id = i.user_id AND "
        "o.order_id = i.order_id GROUP BY o.s ORDER BY o.s",
        "SELECT o.user_id, a.s FROM t_order o JOIN t_address a ON a.address_id = o.n ORDER BY 1, 2",
        "SELECT COUNT(*) FROM t_order WHERE user_id IN (1, 3, 5)",
        "SELECT COUNT(*) FROM t_order WHERE order_id IN (2, 4, 6)",
        "SELECT user_id, order_id, s FROM t_order WHERE user_id = 3 ORDER BY order_id, n",
        "SELECT user_id, order_id, s FROM t_order WHERE order_id = 4 ORDER BY user_id, n",
    ]
    moved = [(node, f"RENAME TABLE ds_{node}.t_address TO shop.t_address") for node in (0, 1)]
    moved += [(node, f"DROP TABLE {source}.t_address") for node, source in sources if not source.startswith("ds_")]
    return Fleet("shardingsphere", "app", tables, joined, moved)


FLEETS = {"kingshard": kingshard, "shardingsphere": shardingsphere}
