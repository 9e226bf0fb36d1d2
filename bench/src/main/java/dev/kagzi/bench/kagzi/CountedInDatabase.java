package dev.kagzi.bench.kagzi;

import java.sql.SQLException;
import javax.sql.DataSource;

/** Asks the database for the number of live runs of a type. */
final class CountedInDatabase implements LiveRuns {
  private final DataSource database;
  private final String type;

  CountedInDatabase(DataSource database, String type) {
    this.database = database;
    this.type = type;
  }

  @Override
  public long count() throws SQLException {
    try (var connection = database.getConnection();
        var statement =
            connection.prepareStatement(
                """
                SELECT count(*) FROM (
                  SELECT 1 FROM kagzi.workflow_runs WHERE workflow_type = ? LIMIT 100) AS live
                """)) {
      statement.setString(1, type);
      try (var rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }
}
