package dev.kagzi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker whose first registration was not answered in time registers again beside it. */
class RegisteredTwiceTest {

  private static final String FIRST =
      """
      INSERT INTO kagzi.workers (worker_id, namespace_id, task_queue, status, hostname, pid,
        instance_id, workflow_types, versions, max_concurrent, registered_at, last_heartbeat_at)
      VALUES (gen_random_uuid(), '%s', '%s', 'ONLINE', 'host', 1, 'impatient', '{%s}', '{""}', 1,
        now(), now())
      """
          .formatted(
              TestEngine.QUEUE.namespace(),
              TestEngine.QUEUE.taskQueue(),
              TestEngine.TYPE.workflowType());

  private TestEngine kagzi;

  @BeforeEach
  void start() {
    kagzi = TestEngine.start();
  }

  @AfterEach
  void stop() {
    kagzi.close();
  }

  @Test
  void theSecondRegistrationWaitsForTheFirstAndReplacesIt() throws Exception {
    CompletableFuture<WorkerId> second;
    try (Connection first = kagzi.connection();
        Statement statement = first.createStatement()) {
      first.setAutoCommit(false);
      statement.execute(FIRST);
      second = CompletableFuture.supplyAsync(this::register);
      await().until(() -> second.isDone() || somebodyWaitsForALock());
      first.commit();
      first.setAutoCommit(true);
    }

    WorkerId registered = second.get(10, TimeUnit.SECONDS);

    assertThat(live()).containsExactly(registered);
  }

  private WorkerId register() {
    return kagzi
        .engine()
        .workers()
        .register(
            new WorkerRegistration(
                TestEngine.QUEUE,
                List.of(TestEngine.TYPE),
                1,
                new WorkerRegistration.Location("host", 1, "impatient", null),
                WorkerRegistration.Software.UNKNOWN,
                Map.of()));
  }

  private List<WorkerId> live() {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query("SELECT worker_id FROM kagzi.workers WHERE status <> 'OFFLINE'")
                .list(row -> new WorkerId(row.uuid("worker_id"))));
  }

  private boolean somebodyWaitsForALock() {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query(
                    "SELECT count(*) > 0 AS waits FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                .only(row -> row.bool("waits")));
  }
}
