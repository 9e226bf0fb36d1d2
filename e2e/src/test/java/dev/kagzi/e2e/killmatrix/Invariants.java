package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** What must be true of a database in which nobody has anything left to do. */
final class Invariants {

  /** A run is live, or it has ended. */
  private static final String ALL_RUNS =
      "(SELECT run_id FROM kagzi.workflow_runs UNION ALL SELECT run_id FROM kagzi.finished_runs)";

  private static final String LIVE =
      "(SELECT run_id FROM kagzi.workflow_runs WHERE status IN ('PENDING', 'RUNNING', 'SLEEPING'))";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Each counts what must not be there. */
  private static final Map<String, String> VIOLATIONS = violations();

  private Invariants() {}

  private static Map<String, String> violations() {
    Map<String, String> counts = new LinkedHashMap<>();
    counts.put(
        "runs that are live and have ended",
        "SELECT count(*) FROM kagzi.workflow_runs JOIN kagzi.finished_runs USING (run_id)");
    counts.put("runs that never ended", "SELECT count(*) FROM " + LIVE + " AS l");
    counts.put("waits of no live run", "SELECT count(*) FROM kagzi.run_waits");
    counts.put("executing steps of no live run", "SELECT count(*) FROM kagzi.running_steps");
    for (String table :
        new String[] {
          "child_items", "child_maps", "run_events", "run_states", "step_runs", "workflow_payloads"
        }) {
      counts.put(
          "rows of no run in " + table,
          "SELECT count(*) FROM kagzi.%s WHERE run_id NOT IN %s".formatted(table, ALL_RUNS));
    }
    counts.put(
        "runs without their input",
        "SELECT count(*) FROM kagzi.finished_runs"
            + " WHERE run_id NOT IN (SELECT run_id FROM kagzi.workflow_payloads)");
    counts.put(
        "steps that were settled twice",
        "SELECT count(*) FROM (SELECT 1 FROM kagzi.step_runs"
            + " WHERE settled AND superseded_at IS NULL"
            + " GROUP BY run_id, step_key HAVING count(*) > 1) AS s");
    counts.put(
        "children that have not ended as their items say",
        "SELECT count(*) FROM kagzi.child_items i LEFT JOIN kagzi.finished_runs f"
            + " ON f.run_id = i.child_run_id WHERE i.status IN ('WAITING', 'RUNNING')"
            + " AND EXISTS (SELECT 1 FROM kagzi.finished_runs p"
            + " WHERE p.run_id = i.run_id AND p.status = 'COMPLETED') AND f.status = 'COMPLETED'");
    counts.put(
        "ticks whose run is not there",
        "SELECT count(*) FROM kagzi.schedule_firings WHERE outcome = 'FIRED' AND run_id NOT IN "
            + ALL_RUNS);
    counts.put(
        "runs of a schedule without their tick, or with two",
        "SELECT count(*) FROM kagzi.finished_runs r WHERE schedule_group_id IN (SELECT run_id FROM"
            + " kagzi.workflow_runs WHERE cron_expr IS NOT NULL) AND 1 <> (SELECT count(*) FROM"
            + " kagzi.schedule_firings f WHERE f.run_id = r.run_id)");
    counts.put(
        "batches that do not add up",
        "SELECT count(*) FROM kagzi.batches b WHERE (succeeded, failed, skipped, total) <> ("
            + "SELECT count(*) FILTER (WHERE i.status = 'SUCCEEDED'),"
            + " count(*) FILTER (WHERE i.status = 'FAILED'),"
            + " count(*) FILTER (WHERE i.status = 'SKIPPED'), count(*)"
            + " FROM kagzi.batch_items i WHERE i.batch_id = b.batch_id)");
    return counts;
  }

  /** Ended parents are looked after by a loop, which may take a moment. */
  static void check(Tables tables) {
    await()
        .atMost(PATIENCE)
        .until(() -> tables.number("SELECT count(*) FROM kagzi.ended_parents") == 0);
    Map<String, Long> found = new LinkedHashMap<>();
    VIOLATIONS.forEach((name, sql) -> {
      long count = tables.number(sql);
      if (count > 0) {
        found.put(name, count);
      }
    });
    assertThat(found).isEmpty();
  }
}
