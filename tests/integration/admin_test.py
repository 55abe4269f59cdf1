"""What Shardway says of itself: SHARDWAY statements, SHOW PROCESSLIST and STATUS, /metrics and /healthz."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

from harness import Context, contains, equal, error_of, holds
from servers import free_port

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABELS = r'\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\}'
SAMPLE = re.compile(rf"({NAME})({LABELS})? ([-+]?(?:[0-9.]+(?:[eE][-+]?\d+)?|Inf|NaN))$")


def get(context: Context, path: str, method: str = "GET") -> tuple[int, str, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", context.cluster.admin_port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode(), response
    finally:
        connection.close()


def metrics(context: Context) -> dict[str, float]:
    """The samples of /metrics by name and labels, after the rules of the text format were checked."""
    status, text, response = get(context, "/metrics")
    equal(status, 200)
    contains(response.getheader("Content-Type"), "version=0.0.4")
    holds(text.endswith("\n"), "the last line has no end")
    samples: dict[str, float] = {}
    types: dict[str, str] = {}
    family = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = re.fullmatch(rf"# HELP ({NAME}) \S.*", line).group(1)
            holds(family not in types, f"{family} comes twice")
        elif line.startswith("# TYPE "):
            found = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line)
            holds(found and found.group(1) == family, f"{line} does not follow its HELP")
            types[family] = found.group(2)
        else:
            found = SAMPLE.fullmatch(line)
            holds(found, f"this is no sample: {line}")
            name, labels, value = found.groups()
            base = re.sub(r"_(bucket|sum|count)$", "", name) if types.get(family) == "histogram" else name
            equal(base, family, f"the family of {line}")
            key = name + (labels or "")
            holds(key not in samples, f"{key} comes twice")
            samples[key] = float(value)
            if types[family] == "counter":
                holds(name.endswith("_total") and samples[key] >= 0, line)
    for histogram in (name for name, kind in types.items() if kind == "histogram"):
        buckets = [(float(re.search(r'le="([^"]+)"', key).group(1)), value) for key, value in samples.items()
                   if key.startswith(histogram + "_bucket")]
        equal(buckets, sorted(buckets), "buckets in rising order")
        equal(buckets[-1], (float("inf"), samples[histogram + "_count"]), "the last bucket")
    return samples


def nodes(context: Context) -> dict[str, tuple]:
    return {row[0]: row for row in context.query("SHARDWAY SHOW NODES", user="ops", password="ops")}


def until(work, what: str, seconds: float = 10):
    deadline = time.monotonic() + seconds
    while True:
        seen = work()
        if seen:
            return seen
        holds(time.monotonic() < deadline, f"{what}, still not after {seconds} s")
        time.sleep(0.05)


def test_metrics_follow_what_happens(context: Context):
    before = metrics(context)
    with context.client() as client:
        for _ in range(5):
            client.query("SELECT * FROM t_order WHERE user_id = 42")
        client.query("SELECT COUNT(*) FROM t_order")
        client.error("SELECT * FROM nosuch")
        after = metrics(context)
        equal(after["shardway_sessions"], 1)
    error_of(lambda: context.connect(password="wrong"))
    later = metrics(context)

    def grown(name: str, end=after) -> float:
        return end.get(name, 0) - before.get(name, 0)

    equal(grown('shardway_statements_total{kind="select",strategy="one_place"}'), 5)
    equal(grown('shardway_statements_total{kind="select",strategy="scatter_read"}'), 1)
    holds(grown("shardway_queries_total") >= 7, "queries")
    equal(grown("shardway_statement_errors_total"), 1)
    equal(grown("shardway_statement_duration_seconds_count"), grown("shardway_queries_total"))
    equal(grown("shardway_logins_total"), 1)
    equal(grown("shardway_failed_logins_total", later), 1)
    holds(grown("shardway_plan_cache_hits_total") >= 4, "hits of the plan cache")
    holds(after["shardway_plan_cache_bytes"] > 0, "bytes of the plan cache")
    holds(after["process_resident_memory_bytes"] > 1e6, "resident memory")
    equal(after['shardway_node_connections_max{node="node0"}'], 64)
    equal([after[f'shardway_node_up{{node="node{node}"}}'] for node in range(4)], [1, 1, 1, 1])


def test_show_status_is_the_same_numbers(context: Context):
    with context.client() as client:
        shown = dict(client.query("SHOW STATUS LIKE 'shardway%'"))
        holds(all(name.startswith("Shardway_") for name in shown), str(shown))
        equal(shown["Shardway_nodes_up"], "4")
        equal(shown["Shardway_sessions"], "1")
        again = dict(client.query("SHOW GLOBAL STATUS LIKE 'SHARDWAY\\_statements'"))
        equal(int(again["Shardway_statements"]), int(shown["Shardway_statements"]) + 1)
        holds(int(dict(client.query("SHOW SESSION STATUS"))["Questions"]) > 0, "Questions")
        equal(client.query("SHOW STATUS LIKE 'Innodb_no_such%'"), [])


def test_shardway_statements(context: Context):
    with context.client(user="ops", password="ops") as client:
        listed = [statement for statement, _ in client.query("SHARDWAY HELP")]
        holds("SHARDWAY HELP" in listed, str(listed))
        equal(len(client.query("SHARDWAY SHOW SHARDS")), 32)
        shards = client.query("SHARDWAY SHOW SHARDS FROM shop LIKE 'by\\_user'")
        equal([row[5] for row in shards], [f"shop_{shard:02}" for shard in range(16)])
        equal([row[4] for row in shards], [f"node{shard // 4}" for shard in range(16)])
        tables = {row[1]: row for row in client.query("SHARDWAY SHOW TABLES FROM shop")}
        equal(tables["t_order"][2:6], ("sharded", "by_user", "user_id", "hash crc32 256"))
        equal((tables["t_merchant"][2], tables["t_setting"][2], tables["t_setting"][7]), ("reference", "single", "node0"))
        equal(client.query("SHARDWAY SHOW TABLES LIKE 't_user'"), [tables["t_user"]])
        for wrong in ("SHARDWAY", "SHARDWAY SHOW FOO", "SHARDWAY SHOW NODES FROM shop"):
            code, text = client.error(wrong)
            equal(code, 1064)
            contains(text, "SHARDWAY SHOW SHARDS")
        equal(client.error("SHARDWAY SHOW TABLES FROM nosuch")[0], 1049)
    with context.client() as client:  # no administrator
        for statement in ("SHARDWAY SHOW NODES", "SHARDWAY SHOW SHARDS", "SHARDWAY SHOW PROCESSLIST"):
            equal(client.error(statement)[0], 1227)
        holds(client.query("SHARDWAY HELP"), "HELP is for everyone")


def test_processlist_and_kill(context: Context):
    with context.client() as first, context.client() as busy, context.client(user="ops", password="ops", database=None) as ops:
        failed: list = []
        sleep = "SELECT SLEEP(30) FROM t_user WHERE user_id = 42 /* asleep */"
        first.query("REPLACE INTO t_user (user_id, name, created_at) VALUES (42, 'u', NOW())")
        runs = threading.Thread(target=lambda: failed.append(error_of(lambda: busy.query(sleep))))
        runs.start()
        ids = [each.connection.thread_id() for each in (first, busy, ops)]

        def row_of(client, number: int) -> tuple | None:
            rows = {row[0]: row for row in client.query("SHOW FULL PROCESSLIST")}
            return rows.get(number)

        seen = until(lambda: (row := row_of(first, ids[1])) and row[4] == "Query" and row, "the statement that runs is listed")
        equal((seen[1], seen[3], seen[7]), ("app", "shop", sleep))
        equal(row_of(first, ids[2]), None, "another user's session, to one who is no administrator")
        equal(row_of(ops, ids[0])[4], "Sleep")
        equal({row[0] for row in ops.query("SHARDWAY SHOW PROCESSLIST")} >= set(ids), True)
        equal({row[1] for row in ops.query("SHARDWAY SHOW PROCESSLIST LIKE 'op_'")}, {"ops"})
        long = "SELECT '" + "x" * 300 + "'"
        equal(len([row for row in ops.query("SHOW PROCESSLIST /* " + "x" * 200 + " */") if row[0] == ids[2]][0][7]), 100)
        ops.query(f"KILL QUERY {ids[1]}")
        runs.join(10)
        equal([code for code, _ in failed], [1317])
        ops.query(f"KILL {ids[1]}")
        until(lambda: row_of(ops, ids[1]) is None, "the session that was killed is gone")
        first.query(long)
        first.query("BEGIN")
        first.query("SELECT * FROM t_user WHERE user_id = 42")
        equal(row_of(ops, ids[0])[6], "in transaction")


def test_a_node_that_is_down(context: Context):
    equal({row[2] for row in nodes(context).values()}, {"up"})
    node = context.nodes[3]
    node.kill()
    try:
        down = until(lambda: (row := nodes(context)["node3"])[2] == "down" and row, "node3 is shown as down")
        contains(down[9], "node3")
        holds(down[3], "its version is remembered")
        equal({row[2] for name, row in nodes(context).items() if name != "node3"}, {"up"})
        status, text, _ = get(context, "/healthz")
        health = json.loads(text)
        equal((status, health["status"], health["nodes_up"]), (200, "degraded", 3))
        equal([each["up"] for each in health["nodes"]], [True, True, True, False])
        equal(metrics(context)['shardway_node_up{node="node3"}'], 0)
        equal(dict(context.query("SHOW STATUS LIKE 'shardway_nodes_up'")), {"Shardway_nodes_up": "3"})
    finally:
        node.restart()
    until(lambda: nodes(context)["node3"][2] == "up", "node3 is back")
    equal(json.loads(get(context, "/healthz")[1])["status"], "ok")


def test_a_node_that_hangs_is_down_within_its_second(context: Context):
    nodes(context)
    process = context.nodes[2].process
    os.kill(process.pid, signal.SIGSTOP)
    try:
        time.sleep(0.3)  # what was seen just now is not asked again
        begin = time.monotonic()
        equal(nodes(context)["node2"][2], "down")
        holds(time.monotonic() - begin < 2.5, "it took longer")
    finally:
        os.kill(process.pid, signal.SIGCONT)
    until(lambda: nodes(context)["node2"][2] == "up", "node2 is back")


def test_shardway_ends_well_while_a_node_hangs(context: Context):
    process = context.nodes[1].process
    os.kill(process.pid, signal.SIGSTOP)
    try:
        asked = threading.Thread(target=lambda: error_of_http(context))
        asked.start()
        time.sleep(0.2)
        equal(context.cluster.stop_shardway(), 0, "the status of a Shardway that ends while it looks at a node")
        asked.join(10)
    finally:
        os.kill(process.pid, signal.SIGCONT)
        context.cluster.start_shardway()
    until(lambda: nodes(context)["node1"][2] == "up", "node1 is back")


def error_of_http(context: Context) -> None:
    try:
        get(context, "/healthz")
    except (OSError, http.client.HTTPException):
        pass  # cut off: that is allowed


def test_http(context: Context):
    equal(get(context, "/")[0], 200)
    equal(get(context, "/nosuch")[0], 404)
    status, _, response = get(context, "/metrics", "POST")
    equal((status, response.getheader("Allow")), (405, "GET, HEAD"))
    status, body, response = get(context, "/healthz", "HEAD")
    equal((status, body), (200, ""))
    holds(int(response.getheader("Content-Length")) > 100, "length of what a GET would get")
    connection = http.client.HTTPConnection("127.0.0.1", context.cluster.admin_port, timeout=10)
    for _ in range(20):  # one connection
        connection.request("GET", "/healthz")
        equal(connection.getresponse().read()[:1], b"{")
    connection.close()

    def told(data: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", context.cluster.admin_port), 10) as raw:
            raw.settimeout(15)
            raw.sendall(data)
            answer = b""
            while piece := raw.recv(65536):
                answer += piece
            return answer

    equal(told(b"garbage\r\n\r\n").split(b" ")[1], b"400")
    equal(told(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").split(b" ")[1], b"400")
    equal(told(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n").split(b" ")[1], b"431")
    equal(told(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").split(b" ")[1], b"200")


def test_http_connections_are_limited_in_number_and_time(context: Context):
    address = ("127.0.0.1", context.cluster.admin_port)
    held = [socket.create_connection(address, 5) for _ in range(64)]
    try:
        for each in held:
            each.sendall(b"GET / HT")
        with socket.create_connection(address, 5) as more:
            more.settimeout(5)
            equal(more.recv(1), b"", "what one connection too many hears")
        begin = time.monotonic()
        held[0].settimeout(15)
        equal(held[0].recv(1), b"", "what a request that never ends hears")
        holds(time.monotonic() - begin < 12, "it was held longer")
    finally:
        for each in held:
            each.close()
    until(lambda: get(context, "/")[0] == 200, "connections are taken again")


def test_an_admin_address_that_is_taken(context: Context):
    folder = context.cluster.folder / "second"
    folder.mkdir(exist_ok=True)
    rules = folder / "shardway.yaml"
    rules.write_text(re.sub(r"(?m)^(\s+mysql: )\S+", rf"\g<1>127.0.0.1:{free_port()}", context.cluster.rules_file.read_text()))
    done = subprocess.run([str(context.binary), "serve", "--config", str(rules), "--data", str(folder)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    equal(done.returncode, 1)
    contains(done.stdout + done.stderr, f"cannot listen on 127.0.0.1:{context.cluster.admin_port}")
