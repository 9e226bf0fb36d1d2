package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims as a second server beside the engine would make them. */
class DispatcherTest {

  private static final Duration LEASE = Duration.ofSeconds(30);

  private final TestEngine kagzi = TestEngine.start();
  private final Timers timers = new Timers();
  private final WorkSignals signals = new WorkSignals((queue, at) -> {});
  private volatile Duration clockAdvance = Duration.ZERO;
  private Dispatcher dispatcher;
  private WorkerId worker;

  @BeforeEach
  void start() {
    dispatcher =
        Dispatcher.over(kagzi.database(), this::now, LEASE, signals, timers, Telemetry.NONE);
    worker = kagzi.registerWorker();
  }

  @AfterEach
  void stop() {
    dispatcher.close();
    timers.close();
    kagzi.close();
  }

  private Instant now() {
    return kagzi.engine().clock().instant().plus(clockAdvance);
  }

  private List<Task> poll(Dispatcher at, UUID claimId, int maxTasks) {
    return poll(at, TestEngine.QUEUE, claimId, maxTasks, Duration.ofSeconds(10));
  }

  private List<Task> poll(
      Dispatcher at, QueueKey queue, UUID claimId, int maxTasks, Duration wait) {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    Poll.Request request =
        new Poll.Request(worker, queue, List.of(TestEngine.TYPE), maxTasks, claimId);
    at.poll(
        request,
        wait,
        new Poll.Listener() {
          @Override
          public boolean tasks(List<Task> tasks) {
            return answer.complete(tasks);
          }

          @Override
          public void empty() {
            answer.complete(List.of());
          }
        });
    return answer.orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static List<RunId> runs(List<Task> tasks) {
    return tasks.stream().map(task -> task.claim().runId()).toList();
  }

  @Test
  void handsARunOnlyToAPollThatServesItsVersion() {
    TypeVersion second = new TypeVersion(TestEngine.TYPE.workflowType(), "2");
    WorkerId newer = kagzi.registerWorker(List.of(second));
    RunId runId =
        kagzi
            .engine()
            .workflows()
            .start(TestEngine.request().version(second.version()).build())
            .runId();
    // Claimed after the other and by the same statement, so it shows that the claim has looked.
    RunId unversioned = kagzi.startRun();

    assertThat(runs(poll(dispatcher, UUID.randomUUID(), 10))).containsExactly(unversioned);
    assertThat(runs(kagzi.poll(newer, List.of(second), 10, Duration.ofSeconds(5))))
        .containsExactly(runId);
  }

  @Test
  void answersARepeatedPollWithTheRunsItClaimedBefore() {
    kagzi.startRun();
    kagzi.startRun();
    UUID claimId = UUID.randomUUID();
    List<Task> lost = poll(dispatcher, claimId, 2);
    kagzi.startRun();

    clockAdvance = Duration.ofSeconds(20);
    List<Task> again = poll(dispatcher, claimId, 2);

    assertThat(lost).hasSize(2);
    assertThat(again.get(0).claim().leaseUntil())
        .isAfterOrEqualTo(lost.get(0).claim().leaseUntil().plusSeconds(19));
    assertThat(runs(again)).containsExactlyInAnyOrderElementsOf(runs(lost));
    assertThat(again.get(0).claim().epoch()).isEqualTo(1);
  }

  @Test
  void answersAPollThatIsRepeatedAtAnotherServer() {
    RunId runId = kagzi.startRun();
    UUID claimId = UUID.randomUUID();
    poll(dispatcher, claimId, 1);

    try (Dispatcher other =
        Dispatcher.over(kagzi.database(), this::now, LEASE, signals, timers, Telemetry.NONE)) {
      assertThat(runs(poll(other, claimId, 1))).containsExactly(runId);
    }
  }

  @Test
  void givesAnotherPollOfTheSameWorkerOtherRuns() {
    RunId first = kagzi.startRun();
    RunId second = kagzi.startRun();

    assertThat(runs(poll(dispatcher, UUID.randomUUID(), 1))).containsExactly(first);
    assertThat(runs(poll(dispatcher, UUID.randomUUID(), 1))).containsExactly(second);
  }

  @Test
  void givesTheRepeatedPollNothingThatIsNoLongerItsOwn() {
    kagzi.startRun();
    UUID claimId = UUID.randomUUID();
    Task task = poll(dispatcher, claimId, 1).get(0);
    kagzi.engine().tasks().release(TestEngine.fence(task));

    Task again = poll(dispatcher, claimId, 1).get(0);

    assertThat(again.claim().epoch()).isEqualTo(2);
  }

  @Test
  void givesAnotherWorkerNothingOfThePollWhoseIdItShows() {
    kagzi.startRun();
    UUID claimId = UUID.randomUUID();
    assertThat(poll(dispatcher, claimId, 1)).hasSize(1);

    worker = kagzi.registerWorker();

    assertThat(poll(dispatcher, TestEngine.QUEUE, claimId, 1, Duration.ofMillis(50))).isEmpty();
  }

  @Test
  void findsARunThatComesToLightBelowTheFloor() {
    kagzi.startRun();
    kagzi.startRun();
    poll(dispatcher, UUID.randomUUID(), 2);
    poll(dispatcher, TestEngine.QUEUE, UUID.randomUUID(), 1, Duration.ofMillis(50));
    RunId late = kagzi.startRun();
    execute(
        "UPDATE kagzi.workflow_runs SET available_at = available_at - interval '1 hour'"
            + " WHERE status = 'PENDING'");

    assertThat(poll(dispatcher, TestEngine.QUEUE, UUID.randomUUID(), 1, Duration.ofMillis(50)))
        .isEmpty();
    clockAdvance = Duration.ofSeconds(5);
    assertThat(runs(poll(dispatcher, UUID.randomUUID(), 1))).containsExactly(late);
  }

  /** A transaction that is left open keeps every dead index entry in the way of the scans. */
  @Test
  void doesNotReadClaimedRunsAgainWhileATransactionIsLeftOpen() throws Exception {
    execute(
        """
        INSERT INTO kagzi.workflow_runs (
          run_id, namespace_id, task_queue, workflow_type, version, status, available_at,
          created_at)
        SELECT gen_random_uuid(), 'default', 'orders', 'process-order', '', 'PENDING',
               now() - interval '1 hour' + i * interval '1 millisecond', now()
        FROM generate_series(1, 10000) AS i
        """);
    try (Connection forgotten = kagzi.connection()) {
      forgotten.setAutoCommit(false);
      forgotten.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      forgotten.createStatement().executeQuery("SELECT count(*) FROM kagzi.namespaces").close();
      for (int claimed = 0; claimed < 10_000; claimed += 100) {
        assertThat(poll(dispatcher, UUID.randomUUID(), 100)).hasSize(100);
      }
      long read = reportedIndexEntriesRead();
      System.out.printf("pinned_xmin.index_entries_per_claimed_run: %.1f%n", read / 10_000.0);
      // Without floors each claim reads all that were claimed before it: half a million in all.
      assertThat(read).isBetween(10_000L, 60_000L);
      forgotten.rollback();
    }
  }

  /** Backends report what they have read with a delay; this waits until nothing more comes. */
  private long reportedIndexEntriesRead() {
    AtomicLong last = new AtomicLong(-1);
    await()
        .pollInterval(Duration.ofMillis(1500))
        .atMost(Duration.ofSeconds(20))
        .until(() -> last.getAndSet(indexEntriesRead()) == indexEntriesRead());
    return last.get();
  }

  private long indexEntriesRead() {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query(
                    "SELECT idx_tup_read FROM pg_stat_user_indexes"
                        + " WHERE indexrelname = 'workflow_runs_ready'")
                .only(row -> row.bigint("idx_tup_read")));
  }

  @Test
  void forgetsQueuesThatNobodyAsksForAnyMore() {
    for (int i = 0; i < 100; i++) {
      QueueKey queue = new QueueKey(TestEngine.NAMESPACE, "queue-" + i);
      poll(dispatcher, queue, UUID.randomUUID(), 1, Duration.ofMillis(1));
    }
    dispatcher.lookForWork();
    assertThat(dispatcher.watchedQueues()).isEqualTo(100);

    clockAdvance = Duration.ofMinutes(2);
    await()
        .untilAsserted(() -> {
          dispatcher.lookForWork();
          assertThat(dispatcher.watchedQueues()).isZero();
        });
    RunId runId = kagzi.startRun();
    assertThat(runs(poll(dispatcher, UUID.randomUUID(), 1))).containsExactly(runId);
  }

  private void execute(String sql) {
    kagzi.execute(sql);
  }
}
