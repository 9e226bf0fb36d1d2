package dev.kagzi.bench.workload;

import dev.kagzi.bench.system.BenchFailedException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Puts very many runs into the tables of a Kagzi that runs already. Stateless. */
final class Filling {
  private Filling() {}

  /** Ended runs of today, with an input, the five steps of W1 and a result each. */
  static void finished(String url, int runs) {
    fill(
        url,
        """
        CREATE TABLE kagzi.bench_ids AS
        SELECT (lpad(to_hex(began + i), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8'
                || substr(md5(i::text), 4, 15))::uuid AS run_id,
               i, to_timestamp((began + i) / 1000.0) AS at
        FROM generate_series(1, %d) AS i,
             (SELECT (extract(epoch FROM date_trunc('day', now() AT TIME ZONE 'UTC')) * 1000)::bigint
              AS began) AS today
        """
            .formatted(runs),
        """
        INSERT INTO kagzi.finished_runs (run_id, namespace_id, task_queue, workflow_type, version,
          status, lease_epoch, failures, crashes, retries, output, created_at, started_at,
          finished_at)
        SELECT run_id, 'default', 'orders', 'type-' || i % 20, '',
               (ARRAY['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED'])[1 + i % 4], 1, 0, 0, 0,
               repeat('r', 100)::bytea, at, at, at + interval '1 s'
        FROM kagzi.bench_ids
        """,
        "INSERT INTO kagzi.workflow_payloads (run_id, input) SELECT run_id, '5' FROM"
            + " kagzi.bench_ids",
        """
        INSERT INTO kagzi.step_runs (run_id, step_key, attempt, seq, kind, status, settled,
          lease_epoch, output, started_at, finished_at)
        SELECT run_id, 'step#' || s, 1, s, 'FUNCTION', 'COMPLETED', true, 1,
               repeat('r', 100)::bytea, at, at
        FROM kagzi.bench_ids, generate_series(1, 5) AS s
        """,
        "DROP TABLE kagzi.bench_ids",
        "VACUUM ANALYZE kagzi.finished_runs, kagzi.step_runs, kagzi.workflow_payloads",
        "CHECKPOINT");
  }

  /** Due runs of a type that no worker serves, on the queue that the measured ones are on. */
  static void due(String url, int runs) {
    fill(
        url,
        """
        INSERT INTO kagzi.workflow_runs (run_id, namespace_id, task_queue, workflow_type, version,
          status, available_at, created_at)
        SELECT uuidv7(), 'default', 'bench', 'nobody-serves-this', '', 'PENDING', now(), now()
        FROM generate_series(1, %d)
        """
            .formatted(runs),
        "VACUUM ANALYZE kagzi.workflow_runs",
        "CHECKPOINT");
  }

  private static void fill(String url, String... statements) {
    try (var connection = DriverManager.getConnection(url)) {
      for (var sql : statements) {
        execute(connection, sql);
      }
    } catch (SQLException e) {
      throw new BenchFailedException("the tables could not be filled: " + e.getMessage(), e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = off");
      statement.execute(sql);
    }
  }
}
