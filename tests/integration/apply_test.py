"""apply on real servers: what it makes, that it can run again, and what it says of differences."""
import json

from harness import Context, MODEL, contains, equal, holds


def apply(context: Context, schema: str | None = None, *options: str, check: bool = True):
    file = MODEL / "orders.sql"
    if schema is not None:
        file = context.cluster.folder / "other.sql"
        file.write_text(schema)
    return context.cluster.run("apply", "--config", str(context.cluster.rules_file), "--schema", str(file), *options,
                               check=check)


def databases(node) -> set[str]:
    return {name for (name,) in node.query("SHOW DATABASES")
            if name not in ("mysql", "information_schema", "performance_schema", "sys")}


def test_each_node_holds_its_part(context: Context):
    for node in context.nodes:
        mine = range(node.index * 4, node.index * 4 + 4)
        expected = ({"shop", "shardway_meta", "shardway_none"} | {f"shop_{shard:02}" for shard in mine} |
                    {f"shop_by_order_{shard:02}" for shard in mine})
        if node.index == 1:
            expected.add("legacy")
        equal(databases(node), expected, f"databases of {node.name}")
        for shard in mine:
            equal({name for (name,) in node.query(f"SHOW TABLES FROM shop_{shard:02}")}, {"t_user", "t_order", "t_order_item"})
            equal([row[:1] for row in node.query(f"DESCRIBE shop_by_order_{shard:02}.t_order__by_order_id")],
                  [("order_id",), ("user_id",), ("ver",)])
        equal({name for (name,) in node.query("SHOW TABLES FROM shop")},
              {"t_user", "t_order", "t_order_item", "t_merchant", "t_setting"})
        equal(node.query("SHOW TABLES FROM shardway_none"), [])
        equal(node.query("SELECT COUNT(*) FROM shardway_meta.gate"), [(1,)])
        equal(node.query("SELECT COUNT(*) FROM shardway_meta.decision"), [(0,)])


def test_shards_are_the_files_tables(context: Context):
    shard = context.nodes[2].query("SHOW CREATE TABLE shop_09.t_order")[0][1]
    template = context.nodes[0].query("SHOW CREATE TABLE shop.t_order")[0][1]
    equal(shard, template)


def test_again_makes_nothing(context: Context):
    for _ in range(2):
        report = json.loads(apply(context, None, "--json").stdout)
        equal(report["status"], 0)
        for node in report["nodes"]:
            equal((node["databases_made"], node["tables_made"], node["differences"]), (0, 0, []), node["node"])
            holds(node["tables_found"] >= 23, node["node"])
    for node in context.nodes:
        holds("shardway_scratch" not in databases(node), f"the scratch database is left on {node.name}")


def test_what_is_missing_is_made_again(context: Context):
    context.nodes[3].query("DROP TABLE shop_13.t_order")
    context.nodes[3].query("DROP DATABASE shop_14")
    report = json.loads(apply(context, None, "--json").stdout)
    equal([(node["databases_made"], node["tables_made"]) for node in report["nodes"]], [(0, 0), (0, 0), (0, 0), (1, 4)])


def test_a_difference_is_said_and_nothing_is_altered(context: Context):
    context.nodes[1].query("ALTER TABLE shop_05.t_user MODIFY city VARCHAR(33) NULL")
    try:
        done = apply(context, None, "--json", check=False)
        equal(done.returncode, 1)
        (difference,) = [entry for node in json.loads(done.stdout)["nodes"] for entry in node["differences"]]
        equal(difference["table"], "shop_05.t_user")
        contains(difference["found"], "varchar(33)")
        contains(difference["expected"], "varchar(32)")
        said = apply(context, None, check=False)
        contains(said.stdout, "shop_05.t_user on node1")
        contains(context.nodes[1].query("SHOW CREATE TABLE shop_05.t_user")[0][1], "varchar(33)")
    finally:
        context.nodes[1].query("ALTER TABLE shop_05.t_user MODIFY city VARCHAR(32) NULL")
    equal(apply(context).returncode, 0)


def test_foreign_keys_and_counters_are_no_difference(context: Context):
    schema = ("CREATE TABLE t_user (user_id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL, phone VARCHAR(20) NULL, "
              "city VARCHAR(32) NULL, created_at DATETIME(6) NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\n"
              "CREATE TABLE plain (id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT CHECK (n > 0), m BIGINT, "
              "KEY (m), FOREIGN KEY (m) REFERENCES t_merchant (merchant_id));")
    apply(context, schema)
    context.nodes[0].query("INSERT INTO shop.plain (n) VALUES (1), (2)")
    for name in ("node0", "node1"):
        equal(context.nodes[int(name[4])].query("SHOW TABLES FROM shop LIKE 'plain'"), [("plain",)], name)
    report = json.loads(apply(context, schema, "--json").stdout)
    equal([node["differences"] for node in report["nodes"]], [[], [], [], []])
    for node in context.nodes:
        node.query("DROP TABLE shop.plain")


def test_wrong_files_change_nothing(context: Context):
    before = [databases(node) for node in context.nodes]
    done = apply(context, "CREATE TABLE ok (id INT);\nCREATE TABLE broken (id INT,,);\nINSERT INTO ok VALUES (1);", check=False)
    equal(done.returncode, 2)
    contains(done.stderr, "other.sql:2:")
    contains(done.stderr, "other.sql:3:")
    done = context.cluster.run("apply", "--config", "/nonexistent.yaml", "--schema", str(MODEL / "orders.sql"), check=False)
    equal(done.returncode, 2)
    contains(done.stderr, "/nonexistent.yaml")
    equal([databases(node) for node in context.nodes], before)
    for node in context.nodes:
        equal(node.query("SHOW TABLES FROM shop LIKE 'ok'"), [])


def test_a_node_that_is_down_is_named(context: Context):
    context.nodes[2].kill()
    try:
        done = apply(context, check=False)
        equal(done.returncode, 1)
        contains(done.stderr, "node2")
    finally:
        context.nodes[2].restart()
    equal(apply(context).returncode, 0)
