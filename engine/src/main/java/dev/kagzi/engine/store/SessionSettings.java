package dev.kagzi.engine.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What a session runs under, asked before there is an engine. */
public final class SessionSettings {

  private static final String SETTING = "SELECT setting FROM pg_settings WHERE name = ?";

  private SessionSettings() {}

  /** The value of a setting in PostgreSQL's own unit. */
  public static String of(Connection connection, String name) throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(SETTING)) {
      query.setString(1, name);
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
