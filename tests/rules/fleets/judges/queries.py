"""What is asked of a table beside its rows one by one: twenty queries, by its first key."""
from __future__ import annotations

from judges.tables import Table, literal


def queries_of(table: Table) -> list[str]:
    key, name = table.keys[0], table.name
    values = sorted({row[0] for row in table.rows})
    some = [values[len(values) * part // 9] for part in range(1, 9)]
    a, b, c, d = map(literal, (some[0], some[2], some[5], some[7]))
    listed = ", ".join(map(literal, some))
    order = ", ".join([*table.keys, "n"])
    queries = [
        f"SELECT * FROM {name} ORDER BY {order}",
        f"SELECT * FROM {name}",
        f"SELECT COUNT(*), SUM(n), AVG(n), MIN({key}), MAX({key}), MIN(n), MAX(s) FROM {name}",
        f"SELECT * FROM {name} WHERE {key} = {a} ORDER BY {order}",
        f"SELECT * FROM {name} WHERE {key} IN ({listed}) ORDER BY {order}",
        f"SELECT COUNT(*) FROM {name} WHERE {key} NOT IN ({listed})",
        f"SELECT * FROM {name} WHERE {key} BETWEEN {b} AND {c} ORDER BY {order}",
        f"SELECT * FROM {name} WHERE {key} > {c} ORDER BY {order} DESC",
        f"SELECT {key}, n FROM {name} WHERE {key} <= {b} ORDER BY n",
        f"SELECT n FROM {name} WHERE {key} <> {a} ORDER BY n LIMIT 9",
        f"SELECT {key}, n, s FROM {name} ORDER BY n DESC LIMIT 7",
        f"SELECT {key}, n FROM {name} ORDER BY {order} LIMIT 5 OFFSET 10",
        f"SELECT s, COUNT(*), SUM(n), AVG(n) FROM {name} GROUP BY s ORDER BY s",
        f"SELECT s, MAX({key}) FROM {name} WHERE n > 5 GROUP BY s HAVING COUNT(*) > 1 ORDER BY s",
        f"SELECT DISTINCT s FROM {name} ORDER BY s",
        f"SELECT COUNT(DISTINCT s) FROM {name}",
        f"SELECT n FROM {name} WHERE {key} = {b} OR {key} = {d} ORDER BY n",
        f"SELECT n FROM {name} WHERE ({key} = {c} AND s <> 'red') OR n < 4 ORDER BY n",
        f"SELECT {key}, COUNT(*) FROM {name} GROUP BY {key} ORDER BY {key}",
        f"SELECT MAX(n) FROM {name} WHERE {key} >= {b} AND {key} < {d}",
    ]
    if "DATE" not in table.key_types[0]:  # MySQL takes IS NULL beside them for '0000-00-00', and refuses that in a view
        queries.append(f"SELECT COUNT(*) FROM {name} WHERE {key} IS NULL")
    if isinstance(some[0], int):
        queries.append(f"SELECT n FROM {name} WHERE {key} = '{some[3]}' ORDER BY n")
    return queries
