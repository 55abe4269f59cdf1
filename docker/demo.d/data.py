"""The demo's shop: users, merchants, orders with their items. The same rows every time, so that what a document shows can
be checked; loaded through Shardway as an application would, by multi-row INSERTs over a few connections."""
from __future__ import annotations

import queue
import random
import threading
from datetime import datetime, timedelta
from typing import Callable, Iterator

VERSION = "1"              # raise it when the rows change: what an older demo loaded is not taken for these
USERS = 20_000
ORDERS = 200_000
MERCHANTS = 200
ROWS_PER_INSERT = 1_000
LOADERS = 4                # connections that insert side by side
WAITING_MAX = 16           # statements made ahead of them
STATEMENT_SECONDS_MAX = 120
FIRST_ORDER_ID = 1_000_001
BEGIN = datetime(2026, 1, 1)
END = datetime(2026, 7, 1)

FIRST_NAMES = ("Ada Alan Barbara Claude Donald Edith Edsger Frances Grace Hedy Ivan Jean John Karen Ken Leslie Lynn Margaret "
               "Niklaus Radia Robin Sophie Tony Whitfield").split()
LAST_NAMES = ("Abe Baker Costa Dubois Eriksen Fischer Garcia Haddad Ito Jansen Kim Larsen Moreau Novak Okafor Park Quist "
              "Rossi Silva Tanaka Usman Varga Wang Young").split()
CITIES = "Berlin Bogota Cairo Delhi Dublin Hanoi Lagos Lima Lisbon Madrid Nairobi Osaka Oslo Paris Prague Quito".split()
GOODS = ("apron basket candle desk easel fan globe hammer inkwell jar kettle lamp mirror notebook oven pillow quilt rug "
         "stool teapot umbrella vase whisk yarn").split()
# Of 100 orders: 6 are new, 9 paid, 15 sent, 65 received, 5 cancelled.
STATUS_OF_PERCENT = [0] * 6 + [1] * 9 + [2] * 15 + [3] * 65 + [4] * 5


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


def insert(table: str, columns: str, rows: list[str]) -> str:
    return f"INSERT INTO {table} ({columns}) VALUES " + ",".join(rows)


def in_batches(table: str, columns: str, rows: Iterator[str]) -> Iterator[tuple[str, int]]:
    batch: list[str] = []
    for row in rows:
        batch.append(row)
        if len(batch) == ROWS_PER_INSERT:
            yield insert(table, columns, batch), 0
            batch = []
    if batch:
        yield insert(table, columns, batch), 0


def user_rows(chance: random.Random) -> Iterator[str]:
    for user in range(1, USERS + 1):
        name = f"{chance.choice(FIRST_NAMES)} {chance.choice(LAST_NAMES)}"
        created = datetime(2025, 1, 1) + timedelta(minutes=25 * user)
        phone = f"'+{chance.randrange(10**10, 10**11)}'" if chance.random() < 0.9 else "NULL"
        yield f"({user},'{name}',{phone},'{chance.choice(CITIES)}','{created}')"


def merchant_rows(chance: random.Random) -> Iterator[str]:
    for merchant in range(1, MERCHANTS + 1):
        yield f"({merchant},'{chance.choice(LAST_NAMES)} & {chance.choice(LAST_NAMES)}','{chance.choice(CITIES)}')"


def order_statements(chance: random.Random) -> Iterator[tuple[str, int]]:
    """Orders in the order they were placed, with one to three items each. A few users and a few merchants have most."""
    apart = (END - BEGIN) / ORDERS
    item = 0
    orders: list[str] = []
    items: list[str] = []
    for index in range(ORDERS):
        order = FIRST_ORDER_ID + index
        user = int(USERS * chance.random() ** 1.5) + 1
        merchant = int(MERCHANTS * chance.random() ** 3) + 1
        status = chance.choice(STATUS_OF_PERCENT)
        placed = BEGIN + apart * (index + chance.random())
        total = 0
        for _ in range(chance.randrange(1, 4)):
            item += 1
            quantity, cents = chance.randrange(1, 4), chance.randrange(199, 30_000)
            total += quantity * cents
            items.append(f"({user},{item},{order},'{chance.choice(GOODS)}',{quantity},{money(cents)})")
        orders.append(f"({user},{order},{merchant},{status},{money(total)},'{placed}','{placed}')")
        if len(orders) == ROWS_PER_INSERT or index + 1 == ORDERS:
            yield insert("t_order", "user_id,order_id,merchant_id,status,amount,created_at,updated_at", orders), len(orders)
            yield insert("t_order_item", "user_id,item_id,order_id,sku,qty,price", items), 0
            orders, items = [], []


def statements() -> Iterator[tuple[str, int]]:
    """All of it: each INSERT, and how many orders it brings."""
    chance = random.Random(2026)
    yield insert("t_setting", "name,value", ["('currency','EUR')", "('shipping','free above 50.00')"]), 0
    yield from in_batches("t_merchant", "merchant_id,name,city", merchant_rows(chance))
    yield from in_batches("t_user", "user_id,name,phone,city,created_at", user_rows(chance))
    yield from order_statements(chance)


def load(connect: Callable[[], object], progress: Callable[[int, int], None]) -> None:
    """Inserts all of it by connections from `connect`. The first statement that fails ends it, with its error."""
    waiting: queue.Queue = queue.Queue(WAITING_MAX)
    problems: list[BaseException] = []
    loaded = [0] * LOADERS

    def loader(index: int) -> None:
        try:
            connection = connect()
            try:
                with connection.cursor() as cursor:
                    while (work := waiting.get()) is not None:
                        if not problems:
                            cursor.execute(work[0])
                            loaded[index] += work[1]
            finally:
                connection.close()
        except BaseException as problem:
            problems.append(problem)
            while waiting.get() is not None:  # whoever fills the queue must not wait for us
                pass

    threads = [threading.Thread(target=loader, args=(index,), daemon=True) for index in range(LOADERS)]
    for thread in threads:
        thread.start()
    for statement in statements():
        if problems:
            break
        waiting.put(statement)
        progress(sum(loaded), ORDERS)
    for _ in threads:
        waiting.put(None)
    while any(thread.is_alive() for thread in threads):
        for thread in threads:
            thread.join(0.1)
        progress(sum(loaded), ORDERS) if not problems else None
    if problems:
        raise problems[0]


# What to try first, with what it shows. Qualified names, so that they work whatever database the client chose.
TRY = [
    ("one user's latest orders: one shard of one node",
     "SELECT order_id, status, amount, created_at FROM shop.t_order WHERE user_id = 42 ORDER BY created_at DESC LIMIT 5;"),
    ("one order, by its number",
     "SELECT user_id, status, amount, created_at FROM shop.t_order WHERE order_id = 1100000;"),
    ("the dearest orders of all shards, merged in order",
     "SELECT order_id, user_id, amount FROM shop.t_order ORDER BY amount DESC, order_id LIMIT 5;"),
    ("what Shardway does with a statement, without running it",
     "EXPLAIN SHARDWAY SELECT order_id, created_at FROM shop.t_order WHERE merchant_id = 7 AND status = 1 "
     "ORDER BY created_at DESC LIMIT 5;"),
    ("where the shards lie",
     "SHARDWAY SHOW SHARDS;"),
]


def print_try() -> None:
    print("\nFive statements worth trying:\n")
    for what, statement in TRY:
        print(f"  -- {what}\n  {statement}")
