"""A node that is down: its users get an error that names it, in time; the others notice nothing; it comes back."""
import socket
import time

from harness import Context, contains, equal, error_of, holds

CONNECT_TIMEOUT = 2.0
RULES = {r"^  connect_timeout: .*$": "  connect_timeout: 2s"}


def read(client, user: int):
    return client.query(f"SELECT name FROM t_user WHERE user_id = {user}")


def prepare(context: Context):
    with context.client() as client:
        for node in range(4):
            user = context.users_on(f"node{node}", 1)[0]
            client.query(f"INSERT INTO t_user (user_id, name, created_at) VALUES ({user}, 'u{user}', NOW())")


def timed(work) -> tuple[object, float]:
    begin = time.monotonic()
    return work(), time.monotonic() - begin


def returns(context: Context, user: int) -> None:
    """Work resumes soon after the node is back."""
    until = time.monotonic() + 10
    while True:
        try:
            with context.client() as client:
                return equal(read(client, user), [(f"u{user}",)])
        except Exception:
            if time.monotonic() > until:
                raise


def test_a_node_goes_and_returns(context: Context):
    down = context.users_on("node3", 1)[0]
    others = [context.users_on(f"node{node}", 1)[0] for node in range(3)]
    with context.client() as old, context.client() as busy:
        read(old, down)
        busy.query("BEGIN")
        busy.query(f"UPDATE t_user SET name = 'changed' WHERE user_id = {down}")
        context.nodes[3].kill()
        try:
            for client in (old, old):
                (code, text), seconds = timed(lambda: error_of(lambda: read(client, down)))
                contains(text, "node3")
                holds(9000 <= code <= 9999, f"{code} {text}")
                holds(seconds < CONNECT_TIMEOUT + 1, f"{seconds} s")
            with context.client() as fresh:  # a login needs no node
                contains(error_of(lambda: read(fresh, down))[1], "node3")
                for user in others:
                    rows, seconds = timed(lambda: read(fresh, user))
                    equal(rows, [(f"u{user}",)])
                    holds(seconds < 1, f"{seconds} s on a node that is well")
            # The transaction is gone, and says so until it is rolled back.
            for _ in range(2):
                contains(error_of(lambda: read(busy, down))[1], "node3")
            contains(error_of(lambda: read(busy, others[0]))[1], "node3")
            busy.query("ROLLBACK")
            equal(read(busy, others[0]), [(f"u{others[0]}",)])
        finally:
            context.nodes[3].restart()
        returns(context, down)
        equal(read(old, down), [(f"u{down}",)])
        equal(read(busy, down), [(f"u{down}",)])


def test_a_node_that_accepts_and_says_nothing(context: Context):
    down = context.users_on("node2", 1)[0]
    other = context.users_on("node0", 1)[0]
    node = context.nodes[2]
    node.kill()
    silent = socket.create_server(("127.0.0.1", node.port))
    try:
        with context.client() as client:
            error_of(lambda: read(client, down))  # may find a connection that was open
            (code, text), seconds = timed(lambda: error_of(lambda: read(client, down)))
            contains(text, "node2")
            holds(seconds < CONNECT_TIMEOUT + 1.5, f"{seconds} s")
            rows, seconds = timed(lambda: read(client, other))
            equal(rows, [(f"u{other}",)])
            holds(seconds < 1, f"{seconds} s on a node that is well")
    finally:
        silent.close()
        node.restart()
    returns(context, down)


def test_connections_that_the_server_closed_are_noticed(context: Context):
    user = context.users_on("node1", 1)[0]
    with context.client() as client:
        read(client, user)
        for (thread,) in context.nodes[1].query("SELECT id FROM information_schema.processlist WHERE user = 'shardway' "
                                                "AND id <> CONNECTION_ID()"):
            context.nodes[1].query(f"KILL {thread}")
        # A read that finds its idle connection closed is sent on another: nothing had been answered.
        equal(read(client, user), [(f"u{user}",)])
