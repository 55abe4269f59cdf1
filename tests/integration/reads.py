"""Sixty reads and more, through Shardway and on a plain server of the same kind: rows, their order, labels, and all that
column definitions say. Used by `reads` (the whole, 200,000 orders) and by reads_test.py (a tenth of it)."""
from __future__ import annotations

import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cases"))

import reads_data  # noqa: E402
from client import Answer, Column, RawClient  # noqa: E402

LOADERS = 3
# PRI_KEY, UNIQUE_KEY, MULTIPLE_KEY, PART_KEY: a server leaves them out where it answers from a temporary table, and so
# says now this, now that of one statement, as its optimizer chooses.
KEY_FLAGS = 2 | 4 | 8 | 16384
BINARY_FLAG = 128
NUMBERS = {0, 1, 2, 3, 4, 5, 8, 9, 13, 246}  # types; "binary" says nothing of them, and comes and goes likewise


@dataclass
class Read:
    name: str
    order: str           # "ordered", "any", "keys"
    keys: list[int]      # of order "keys": columns whose sequence is fixed, from 1
    statement: str


@dataclass
class Verdict:
    read: Read
    verdict: str         # right, refused, wrong
    rows: int
    shards: int
    milliseconds: tuple[float, float]  # Shardway, plain
    why: str = ""


def load_reads(file: Path = HERE / "reads.sql") -> list[Read]:
    reads = []
    for name, order, statement in re.findall(r"^-- ([^|\n]+) \| ([a-z0-9 ]+)\n(.*?);$", file.read_text(), re.S | re.M):
        word, *keys = order.split()
        if word not in ("ordered", "any", "keys") or bool(keys) != (word == "keys"):
            raise ValueError(f"the order of '{name}' is '{order}'")
        reads.append(Read(name.strip(), word, [int(key) for key in keys], statement.strip()))
    return reads


def fill(clients: list[RawClient], statements: list[str]) -> None:
    """Runs the statements over all clients; small tables first, so that their order does not matter."""
    def work(client: RawClient, mine: list[str]) -> None:
        for statement in mine:
            answer = client.run(statement)[-1]
            if answer.kind != "ok":
                raise AssertionError(f"{statement[:120]}… was answered with {answer}")

    with ThreadPoolExecutor(len(clients)) as pool:
        parts = [statements[index::len(clients)] for index in range(len(clients))]
        for done in [pool.submit(work, client, part) for client, part in zip(clients, parts)]:
            done.result()


def load(shardway: dict, plain: dict, orders: int) -> tuple[float, float]:
    """Fills both; `shardway` and `plain` are options of RawClient. Seconds each took."""
    statements = list(reads_data.inserts(orders))

    def timed(options: dict) -> float:
        clients = [RawClient(**options) for _ in range(LOADERS)]
        begin = time.monotonic()
        try:
            fill(clients, statements)
        finally:
            for client in clients:
                client.close()
        return time.monotonic() - begin

    return timed(shardway), timed(plain)


def steady(column: Column) -> Column:
    """What a server says of a column whichever way it finds the rows."""
    hidden = KEY_FLAGS | (BINARY_FLAG if column.type in NUMBERS else 0)
    # An expression has no original name; from a temporary table it comes with its alias.
    return replace(column, flags=column.flags & ~hidden, org_name=column.org_name if column.org_table else "")


def differs(read: Read, seen: Answer, wanted: Answer, plain_database: str) -> str:
    if seen.kind != "rows" or wanted.kind != "rows":
        return "" if str(seen) == str(wanted) else f"is {seen}, expected {wanted}"
    if seen.labels() != wanted.labels():
        return f"labels {seen.labels()}, expected {wanted.labels()}"
    for one, other in zip(seen.columns, wanted.columns):
        one, other = steady(one), steady(other)
        if other.database == plain_database:
            other = replace(other, database="shop")
        if one != other:
            return f"column {one.label}: " + ", ".join(
                f"{part} {getattr(one, part)!r}, expected {getattr(other, part)!r}"
                for part in Column.__dataclass_fields__ if getattr(one, part) != getattr(other, part))
    if len(seen.rows) != len(wanted.rows):
        return f"{len(seen.rows)} rows, expected {len(wanted.rows)}"
    if read.order == "ordered":
        for index, (one, other) in enumerate(zip(seen.rows, wanted.rows)):
            if one != other:
                return f"row {index} is {one}, expected {other}"
        return ""
    in_order = lambda row: tuple((value is not None, value or b"") for value in row)  # noqa: E731
    for one, other in zip(sorted(seen.rows, key=in_order), sorted(wanted.rows, key=in_order)):
        if one != other:
            return f"a row is {one}, expected {other}"
    for index, (one, other) in enumerate(zip(seen.rows, wanted.rows)):
        for key in read.keys:
            if one[key - 1] != other[key - 1]:
                return f"row {index} has {one[key - 1]} in column {key}, expected {other[key - 1]}"
    return ""


def run_read(read: Read, shardway: RawClient, plain: RawClient, cluster, plain_database: str) -> Verdict:
    """Runs it at both places. The nodes' general logs tell how many shards took part."""
    marks = cluster.mark()
    begin = time.monotonic()
    seen = shardway.run(read.statement)[-1]
    middle = time.monotonic()
    sent = cluster.statements_since(marks)
    shards = {name for texts in sent.values() for text in texts for name in re.findall(r"\bshop_\d\d\b", text)}
    plain_begin = time.monotonic()
    wanted = plain.run(read.statement)[-1]
    spent = ((middle - begin) * 1000, (time.monotonic() - plain_begin) * 1000)
    if wanted.kind != "rows":
        return Verdict(read, "wrong", 0, len(shards), spent, f"the plain server says {wanted}")
    if seen.refused():
        return Verdict(read, "refused", 0, len(shards), spent, str(seen))
    why = differs(read, seen, wanted, plain_database)
    return Verdict(read, "wrong" if why else "right", len(wanted.rows), len(shards), spent, why)


def show_log(cluster, on: bool) -> None:
    for node in cluster.nodes:
        node.query(f"SET GLOBAL general_log = {int(on)}")


def table(verdicts: list[Verdict]) -> str:
    lines = [f"{'read':<48}{'':>8}{'rows':>8}{'shards':>8}{'ms':>9}{'plain ms':>10}"]
    for one in verdicts:
        lines.append(f"{one.read.name:<48}{one.verdict:>8}{one.rows:>8}{one.shards or '':>8}"
                     f"{one.milliseconds[0]:>9.1f}{one.milliseconds[1]:>10.1f}")
        if one.why:
            lines.append(f"    {one.why[:600]}")
    counts = {word: sum(one.verdict == word for one in verdicts) for word in ("right", "refused", "wrong")}
    scattered = sum(one.verdict == "right" and one.shards > 1 for one in verdicts)
    lines.append(f"{counts['right']} right ({scattered} over several shards), {counts['refused']} refused, {counts['wrong']} wrong")
    return "\n".join(lines)
