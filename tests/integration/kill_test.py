"""KILL QUERY ends the statement, on the nodes too, and leaves the transaction; a client that goes leaves nothing running."""
import threading
import time

from harness import Context, equal, error_of, holds

SECONDS_MAX = 10


def prepare(context: Context):
    with context.client() as client:
        for user in range(1, 65):
            client.query(f"INSERT INTO t_user (user_id, name, created_at) VALUES ({user}, 'u{user}', '2026-01-01')")


def until(seen, what: str):
    end = time.monotonic() + SECONDS_MAX
    while not seen():
        holds(time.monotonic() < end, what)
        time.sleep(0.01)


def running(context: Context, mark: str) -> int:
    """Statements with `mark` that run on the nodes."""
    count = 0
    for node in context.nodes:
        with node.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE %s AND id <> CONNECTION_ID()",
                           (f"%{mark}%",))
            count += cursor.fetchone()[0]
    return count


def kill(context: Context, work, victim: int, mark: str) -> tuple[int, str]:
    """Starts `work`, waits until it runs on a node, kills its query; the error that it got."""
    failed: list = []
    runs = threading.Thread(target=lambda: failed.append(error_of(work)))
    runs.start()
    until(lambda: running(context, mark) > 0, "the statement runs on a node")
    with context.client() as other:
        other.query(f"KILL QUERY {victim}")
    runs.join(SECONDS_MAX)
    holds(failed, "the statement ended")
    until(lambda: running(context, mark) == 0, "nothing of it runs on a node")
    return failed[0]


def test_a_transaction_outlives_a_killed_statement(context: Context):
    user = context.users_on("node1", 1)[0]
    with context.client() as client, context.client() as holder:
        holder.query("BEGIN")
        holder.query(f"UPDATE t_user SET name = 'held' WHERE user_id = {user}")
        client.query("BEGIN")
        other = next(each for each in context.users_on("node1", 20) if each != user)
        client.query(f"UPDATE t_user SET name = 'mine' WHERE user_id = {other}")
        for turn in range(3):
            waits = f"UPDATE t_user SET name = 'never' WHERE user_id = {user} /* waits{turn} */"
            equal(kill(context, lambda: client.query(waits), client.connection.thread_id(), "never")[0], 1317)
            equal(client.query(f"SELECT name FROM t_user WHERE user_id = {other}"), [("mine",)])
        holder.query("ROLLBACK")
        client.query("COMMIT")
        equal(client.query(f"SELECT name FROM t_user WHERE user_id = {other}"), [("mine",)])
        client.query(f"UPDATE t_user SET name = 'u{other}' WHERE user_id = {other}")


def test_a_killed_scatter_ends_on_all_nodes(context: Context):
    slow = "SELECT user_id, SLEEP(1) FROM t_user WHERE name <> 'scattered'"
    with context.client() as client:
        equal(kill(context, lambda: client.query(slow), client.connection.thread_id(), "scattered")[0], 1317)
        equal(client.query("SELECT COUNT(*) FROM t_user"), [(64,)])
        client.query("BEGIN")
        client.query("SELECT COUNT(*) FROM t_user")
        client.query("UPDATE t_user SET name = 'mine' WHERE user_id = 7")
        blocked = "SELECT user_id FROM t_user WHERE name <> 'scattered' AND SLEEP(1) = 2"
        equal(kill(context, lambda: client.query(blocked), client.connection.thread_id(), "scattered")[0], 1317)
        equal(client.query("SELECT name FROM t_user WHERE user_id = 7"), [("mine",)])
        client.query("ROLLBACK")


def test_a_client_that_goes_leaves_nothing_running(context: Context):
    client = context.connect()
    client._execute_command(3, "SELECT user_id, SLEEP(1) FROM t_user WHERE name <> 'abandoned'")
    until(lambda: running(context, "abandoned") > 0, "the statement runs on a node")
    client._sock.close()
    client._force_close()
    until(lambda: running(context, "abandoned") == 0, "nothing of it runs on a node")
