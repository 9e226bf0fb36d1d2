package dev.kagzi.e2e.recovery;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What the database has recorded about runs and workers, read past every server. */
record Records(String database) {

  /** How many runs a worker holds a lease on. */
  long runsHeldBy(String workerId) throws SQLException {
    return Long.parseLong(
        column(
                "SELECT count(*) FROM kagzi.workflow_runs"
                    + " WHERE status = 'RUNNING' AND locked_by = '%s'".formatted(workerId))
            .getFirst());
  }

  /** The workers that are registered and were not given up. */
  List<String> onlineWorkers() throws SQLException {
    return column("SELECT worker_id FROM kagzi.workers WHERE status = 'ONLINE'");
  }

  /** Why workers were given up, one entry for each time. */
  List<String> offlineEvents() throws SQLException {
    return column("SELECT reason FROM kagzi.worker_events WHERE event = 'OFFLINE'");
  }

  /** How often a lease ran out or was taken back, over all runs that have ended. */
  long lostLeases() throws SQLException {
    return Long.parseLong(
        column("SELECT coalesce(sum(crashes), 0) FROM kagzi.finished_runs").getFirst());
  }

  private List<String> column(String query) throws SQLException {
    try (var connection = DriverManager.getConnection(database);
        var rows = connection.createStatement().executeQuery(query)) {
      var values = new ArrayList<String>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }
}
