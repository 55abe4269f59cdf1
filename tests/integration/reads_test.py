"""The reads of reads.sql over a tenth of their data; `reads` is the whole."""
import reads
import reads_data
from harness import Context, Skipped, holds

SCHEMA = reads_data.SCHEMA
PLAIN = "plain_shop"  # a plain server's database, on a node for want of another server
ORDERS = 20_000


def places(context: Context) -> tuple[dict, dict]:
    return ({"port": context.port, "user": "app", "password": "app", "database": "shop"},
            {"unix_socket": str(context.nodes[-1].socket), "user": "shardway", "password": "shardway", "database": PLAIN})


def prepare(context: Context):
    if context.direct:
        return
    with context.nodes[-1].connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {PLAIN}")
        cursor.execute(f"USE {PLAIN}")
        for statement in SCHEMA.split(";")[:-1]:
            cursor.execute(statement)
    reads.load(*places(context), ORDERS)


def test_reads_are_those_of_one_server(context: Context):
    if context.direct:
        raise Skipped("compares with a plain server of its own")
    shardway, plain = (reads.RawClient(**options) for options in places(context))
    verdicts = [reads.run_read(read, shardway, plain, context.cluster, PLAIN) for read in reads.load_reads()]
    shardway.close()
    plain.close()
    holds(all(one.verdict == "right" for one in verdicts), "reads that are not right:\n" + reads.table(verdicts))
    holds(sum(one.shards > 1 for one in verdicts) * 2 >= len(verdicts), "half of the reads go to several shards")
