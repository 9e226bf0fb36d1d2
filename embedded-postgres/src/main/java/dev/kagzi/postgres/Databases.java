package dev.kagzi.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Set;

/** The databases of a running server. */
final class Databases {
  /** The name exists; the second comes when two create it at the same moment. */
  private static final Set<String> ALREADY_EXISTS = Set.of("42P04", "23505");

  private Databases() {}

  static void createIfMissing(String maintenanceUrl, String name) {
    try (var connection = DriverManager.getConnection(maintenanceUrl)) {
      if (!exists(connection, name)) {
        create(connection, name);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(
          "Cannot create the database '" + name + "': " + e.getMessage(), e);
    }
  }

  private static boolean exists(Connection connection, String name) throws SQLException {
    try (var query = connection.prepareStatement("SELECT 1 FROM pg_database WHERE datname = ?")) {
      query.setString(1, name);
      return query.executeQuery().next();
    }
  }

  private static void create(Connection connection, String name) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + quoted(name));
    } catch (SQLException e) {
      if (!ALREADY_EXISTS.contains(String.valueOf(e.getSQLState()))) {
        throw e;
      }
    }
  }

  private static String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  static void copy(String maintenanceUrl, String original, String name) {
    try (var connection = DriverManager.getConnection(maintenanceUrl);
        var statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE %s TEMPLATE %s".formatted(quoted(name), quoted(original)));
    } catch (SQLException e) {
      throw new IllegalStateException(
          "Cannot copy the database '%s' to '%s': %s".formatted(original, name, e.getMessage()), e);
    }
  }

  /** How many transactions the server has ended so far because they waited in a circle. */
  static long deadlocks(String url) {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement();
        var result = statement.executeQuery("SELECT sum(deadlocks) FROM pg_stat_database")) {
      result.next();
      return result.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot count deadlocks: " + e.getMessage(), e);
    }
  }
}
