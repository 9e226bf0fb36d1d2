package dev.kagzi.postgres;

import java.sql.DriverManager;
import java.sql.SQLException;

/** One statement on a connection of its own. */
final class Sql {
  private Sql() {}

  static void execute(String url, String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static String query(String url, String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
