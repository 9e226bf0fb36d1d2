package dev.kagzi.e2e.recovery;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What the database has recorded about runs and workers, read past every server. */
public record Records(String database) {

  /** How many runs a worker holds a lease on. */
  long runsHeldBy(String workerId) throws SQLException {
    return Long.parseLong(
        column(
                "SELECT count(*) FROM kagzi.workflow_runs"
                    + " WHERE status = 'RUNNING' AND locked_by = '%s'".formatted(workerId))
            .getFirst());
  }

  /** How many children a run has had, and how many different items of it they stand for. */
  List<Long> children(String parent) throws SQLException {
    return List.of(
        number(
            "SELECT (SELECT count(*) FROM kagzi.finished_runs WHERE parent_run_id = '%1$s')"
                    .formatted(parent)
                + " + (SELECT count(*) FROM kagzi.workflow_runs WHERE parent_run_id = '%1$s')"
                    .formatted(parent)),
        number(
            "SELECT count(DISTINCT child_run_id) FROM kagzi.child_items WHERE run_id = '%s'"
                .formatted(parent)));
  }

  /** What the history of a run comes to. */
  long historyBytes(String run) throws SQLException {
    return number(
        "SELECT coalesce(sum(pg_column_size(s.*)), 0) FROM kagzi.step_runs s WHERE run_id = '%s'"
            .formatted(run));
  }

  /** The workers that are registered and were not given up. */
  public List<String> onlineWorkers() throws SQLException {
    return column("SELECT worker_id FROM kagzi.workers WHERE status = 'ONLINE'");
  }

  /** Why workers were given up, one entry for each time. */
  public List<String> offlineEvents() throws SQLException {
    return column("SELECT reason FROM kagzi.worker_events WHERE event = 'OFFLINE'");
  }

  /** How often a lease ran out or was taken back, over all runs that have ended. */
  long lostLeases() throws SQLException {
    return Long.parseLong(
        column("SELECT coalesce(sum(crashes), 0) FROM kagzi.finished_runs").getFirst());
  }

  /** How many attempts of steps and of whole runs were held against them. */
  long failedAttempts() throws SQLException {
    return number(
        """
        SELECT (SELECT count(*) FROM kagzi.step_runs WHERE status = 'FAILED')
             + (SELECT coalesce(sum(failures), 0) FROM kagzi.finished_runs)
             + (SELECT coalesce(sum(failures), 0) FROM kagzi.workflow_runs)
        """);
  }

  /**
   * Steps of ended runs that were not settled exactly once after the attempts they should have had:
   * those named {@code more} never fail, a run that failed has used up the budget of its last step,
   * and all others succeed in the last attempt.
   */
  long wrongSteps(int budget) throws SQLException {
    return number(
        """
        SELECT count(*)
        FROM (SELECT run_id, step_key, count(*) AS attempts, max(attempt) AS last,
                     count(*) FILTER (WHERE status = 'FAILED') AS failed,
                     count(*) FILTER (WHERE settled) AS settled,
                     bool_or(settled AND status = 'FAILED') AS lost
              FROM kagzi.step_runs GROUP BY run_id, step_key) s
        JOIN kagzi.finished_runs r USING (run_id)
        CROSS JOIN LATERAL (
          SELECT s.step_key = 'end' AND r.status = 'FAILED' AS lost,
                 split_part(s.step_key, '#', 1) = 'more' AS easy) expected
        WHERE s.settled <> 1 OR s.last <> s.attempts OR s.lost <> expected.lost
           OR s.attempts <> CASE WHEN expected.easy THEN 1 ELSE %1$d END
           OR s.failed <> CASE WHEN expected.easy THEN 0 WHEN expected.lost THEN %1$d
                               ELSE %1$d - 1 END
        """
            .formatted(budget));
  }

  /** Rows that only live runs may have, and live runs. */
  public long leftBehind() throws SQLException {
    return number(
        """
        SELECT (SELECT count(*) FROM kagzi.workflow_runs) + (SELECT count(*) FROM kagzi.run_waits)
             + (SELECT count(*) FROM kagzi.running_steps)
        """);
  }

  /** The keys of the steps of a run that are announced and have not ended. */
  List<String> runningSteps(String runId) throws SQLException {
    return column("SELECT step_key FROM kagzi.running_steps WHERE run_id = '%s'".formatted(runId));
  }

  /** How many runs have a parent, and how many different parents those have. */
  List<Long> childrenAndParents() throws SQLException {
    String all =
        "(SELECT parent_run_id FROM kagzi.finished_runs WHERE parent_run_id IS NOT NULL UNION ALL"
            + " SELECT parent_run_id FROM kagzi.workflow_runs WHERE parent_run_id IS NOT NULL) AS"
            + " c";
    return List.of(
        number("SELECT count(*) FROM " + all),
        number("SELECT count(DISTINCT parent_run_id) FROM " + all));
  }

  /** The keys of the settled steps of a run. */
  List<String> settledKeys(String runId) throws SQLException {
    return column(
        "SELECT step_key FROM kagzi.step_runs WHERE run_id = '%s' AND settled".formatted(runId));
  }

  /** Which worker settled a step. */
  String settledBy(String runId, String stepKey) throws SQLException {
    return column(
            "SELECT worker_id FROM kagzi.step_runs WHERE run_id = '%s' AND step_key = '%s'"
                    .formatted(runId, stepKey)
                + " AND settled")
        .getFirst();
  }

  /** Runs that were sent back after their end. */
  long retriedRuns() throws SQLException {
    return number(
        """
        SELECT (SELECT count(*) FROM kagzi.workflow_runs WHERE retries > 0)
             + (SELECT count(*) FROM kagzi.finished_runs WHERE retries > 0)
        """);
  }

  long runsRetriedOnceAndCompleted() throws SQLException {
    return number(
        "SELECT count(*) FROM kagzi.finished_runs WHERE retries = 1 AND status = 'COMPLETED'");
  }

  long attempts() throws SQLException {
    return number("SELECT count(*) FROM kagzi.step_runs");
  }

  /** The ids of all runs that have ended. */
  public Set<String> finishedRuns() throws SQLException {
    return Set.copyOf(column("SELECT run_id FROM kagzi.finished_runs"));
  }

  long endedRuns() throws SQLException {
    return number("SELECT count(*) FROM kagzi.finished_runs");
  }

  public long number(String query) throws SQLException {
    return Long.parseLong(column(query).getFirst());
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
