package dev.kagzi.engine.interleaving;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.jdbc.Database;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Prepares races on fresh rows, and looks at what they leave. */
final class Director implements AutoCloseable {

  /** Longer than any lease and any deadline here. */
  static final Duration MUCH_LATER = Duration.ofHours(1);

  static final RunEnding COMPLETED = new RunEnding.Completed(payload("\"done\""));
  static final RunEnding FAILED =
      new RunEnding.Failed(
          new Failure(ErrorKind.UNKNOWN, "shop.Broken", List.of(), "broken", "", null), "charge");

  /** What no order of no race may leave behind. */
  private static final String VIOLATIONS =
      """
      SELECT 'a run is live and ended' AS what FROM kagzi.workflow_runs
      JOIN kagzi.finished_runs USING (run_id)
      UNION ALL
      SELECT 'a step is settled twice' FROM kagzi.step_runs
      WHERE settled AND superseded_at IS NULL GROUP BY run_id, step_key HAVING count(*) > 1
      UNION ALL
      SELECT 'two live runs share an external id' FROM kagzi.workflow_runs
      WHERE external_id IS NOT NULL GROUP BY namespace_id, external_id HAVING count(*) > 1
      UNION ALL
      SELECT 'something waits for a run that is not live' FROM kagzi.run_waits w
      WHERE NOT EXISTS (SELECT 1 FROM kagzi.workflow_runs r WHERE r.run_id = w.run_id)
      UNION ALL
      SELECT 'a step runs in a run that is not running' FROM kagzi.running_steps s
      WHERE NOT EXISTS (SELECT 1 FROM kagzi.workflow_runs r
                        WHERE r.run_id = s.run_id AND r.lease_epoch = s.lease_epoch
                          AND r.status = 'RUNNING')
      UNION ALL
      SELECT 'a run without an input' FROM kagzi.workflow_runs r
      WHERE r.status NOT IN ('SCHEDULED', 'PAUSED')
        AND NOT EXISTS (SELECT 1 FROM kagzi.workflow_payloads p WHERE p.run_id = r.run_id)
      """;

  private final Database database;
  final Bench bench;
  final WorkerId worker;
  final WorkerId otherWorker;

  Director(Database database) {
    this.database = database;
    this.bench = new Bench(database, database, Director::now);
    this.worker = register();
    this.otherWorker = register();
  }

  static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MICROS);
  }

  Database database() {
    return database;
  }

  /** A worker that nobody else knows. */
  WorkerId register() {
    var location = new WorkerRegistration.Location("host", 1, UUID.randomUUID().toString(), null);
    return bench.workers.register(
        new WorkerRegistration(
            TestEngine.QUEUE,
            List.of(TestEngine.TYPE),
            10,
            location,
            WorkerRegistration.Software.UNKNOWN,
            Map.of()));
  }

  /** Makes room for the next order; what has ended is in nobody's way. */
  void clear() {
    for (String table :
        List.of("workflow_runs", "run_waits", "running_steps", "child_items", "ended_parents")) {
      execute("DELETE FROM kagzi." + table);
    }
  }

  void execute(String sql) {
    database.inTransaction(tx -> tx.assembled(sql).update());
  }

  RunId start(StartRequest.Builder request) {
    return bench.workflows.start(request.build()).runId();
  }

  RunId start() {
    return start(TestEngine.request());
  }

  /** A run that the worker holds. */
  Task held(StartRequest.Builder request) {
    RunId runId = start(request);
    return claim(runId);
  }

  Task held() {
    return held(TestEngine.request());
  }

  private Task claim(RunId runId) {
    Task task = bench.claims.claim(TestEngine.QUEUE, TestEngine.TYPE, worker).get(0);
    if (!task.claim().runId().equals(runId)) {
      throw new IllegalStateException("another run was due");
    }
    return task;
  }

  /** A run that has failed. */
  RunId failed(StartRequest.Builder request) {
    Fence fence = fence(held(request));
    bench.tasks.finish(fence, FAILED);
    return fence.runId();
  }

  String status(RunId runId) {
    return bench.workflows.get(TestEngine.NAMESPACE, runId).status().name();
  }

  /** The first column of the first row, as text. */
  String text(String sql) {
    return database.inTransaction(
        tx -> tx.assembled("SELECT (" + sql + ")::text AS it").only(row -> row.text("it")));
  }

  int count(String from) {
    return Integer.parseInt(text("SELECT count(*) FROM kagzi." + from));
  }

  List<String> violations() {
    return database.inTransaction(tx -> tx.query(VIOLATIONS).list(row -> row.text("what")));
  }

  @Override
  public void close() {
    bench.close();
  }
}
