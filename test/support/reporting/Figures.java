import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.LocalDate;
import java.util.Scanner;

/** Answers on one JDBC connection: for each line "organization day", the figures of that day, as "name=value" in one line. */
class Figures {
  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + args[0] + "?open_mode=1")) {
      checkTypes(connection);
      checkDates(args[0]);
      Scanner lines = new Scanner(System.in);
      while (lines.hasNextLine()) {
        String[] words = lines.nextLine().split(" ");
        System.out.println(figures(connection, words[0], words[1]));
      }
    }
  }

  private static String figures(Connection connection, String organization, String day) throws Exception {
    String sql = "SELECT figure, value FROM figures_daily WHERE organization_id = ? AND day = "
        + "(SELECT max(day) FROM figures_daily WHERE organization_id = ? AND day <= ?) ORDER BY figure";
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.setString(1, organization);
    statement.setString(2, organization);
    statement.setString(3, day);
    ResultSet rows = statement.executeQuery();
    StringBuilder line = new StringBuilder();
    while (rows.next()) {
      double value = rows.getDouble(2);
      line.append(line.length() == 0 ? "" : " ").append(rows.getString(1)).append('=').append(rows.wasNull() ? "null" : value);
    }
    return line.toString();
  }

  /** Reads a time, a date, a number and a truth value as such. Each column has a type, also in views. */
  private static void checkTypes(Connection connection) throws Exception {
    ResultSet tables = connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE", "VIEW"});
    while (tables.next()) {
      String table = tables.getString("TABLE_NAME");
      ResultSet columns = connection.getMetaData().getColumns(null, null, table, "%");
      while (columns.next()) {
        String column = table + "." + columns.getString("COLUMN_NAME");
        if (columns.getString("TYPE_NAME").isEmpty()) throw new AssertionError(column + " has no type");
      }
    }
    String sql = "SELECT created_at, next_review_due, score, stale FROM risks "
        + "WHERE next_review_due IS NOT NULL AND score IS NOT NULL AND created_at > '2020-01-01' ORDER BY created_at";
    ResultSet rows = connection.createStatement().executeQuery(sql);
    if (!rows.next()) throw new AssertionError("no risk");
    String[] types = {"TIMESTAMP", "DATE", "INTEGER", "BOOLEAN"};
    for (int column = 1; column <= types.length; column++) {
      String type = rows.getMetaData().getColumnTypeName(column);
      if (!type.equals(types[column - 1])) throw new AssertionError(type);
    }
    if (rows.getTimestamp(1).toLocalDateTime().getYear() < 2020) throw new AssertionError("time");
    if (rows.getObject(2, LocalDate.class).getYear() < 2020) throw new AssertionError("date");
    if (rows.getInt(3) < 1 || rows.getBoolean(4)) throw new AssertionError("number");
  }

  /** Reads, filters and sorts dates on a connection with the options of docs/read-models.md. */
  private static void checkDates(String file) throws Exception {
    String url = "jdbc:sqlite:" + file + "?open_mode=1&date_class=TEXT&date_string_format=yyyy-MM-dd";
    try (Connection connection = DriverManager.getConnection(url)) {
      String sql = "SELECT next_review_due FROM risks WHERE next_review_due IS NOT NULL ORDER BY next_review_due DESC";
      ResultSet rows = connection.createStatement().executeQuery(sql);
      Date newest = null;
      Date before = null;
      int count = 0;
      for (; rows.next(); count++) {
        Date date = rows.getDate(1);
        if (!date.toString().equals(rows.getString(1))) throw new AssertionError("date");
        if (!rows.getTimestamp(1).toLocalDateTime().toLocalDate().equals(date.toLocalDate())) throw new AssertionError("time");
        if (before != null && date.after(before)) throw new AssertionError("order");
        newest = newest == null ? date : newest;
        before = date;
      }
      if (before == null || !before.before(newest)) throw new AssertionError("dates");
      if (count(connection, "<=", newest) != count || count(connection, "<", before) != 0) throw new AssertionError("filter");
      int ends = count(connection, "=", newest);
      if (ends < 1 || count(connection, "<", newest) != count - ends) throw new AssertionError("filter");
    }
  }

  private static int count(Connection connection, String operator, Date date) throws Exception {
    String sql = "SELECT count(*) FROM risks WHERE next_review_due " + operator + " ?";
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.setDate(1, date);
    ResultSet rows = statement.executeQuery();
    rows.next();
    return rows.getInt(1);
  }
}
