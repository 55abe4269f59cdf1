"""What reaches the servers, by their own logs and by relays on the wire."""
import re

from harness import Context, equal, holds

RELAYS = True
RULES = {r"^  tls: preferred.*$": "  tls: disabled"}  # of the backend: the relay sees the same turns, but let it be plain
READ = "SELECT * FROM t_order WHERE user_id = 42 ORDER BY created_at DESC, order_id DESC LIMIT 100"


def names(text: str) -> list[str]:
    return re.findall(r"`?(shop_\d\d)`?\s*\.", text)


def test_a_read_by_user_is_one_statement_on_one_server(context: Context):
    with context.client() as client:
        client.query(READ)
        marks = context.cluster.mark()
        client.query(READ)
        heard = context.cluster.statements_since(marks)  # all of it, upkeep too: a warm connection needs none
    equal(list(heard), [context.node_of(42)], "nodes that heard something")
    (statements,) = heard.values()
    equal(len(statements), 1, f"statements, {statements},")
    equal(names(statements[0]), [context.shard_of(42)])
    holds("ORDER BY created_at DESC, order_id DESC LIMIT 100" in statements[0], statements[0])


def test_a_thousand_rows_are_one_insert_per_shard(context: Context):
    users = range(10000, 11000)
    values = ", ".join(f"({user}, {user}, 1, 1, 1.5, 'note {user}', '2026-01-01')" for user in users)
    with context.client() as client:
        heard = context.sent(lambda: client.query(
            "INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) VALUES " + values))
        equal(client.affected, 1000)
    inserts = [(node, text) for node, texts in heard.items() for text in texts if text.startswith("INSERT")]
    shards = sorted(shard for _, text in inserts for shard in names(text))
    equal(shards, [f"shop_{shard:02}" for shard in range(16)], "shards that were sent rows")
    for node, text in inserts:
        sent = [int(user) for user in re.findall(r"\((\d+), \d+, 1, 1", text)]
        equal({context.shard_of(user) for user in sent}, set(names(text)), "the shards of the rows sent there")
        equal({context.node_of(user) for user in sent}, {node}, "the nodes of the rows sent there")
    others = {text.split()[0] for texts in heard.values() for text in texts if not text.startswith("INSERT")}
    # SHOW WARNINGS rides in the same write: afterwards only those of a node's last part could be had.
    holds(others <= {"BEGIN", "SAVEPOINT", "RELEASE", "COMMIT", "SHOW"}, f"beside the INSERTs there were {others}")


def transaction(client, user: int, order: int) -> None:
    client.query("BEGIN")
    client.query("INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, created_at) "
                 f"VALUES ({user}, {order}, 1, 1, 5, NOW())")
    client.query(f"UPDATE t_order SET status = 2 WHERE user_id = {user} AND order_id = {order}")
    client.query("COMMIT")


def test_a_transaction_costs_no_round_trip_more(context: Context):
    user = context.users_on("node1", 1)[0]
    relay = context.relays[1]
    with context.client() as client:
        transaction(client, user, 1)
        marks, turns = context.cluster.mark(), relay.turns
        transaction(client, user, 2)
        spent = relay.turns - turns
        heard = context.cluster.statements_since(marks)
    holds(spent <= 4, f"{spent} round trips, where a direct client has 4: BEGIN, INSERT, UPDATE, COMMIT")
    equal(list(heard), ["node1"], "nodes that heard something")
    kinds = [text.split()[0].rstrip(";") for text in heard["node1"]]
    equal(kinds, ["BEGIN", "INSERT", "UPDATE", "COMMIT"], f"statements, {heard['node1']},")


def test_point_statements_cost_one_round_trip(context: Context):
    user = context.users_on("node2", 1)[0]
    relay = context.relays[2]
    with context.client() as client:
        for statement in (f"SELECT * FROM t_order WHERE user_id = {user}",
                          f"UPDATE t_order SET status = 3 WHERE user_id = {user}",
                          f"DELETE FROM t_order WHERE user_id = {user}"):
            client.query(statement)
            turns = relay.turns
            client.query(statement)
            equal(relay.turns - turns, 1, f"round trips of {statement}")


def test_what_needs_no_server_reaches_none(context: Context):
    with context.client() as client:
        client.query(READ)
        marks = context.cluster.mark()
        for statement in ("BEGIN", "COMMIT", "SET NAMES utf8mb4", "USE shop", "SET autocommit = 1"):
            client.query(statement)
        client.connection.ping(reconnect=False)
        equal(context.cluster.statements_since(marks), {}, "what the servers heard")


def test_changed_state_is_brought_over_once(context: Context):
    user = context.users_on("node3", 1)[0]
    with context.client() as client:
        statement = f"SELECT status FROM t_order WHERE user_id = {user}"
        client.query(statement)
        client.query("SET SESSION time_zone = '+03:00'")
        client.query(statement)
        marks, turns = context.cluster.mark(), context.relays[3].turns
        client.query(statement)
        heard = context.cluster.statements_since(marks)
        equal([len(texts) for texts in heard.values()], [1], f"statements, {heard},")
        equal(context.relays[3].turns - turns, 1, "round trips")
