package dev.kagzi.e2e.chaos;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Looks for what breaks an {@link Invariant} in a database that holds {@link Evidence}. */
record Checker(String database) {
  private static final int MOST_SHOWN = 20;

  /** What was found: which invariant is broken, and where. */
  record Violation(Invariant invariant, String where) {
    @Override
    public String toString() {
      return invariant + ": " + where;
    }
  }

  /** Everything that breaks an invariant; the first few of each. */
  List<Violation> violations() throws SQLException {
    try (var connection = DriverManager.getConnection(database)) {
      return violations(connection);
    }
  }

  /** What holds at every moment; of live runs only, so that it can be asked often. */
  List<Violation> always() throws SQLException {
    var found = new ArrayList<Violation>();
    try (var connection = DriverManager.getConnection(database)) {
      for (Invariant invariant : List.of(Invariant.I9, Invariant.I10, Invariant.I11)) {
        found.addAll(violations(connection, invariant, invariant.always()));
      }
    }
    return found;
  }

  /** What holds while nothing is wrong with anything. */
  List<Violation> inPeace() throws SQLException {
    try (var connection = DriverManager.getConnection(database)) {
      return violations(connection, Invariant.I9, Invariant.leftOver());
    }
  }

  /** The same as somebody else's transaction sees it. */
  static List<Violation> violations(Connection connection) throws SQLException {
    var found = new ArrayList<Violation>();
    for (Invariant invariant : Invariant.values()) {
      for (String query : invariant.queries()) {
        found.addAll(violations(connection, invariant, query));
      }
    }
    return found;
  }

  private static List<Violation> violations(
      Connection connection, Invariant invariant, String query) throws SQLException {
    var found = new ArrayList<Violation>();
    try (var statement = connection.createStatement()) {
      statement.setMaxRows(MOST_SHOWN);
      try (var rows = statement.executeQuery(query)) {
        while (rows.next()) {
          found.add(new Violation(invariant, rows.getString(1)));
        }
      }
    }
    return found;
  }
}
