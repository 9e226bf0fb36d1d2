package dev.kagzi.bench.floor;

import dev.kagzi.bench.driver.Contender;
import dev.kagzi.core.TimeOrderedIds;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.UUID;

/**
 * The rows of workflows, written through one connection, as many workflows at a time as its arrays
 * hold. Each method is one statement and one transaction, with no more columns and no less rows
 * than Kagzi writes for the same. Not thread-safe.
 */
final class FloorRows implements AutoCloseable {
  private static final TimeOrderedIds IDS = new TimeOrderedIds(InstantSource.system());
  private static final UUID WORKER = UUID.randomUUID();

  private static final String START =
      """
      WITH runs AS (
        INSERT INTO kagzi.workflow_runs (run_id, namespace_id, task_queue, workflow_type, version,
          status, available_at, created_at)
        SELECT id, 'default', 'bench', 'bench', '', 'PENDING', now(), now()
        FROM unnest(?::uuid[]) AS id
        RETURNING run_id
      )
      INSERT INTO kagzi.workflow_payloads (run_id, input) SELECT run_id, '5' FROM runs
      """;

  private static final String CLAIM =
      """
      UPDATE kagzi.workflow_runs
      SET status = 'RUNNING', available_at = NULL, lease_until = now() + interval '30 s',
          leased_at = now(), lease_epoch = lease_epoch + 1, locked_by = ?, claim_id = ?,
          started_at = now()
      WHERE run_id = ANY (?::uuid[]) AND status = 'PENDING'
      """;

  private static final String STEP =
      """
      INSERT INTO kagzi.step_runs (run_id, step_key, attempt, seq, kind, status, settled,
        lease_epoch, worker_id, output, started_at, finished_at)
      SELECT id, ?, 1, ?, 'FUNCTION', 'COMPLETED', true, 1, ?, ?, now(), now()
      FROM unnest(?::uuid[]) AS id
      """;

  private static final String FINISH =
      """
      WITH moved AS (
        DELETE FROM kagzi.workflow_runs
        WHERE run_id = ANY (?::uuid[]) AND status = 'RUNNING' AND lease_epoch = 1
        RETURNING *
      )
      INSERT INTO kagzi.finished_runs (run_id, namespace_id, task_queue, workflow_type, version,
        status, lease_epoch, failures, crashes, retries, finished_by, output, created_at,
        started_at, finished_at)
      SELECT run_id, namespace_id, task_queue, workflow_type, version, 'COMPLETED', lease_epoch,
             failures, crashes, retries, locked_by, ?, created_at, started_at, now()
      FROM moved
      """;

  private static final String HISTORY =
      "SELECT step_key, output FROM kagzi.step_runs WHERE run_id = ? ORDER BY seq";

  private static final byte[] RESULT = resultBytes();

  private final Connection connection;
  private final PreparedStatement start;
  private final PreparedStatement claim;
  private final PreparedStatement step;
  private final PreparedStatement finish;
  private final PreparedStatement history;

  FloorRows(Connection connection) throws SQLException {
    this.connection = connection;
    this.start = connection.prepareStatement(START);
    this.claim = connection.prepareStatement(CLAIM);
    this.step = connection.prepareStatement(STEP);
    this.finish = connection.prepareStatement(FINISH);
    this.history = connection.prepareStatement(HISTORY);
  }

  private static byte[] resultBytes() {
    return Contender.RESULT.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  /** Ids for so many workflows. */
  static UUID[] newIds(int count) {
    var ids = new UUID[count];
    for (int i = 0; i < count; i++) {
      ids[i] = IDS.next();
    }
    return ids;
  }

  /** Everything that workflows of so many steps need, one operation after another. */
  void execute(UUID[] runs, int steps) throws SQLException {
    start(runs);
    claim(runs);
    for (int number = 1; number <= steps; number++) {
      step(runs, number);
    }
    finish(runs);
  }

  void start(UUID[] runs) throws SQLException {
    start.setArray(1, connection.createArrayOf("uuid", runs));
    start.executeUpdate();
  }

  void claim(UUID[] runs) throws SQLException {
    claim.setObject(1, WORKER);
    claim.setObject(2, UUID.randomUUID());
    claim.setArray(3, connection.createArrayOf("uuid", runs));
    claim.executeUpdate();
  }

  void step(UUID[] runs, int number) throws SQLException {
    step.setString(1, number == 1 ? "step" : "step#" + number);
    step.setInt(2, number);
    step.setObject(3, WORKER);
    step.setBytes(4, RESULT);
    step.setArray(5, connection.createArrayOf("uuid", runs));
    step.executeUpdate();
  }

  void finish(UUID[] runs) throws SQLException {
    finish.setArray(1, connection.createArrayOf("uuid", runs));
    finish.setBytes(2, RESULT);
    finish.executeUpdate();
  }

  /** Reads everything that a workflow has done, and says how many steps that is. */
  int readHistory(UUID run) throws SQLException {
    history.setObject(1, run);
    int steps = 0;
    try (var rows = history.executeQuery()) {
      while (rows.next()) {
        steps += rows.getBytes(2).length > 0 ? 1 : 0;
      }
    }
    return steps;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // It is gone already, which is what we want.
    }
  }
}
