<?php
// PHP's mysqli against Shardway: mysqli.php HOST PORT TLS USER_ID, see README.md for what it prints.
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
[, $host, $port, $tls, $user] = $argv;
$user = (int) $user;
const NOTE = "caf\u{e9} \u{4f60}\u{597d} 'quoted' \\ back";
const AT = '2026-01-31 12:30:45.123456';

function equal(mixed $seen, mixed $expected): void {
    if ($seen !== $expected) throw new Exception(json_encode($seen) . ' instead of ' . json_encode($expected));
}

function step(string $name, callable $work): bool {
    try {
        $work();
        echo "$name\tok\n";
        return true;
    } catch (Throwable $problem) {
        echo "$name\tFAILED\t{$problem->getCode()} " . str_replace("\n", ' ', $problem->getMessage()) . "\n";
        return false;
    }
}

$db = mysqli_init();
$wanted = [[(string) ($user * 10)], [(string) ($user * 10 + 1)], [(string) ($user * 10 + 2)]];

$steps = [
    'login' => function () use ($db, $host, $port, $tls) {
        $flags = $tls === 'tls' ? MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT : 0;
        $db->real_connect($host, 'app', 'app', 'shop', (int) $port, null, $flags);
        $db->set_charset('utf8mb4');
        equal($db->query('SELECT DATABASE()')->fetch_row()[0], 'shop');
    },
    'insert' => function () use ($db, $user) {
        $note = $db->real_escape_string(NOTE);
        $rows = implode(', ', array_map(fn ($i) => "($user, " . ($user * 10 + $i) . ", 7, 1, 19.90, '$note', '" . AT . "')", [0, 1, 2]));
        $db->query("INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) VALUES $rows");
        equal($db->affected_rows, 3);
    },
    'read' => function () use ($db, $user, $wanted) {
        equal($db->query("SELECT order_id FROM t_order WHERE user_id = $user ORDER BY order_id")->fetch_all(), $wanted);
        $row = $db->query("SELECT amount, note, created_at FROM t_order WHERE user_id = $user LIMIT 1")->fetch_row();
        equal($row, ['19.90', NOTE, AT]);
    },
    'update' => function () use ($db, $user) {
        $db->query("UPDATE t_order SET status = 2 WHERE user_id = $user AND order_id = " . $user * 10);
        equal($db->affected_rows, 1);
        $db->begin_transaction();
        $db->query("DELETE FROM t_order WHERE user_id = $user");
        equal($db->affected_rows, 3);
        $db->rollback();
        equal($db->query("SELECT COUNT(*) FROM t_order WHERE user_id = $user AND status = 2")->fetch_row()[0], '1');
    },
    'prepare' => function () use ($db, $user, $wanted) {
        $select = $db->prepare('SELECT order_id FROM t_order WHERE user_id = ? ORDER BY order_id');
        $select->bind_param('i', $user);
        $select->execute();
        equal(array_map(fn ($row) => [(string) $row[0]], $select->get_result()->fetch_all()), $wanted);
    },
];
foreach ($steps as $name => $work) {
    if (!step($name, $work) && $name === 'login') break;
}
