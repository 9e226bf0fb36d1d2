package dev.kagzi.e2e.killmatrix;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Looks into the database, and brings it into a state that would take too long to wait for. On one
 * connection, because a new one costs more than anything that is asked here. Thread-safe.
 */
final class Tables implements AutoCloseable {

  private final String jdbcUrl;
  private final Connection connection;

  Tables(String jdbcUrl) {
    this.jdbcUrl = jdbcUrl;
    try {
      this.connection = DriverManager.getConnection(jdbcUrl);
    } catch (SQLException failure) {
      throw new IllegalStateException(jdbcUrl, failure);
    }
  }

  String jdbcUrl() {
    return jdbcUrl;
  }

  /** The one number that a query has for an answer. */
  synchronized long number(String sql, Object... values) {
    try (PreparedStatement statement = prepare(sql, values);
        var rows = statement.executeQuery()) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException failure) {
      throw new IllegalStateException(sql, failure);
    }
  }

  synchronized int change(String sql, Object... values) {
    try (PreparedStatement statement = prepare(sql, values)) {
      return statement.executeUpdate();
    } catch (SQLException failure) {
      throw new IllegalStateException(sql, failure);
    }
  }

  private PreparedStatement prepare(String sql, Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException failure) {
      throw new IllegalStateException(jdbcUrl, failure);
    }
  }
}
