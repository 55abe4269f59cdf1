"""The data of the reads: a schema close to the model's and rows for it, the same at every run. Small pools of values make
ties; NULLs, accents, letters that differ in case only, empty texts and blanks at the end are among them."""
from __future__ import annotations

import datetime
import random
from typing import Iterator

ORDERS = 200_000
MERCHANTS = 240

SCHEMA = """
CREATE TABLE t_user (
  user_id     BIGINT       NOT NULL PRIMARY KEY,
  name        VARCHAR(64)  NOT NULL,
  phone       VARCHAR(20)  NULL,
  city        VARCHAR(32)  NULL,
  level       ENUM('gold','silver','bronze','none') NULL,
  birthday    DATE         NULL,
  score       FLOAT        NULL,
  created_at  DATETIME(6)  NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE t_order (
  user_id     BIGINT        NOT NULL,
  order_id    BIGINT        NOT NULL,
  merchant_id BIGINT        NOT NULL,
  status      TINYINT       NOT NULL,
  channel     ENUM('web','app','shop','phone') NULL,
  amount      DECIMAL(12,2) NOT NULL,
  discount    DECIMAL(5,2)  NULL,
  note        VARCHAR(255)  NULL,
  created_at  DATETIME(6)   NOT NULL,
  updated_at  DATETIME(6)   NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  PRIMARY KEY (user_id, created_at, order_id),
  UNIQUE KEY uk_order (user_id, order_id),
  KEY idx_merchant (merchant_id, status, created_at),
  KEY idx_time (created_at),
  KEY idx_order (order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE t_order_item (
  user_id   BIGINT        NOT NULL,
  item_id   BIGINT        NOT NULL,
  order_id  BIGINT        NOT NULL,
  sku       VARCHAR(40)   NOT NULL,
  qty       INT           NOT NULL,
  price     DECIMAL(10,2) NOT NULL,
  PRIMARY KEY (user_id, item_id),
  KEY idx_order (user_id, order_id),
  KEY idx_sku (sku)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE t_merchant (
  merchant_id BIGINT      NOT NULL PRIMARY KEY,
  name        VARCHAR(64) NOT NULL,
  city        VARCHAR(32) NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE t_setting (
  name  VARCHAR(64)  NOT NULL PRIMARY KEY,
  value VARCHAR(255) NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
"""

NAMES = ["Ann", "ann", "Zoë", "Zoe", "José", "JOSÉ", "jose", "Łukasz", "Ärger", "Arne", "Årne", "Søren", "Ünal", "straße",
         "strasse", "李雷", "韩梅梅", "Ñandú", "Nandu", "O'Neil", "back\\slash", "Ægir", "naïve", "NAIVE", "😀 smile"]
CITIES = [None, "Oslo", "oslo", "Malmö", "MALMÖ", "Malmo", "Zürich", "Zurich", "Riga", "Łódź", "Århus", "北京", ""]
NOTES = [None, None, None, "", "gift", "Gift", "gíft", "late", "late ", "für Oma", "fur oma", "Ø", "o", "zz", "Zz",
         "100%", "a_b", "snowman ☃", "tab\there"]
SKUS = [f"{letter}-{number}" for letter in ("A", "a", "Á", "B", "sku", "SKU") for number in range(1, 13)]
START = datetime.datetime(2025, 1, 1)


def quote(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
    if isinstance(value, datetime.datetime):
        return f"'{value:%Y-%m-%d %H:%M:%S.%f}'"
    return str(value)


def cents(value: int) -> str:
    return f"{value // 100}.{value % 100:02}"


def users(count: int) -> Iterator[str]:
    draw = random.Random(1)
    for user in range(1, count + 1):
        name = draw.choice(NAMES) + (f" {user % 50}" if user % 3 else "")
        phone = None if user % 7 == 0 else f"+47{user * 7919 % 100000:05}"
        level = draw.choice([None, "gold", "silver", "bronze", "none"])
        birthday = None if user % 11 == 0 else f"{1950 + user % 60}-{user % 12 + 1:02}-{user % 28 + 1:02}"
        score = None if user % 13 == 0 else f"{user % 977 / 7:.4f}"
        created = START + datetime.timedelta(hours=user % 2000, microseconds=user % 4 * 250_000)
        yield (f"({user},{quote(name)},{quote(phone)},{quote(draw.choice(CITIES))},{quote(level)},{quote(birthday)},"
               f"{score or 'NULL'},{quote(created)})")


def orders_and_items(count: int) -> tuple[list[str], list[str]]:
    draw = random.Random(2)
    orders, items = [], []
    item = 0
    for order in range(1, count + 1):
        # A tenth of the users place half of the orders; every 17th has none.
        user = draw.randint(1, count // 100) if order % 2 else draw.randint(1, count // 10)
        user += user % 17 == 0
        # Merchant 1 takes a fifth of all, 2 and 3 much.
        merchant = 1 if order % 5 == 0 else draw.randint(2, 3) if order % 7 == 0 else draw.randint(4, 200)
        created = START + datetime.timedelta(hours=draw.randint(0, 8000),
                                             microseconds=draw.choice([0, 0, 0, 1, 500_000, 999_999]))
        amount = draw.choice([100, 999, 1000, 1050, 2000, 9999, 10000, draw.randint(1, 500_000)])
        discount = draw.choice(["NULL", "NULL", "0.00", "0.50", cents(draw.randint(0, 99_999))])
        orders.append(f"({user},{order},{merchant},{draw.choice([0, 1, 1, 2, 3, 5, -1])},"
                      f"{quote(draw.choice([None, 'web', 'app', 'shop', 'phone']))},{cents(amount)},{discount},"
                      f"{quote(draw.choice(NOTES))},{quote(created)},{quote(created + datetime.timedelta(days=1))})")
        for _ in range(draw.choice([0, 1, 1, 2, 3])):
            item += 1
            items.append(f"({user},{item},{order},{quote(draw.choice(SKUS))},{draw.randint(1, 5)},"
                         f"{cents(draw.choice([100, 250, 999, draw.randint(1, 100_000)]))})")
    return orders, items


def merchants() -> Iterator[str]:
    for merchant in range(1, MERCHANTS + 1):
        yield f"({merchant},{quote(f'{NAMES[merchant % len(NAMES)]} {merchant % 40}')},{quote(CITIES[merchant % len(CITIES)])})"


def inserts(order_count: int = ORDERS, rows_per_statement: int = 1000) -> Iterator[str]:
    """The whole as multi-row INSERTs; there is a user for ten orders."""
    orders, items = orders_and_items(order_count)
    tables = {
        "t_merchant (merchant_id, name, city)": list(merchants()),
        "t_setting (name, value)": [f"('key {index}', {quote(None if index % 3 == 0 else str(index))})" for index in range(12)],
        "t_user (user_id, name, phone, city, level, birthday, score, created_at)": list(users(order_count // 10)),
        "t_order (user_id, order_id, merchant_id, status, channel, amount, discount, note, created_at, updated_at)": orders,
        "t_order_item (user_id, item_id, order_id, sku, qty, price)": items,
    }
    for table, rows in tables.items():
        for first in range(0, len(rows), rows_per_statement):
            yield f"INSERT INTO {table} VALUES " + ",".join(rows[first:first + rows_per_statement])
