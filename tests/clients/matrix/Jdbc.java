// A JDBC driver against Shardway: Jdbc DRIVER HOST PORT TLS USER_ID, see README.md for what it prints.
// DRIVER: mysql (Connector/J) or mariadb (MariaDB Connector/J).
import java.nio.charset.StandardCharsets;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

public class Jdbc {
    static final String NOTE = "caf\u00e9 \u4f60\u597d 'quoted' \\ back";
    static final LocalDateTime AT = LocalDateTime.of(2026, 1, 31, 12, 30, 45, 123456000);
    static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    static String url;
    static boolean mysql;
    static long user;
    static String login = "app";  // its password is its name
    static Connection connection;

    interface Work { void run() throws Exception; }

    static boolean step(String name, Work work) {
        try {
            work.run();
            OUT.println(name + "\tok");
            return true;
        } catch (Exception problem) {
            Throwable cause = problem;
            while (cause.getCause() != null) cause = cause.getCause();
            String code = problem instanceof SQLException ? ((SQLException) problem).getErrorCode() + " " : "";
            String more = cause == problem ? "" : " | " + cause.getMessage();
            OUT.println(name + "\tFAILED\t" + code + (problem.getMessage() + more).replace('\n', ' '));
            return false;
        }
    }

    static void equal(Object seen, Object expected) {
        if (!Objects.equals(seen, expected)) throw new IllegalStateException(seen + " instead of " + expected);
    }

    static Connection connect(boolean prepare) throws SQLException {
        return DriverManager.getConnection(url + "&useServerPrepStmts=" + prepare, login, login);
    }

    static List<Long> orders(Connection on) throws SQLException {
        List<Long> found = new ArrayList<>();
        try (PreparedStatement select = on.prepareStatement("SELECT order_id FROM t_order WHERE user_id = ? ORDER BY order_id")) {
            select.setLong(1, user);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) found.add(rows.getLong(1));
            }
        }
        return found;
    }

    static void login() throws SQLException {
        connection = connect(false);
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("SELECT DATABASE()")) {
            rows.next();
            equal(rows.getString(1), "shop");
        }
        equal(connection.isValid(5), true);
    }

    static void insert() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) VALUES (?, ?, 7, 1, 19.90, ?, ?)")) {
            for (int i = 0; i < 3; ++i) {
                insert.setLong(1, user);
                insert.setLong(2, user * 10 + i);
                insert.setString(3, i == 0 ? NOTE : null);
                insert.setObject(4, AT);
                insert.addBatch();
            }
            equal(insert.executeBatch().length, 3);
        }
    }

    static void read() throws SQLException {
        equal(orders(connection), List.of(user * 10, user * 10 + 1, user * 10 + 2));
        try (Statement statement = connection.createStatement();
             ResultSet rows = statement.executeQuery("SELECT amount, note, created_at FROM t_order WHERE user_id = " + user + " AND order_id = " + user * 10)) {
            rows.next();
            equal(rows.getBigDecimal(1).toString(), "19.90");
            equal(rows.getString(2), NOTE);
            // Connector/J sends no fractions of seconds to what it takes for a MySQL before 5.6.
            boolean old = mysql && connection.getMetaData().getDatabaseProductVersion().startsWith("5.5.");
            equal(rows.getObject(3, LocalDateTime.class), old ? AT.truncatedTo(ChronoUnit.SECONDS) : AT);
            equal(rows.getMetaData().getTableName(1), "t_order");
        }
    }

    static void update() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            equal(statement.executeUpdate("UPDATE t_order SET status = 2 WHERE user_id = " + user + " AND order_id = " + user * 10), 1);
            connection.setAutoCommit(false);
            equal(statement.executeUpdate("DELETE FROM t_order WHERE user_id = " + user), 3);
            connection.rollback();
            connection.setAutoCommit(true);
            try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM t_order WHERE user_id = " + user + " AND status = 2")) {
                rows.next();
                equal(rows.getLong(1), 1L);
            }
        }
    }

    static void prepare() throws SQLException {
        try (Connection prepared = connect(true)) {
            // MySQL's driver falls back to text when the server refuses to prepare, unless it is told not to.
            equal(orders(prepared), List.of(user * 10, user * 10 + 1, user * 10 + 2));
        }
    }

    public static void main(String[] arguments) {
        if (arguments.length > 5) login = arguments[5];
        mysql = arguments[0].equals("mysql");
        boolean tls = arguments[3].equals("tls");
        user = Long.parseLong(arguments[4]);
        String more = mysql
            ? (tls ? "sslMode=REQUIRED" : "sslMode=DISABLED&allowPublicKeyRetrieval=true") + "&connectionTimeZone=UTC&emulateUnsupportedPstmts=false"
            : (tls ? "sslMode=trust" : "sslMode=disable&allowPublicKeyRetrieval=true");
        url = "jdbc:" + arguments[0] + "://" + arguments[1] + ":" + arguments[2] + "/shop?" + more;
        if (!step("login", Jdbc::login)) return;
        step("insert", Jdbc::insert);
        step("read", Jdbc::read);
        step("update", Jdbc::update);
        step("prepare", Jdbc::prepare);
    }
}
