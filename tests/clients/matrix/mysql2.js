// Node's mysql2 against Shardway: mysql2.js HOST PORT TLS USER_ID, see README.md for what it prints.
const mysql = require("mysql2/promise");

const [host, port, tls, user] = [process.argv[2], Number(process.argv[3]), process.argv[4] === "tls", Number(process.argv[5])];
const NOTE = "caf\u00e9 \u4f60\u597d 'quoted' \\ back";
const AT = "2026-01-31 12:30:45.123456";

function equal(seen, expected) {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${a} instead of ${b}`);
}

let connection;
const steps = {
  async login() {
    connection = await mysql.createConnection({
      host, port, user: "app", password: "app", database: "shop", dateStrings: true,
      ...(tls ? { ssl: { rejectUnauthorized: false } } : {}),
    });
    const [rows] = await connection.query("SELECT DATABASE() AS name");
    equal(rows, [{ name: "shop" }]);
    equal(Boolean(connection.connection.stream.encrypted), tls);
  },
  async insert() {
    const rows = [0, 1, 2].map((i) => [user, user * 10 + i, 7, 1, "19.90", i === 0 ? NOTE : null, AT]);
    const [done] = await connection.query(
      "INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) VALUES ?", [rows]);
    equal(done.affectedRows, 3);
  },
  async read() {
    const [rows] = await connection.query(
      "SELECT order_id, amount, note, created_at FROM t_order WHERE user_id = ? ORDER BY order_id", [user]);
    equal(rows.map((row) => row.order_id), [0, 1, 2].map((i) => user * 10 + i));
    equal([rows[0].amount, rows[0].note, rows[0].created_at, rows[1].note], ["19.90", NOTE, AT, null]);
  },
  async update() {
    const [done] = await connection.query("UPDATE t_order SET status = 2 WHERE user_id = ? AND order_id = ?", [user, user * 10]);
    equal(done.affectedRows, 1);
    await connection.beginTransaction();
    const [gone] = await connection.query("DELETE FROM t_order WHERE user_id = ?", [user]);
    equal(gone.affectedRows, 3);
    await connection.rollback();
    const [rows] = await connection.query("SELECT COUNT(*) AS n FROM t_order WHERE user_id = ? AND status = 2", [user]);
    equal(rows[0].n, 1);
  },
  async prepare() {
    const [rows] = await connection.execute("SELECT order_id FROM t_order WHERE user_id = ? ORDER BY order_id", [user]);
    equal(rows.map((row) => row.order_id), [0, 1, 2].map((i) => user * 10 + i));
  },
};

(async () => {
  for (const [name, work] of Object.entries(steps)) {
    try {
      await work();
      console.log(`${name}\tok`);
    } catch (problem) {
      console.log(`${name}\tFAILED\t${problem.errno || ""} ${problem.message}`.replace(/\n/g, " "));
      if (name === "login") break;
    }
  }
  if (connection) await connection.end();
})();
