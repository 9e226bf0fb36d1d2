package dev.kagzi.e2e.killmatrix;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Looks into the database, and brings it into a state that would take too long to wait for. */
record Tables(String jdbcUrl) {

  /** The one number that a query has for an answer. */
  long number(String sql, Object... values) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        PreparedStatement statement = prepare(connection, sql, values);
        var rows = statement.executeQuery()) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException failure) {
      throw new IllegalStateException(sql, failure);
    }
  }

  int change(String sql, Object... values) {
    try (Connection connection = DriverManager.getConnection(jdbcUrl);
        PreparedStatement statement = prepare(connection, sql, values)) {
      return statement.executeUpdate();
    } catch (SQLException failure) {
      throw new IllegalStateException(sql, failure);
    }
  }

  private static PreparedStatement prepare(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
