// ShardingSphere-JDBC as a program: statements on standard input, one a line, parameters behind tabs (L:42 a long, S:x a
// text); an answer line for each. The rows of an answer are parted by '|', their columns by ','.
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import javax.sql.DataSource;
import org.apache.shardingsphere.driver.api.yaml.YamlShardingSphereDataSourceFactory;

public final class Judge {
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);  // loggers
        DataSource source = YamlShardingSphereDataSourceFactory.createDataSource(new File(arguments[0]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Connection connection = source.getConnection()) {
            out.println("ready");
            for (String line; (line = in.readLine()) != null;) out.println(answer(connection, line.split("\t", -1)));
        }
        System.exit(0);
    }

    private static String answer(Connection connection, String[] parts) {
        try (PreparedStatement statement = connection.prepareStatement(parts[0])) {
            for (int i = 1; i < parts.length; ++i) {
                if (parts[i].startsWith("L:")) statement.setLong(i, Long.parseLong(parts[i].substring(2)));
                else statement.setString(i, parts[i].substring(2));
            }
            if (!statement.execute()) return "ok " + statement.getUpdateCount();
            StringBuilder text = new StringBuilder("rows ");
            try (ResultSet rows = statement.getResultSet()) {
                int columns = rows.getMetaData().getColumnCount();
                for (boolean first = true; rows.next(); first = false) {
                    if (!first) text.append('|');
                    for (int i = 1; i <= columns; ++i) text.append(i == 1 ? "" : ",").append(rows.getString(i));
                }
            }
            return text.toString();
        } catch (Exception error) {
            return "error " + String.valueOf(error.getMessage()).replace('\n', ' ');
        }
    }
}
