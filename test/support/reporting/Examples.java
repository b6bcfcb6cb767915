import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the queries of figures.sql as Metabase does: through sqlite-jdbc, with a parameter for each {{variable}}. Prints the
 * name and the number of rows of each. Arguments: the database, the SQL file, organization, day, position.
 */
class Examples {
  private static final Pattern QUERY = Pattern.compile("-- name: (\\w+)\n(.*?);", Pattern.DOTALL);
  private static final Pattern VARIABLE = Pattern.compile("\\{\\{(\\w+)}}");

  public static void main(String[] args) throws Exception {
    Map<String, String> values = Map.of("organization", args[2], "day", args[3], "position", args[4]);
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + args[0] + "?open_mode=1")) {
      Matcher queries = QUERY.matcher(Files.readString(Path.of(args[1])));
      while (queries.find()) System.out.println(queries.group(1) + " " + count(connection, queries.group(2), values));
    }
  }

  private static int count(Connection connection, String sql, Map<String, String> values) throws Exception {
    List<String> names = new ArrayList<>();
    Matcher variables = VARIABLE.matcher(sql);
    while (variables.find()) names.add(variables.group(1));
    PreparedStatement statement = connection.prepareStatement(VARIABLE.matcher(sql).replaceAll("?"));
    for (int index = 0; index < names.size(); index++) {
      String value = values.get(names.get(index));
      if (names.get(index).equals("position")) statement.setLong(index + 1, Long.parseLong(value));
      else statement.setString(index + 1, value);
    }
    int rows = 0;
    for (ResultSet result = statement.executeQuery(); result.next(); ) rows++;
    return rows;
  }
}
