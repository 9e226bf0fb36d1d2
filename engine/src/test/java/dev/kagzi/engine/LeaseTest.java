package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a heartbeat does to the ends of leases. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeaseTest {

  private static final Duration LEASE = EngineConfig.defaults().leases().lease();

  private TestEngine kagzi;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void isSetByEachBeatAndNeverAddsUp() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    setLeaseEnd(task, now().plusSeconds(1));

    Instant before = now();
    for (int beats = 0; beats < 5; beats++) {
      assertThat(beat(worker, held(worker, task)).lost()).isEmpty();
    }

    assertThat(leaseEnd(task)).isBetween(before.plus(LEASE), now().plus(LEASE));
    finish(task);
  }

  @Test
  void isNeverShortened() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Instant farther = now().plus(LEASE.multipliedBy(2));
    setLeaseEnd(task, farther);

    beat(worker, held(worker, task));

    assertThat(leaseEnd(task)).isAfterOrEqualTo(farther.minusMillis(1));
    finish(task);
  }

  @Test
  void isAsLongAsTheRunAskedFor() {
    WorkerId worker = kagzi.registerWorker();
    Duration own = LEASE.multipliedBy(10);
    var policies = new RunPolicies(null, null, own, null, null, null);
    kagzi.engine().workflows().start(TestEngine.request().policies(policies).build());
    Task task = kagzi.pollOne(worker);
    assertThat(leaseEnd(task)).isAfter(now().plus(own.minus(LEASE)));
    setLeaseEnd(task, now().plusSeconds(1));

    beat(worker, held(worker, task));

    assertThat(leaseEnd(task)).isAfter(now().plus(own.minus(LEASE)));
    finish(task);
  }

  @Test
  void isNotExtendedForAnotherWorker() {
    WorkerId worker = kagzi.registerWorker();
    WorkerId other = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Instant soon = now().plusSeconds(1);
    setLeaseEnd(task, soon);

    HeartbeatBatch.Reply reply = beat(other, held(other, task));

    assertThat(reply.lost()).containsExactly(held(other, task));
    assertThat(leaseEnd(task)).isBeforeOrEqualTo(soon);
    finish(task);
  }

  @Test
  void isNotExtendedForAnEarlierClaimOfTheSameWorker() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task first = kagzi.pollOne(worker);
    kagzi.engine().tasks().release(fence(first));
    Task second = kagzi.pollOne(worker);
    Instant soon = now().plusSeconds(1);
    setLeaseEnd(second, soon);

    beat(worker, held(worker, first));

    assertThat(leaseEnd(second)).isBeforeOrEqualTo(soon);
    finish(second);
  }

  @Test
  void isNotExtendedForAWorkerThatIsOffline() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Instant soon = now().plusSeconds(1);
    setLeaseEnd(task, soon);
    kagzi.execute(
        "UPDATE kagzi.workers SET status = 'OFFLINE', deregistered_at = now() WHERE worker_id = '%s'"
            .formatted(worker));

    assertThatThrownBy(() -> beat(worker, held(worker, task))).isInstanceOf(EngineException.class);

    assertThat(leaseEnd(task)).isBeforeOrEqualTo(soon);
    finish(task);
  }

  /** Else a batch that holds the second run and starts one under the first one's id would wait. */
  @Test
  void isExtendedOnlyWhenAllRunsOfTheBeatAreLocked() throws Exception {
    WorkerId worker = kagzi.registerWorker();
    kagzi.engine().workflows().start(TestEngine.request().externalId("beaten-1").build());
    kagzi.engine().workflows().start(TestEngine.request().externalId("beaten-2").build());
    List<Task> tasks =
        kagzi.poll(worker, 2, Duration.ofSeconds(5)).stream()
            .sorted(Comparator.comparing(task -> task.claim().runId().toString()))
            .toList();
    try (Connection batch = kagzi.connection();
        Statement statement = batch.createStatement()) {
      batch.setAutoCommit(false);
      statement.execute(
          "SELECT 1 FROM kagzi.workflow_runs WHERE run_id = '%s' FOR NO KEY UPDATE"
              .formatted(tasks.get(1).claim().runId()));
      CompletableFuture<HeartbeatBatch.Reply> beat =
          CompletableFuture.supplyAsync(
              () -> beat(worker, held(worker, tasks.get(0)), held(worker, tasks.get(1))));
      await().until(this::somebodyWaitsForALock);

      RunId found =
          CompletableFuture.supplyAsync(() ->
                  kagzi
                      .engine()
                      .workflows()
                      .start(
                          TestEngine.request()
                              .externalId(tasks.get(0).claim().externalId())
                              .build())
                      .runId())
              .get(20, TimeUnit.SECONDS);

      assertThat(found).isEqualTo(tasks.get(0).claim().runId());
      assertThat(beat).isNotDone();
      batch.rollback();
      assertThat(beat.get(20, TimeUnit.SECONDS).lost()).isEmpty();
    }
    tasks.forEach(this::finish);
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

  private Instant now() {
    return kagzi.engine().clock().instant();
  }

  private Instant leaseEnd(Task task) {
    return Objects.requireNonNull(
        kagzi.engine().workflows().get(TestEngine.NAMESPACE, task.claim().runId()).availableAt());
  }

  private void setLeaseEnd(Task task, Instant end) {
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET lease_until = '%s' WHERE run_id = '%s'"
            .formatted(end, task.claim().runId()));
  }

  private HeartbeatBatch.Reply beat(WorkerId worker, Held... held) {
    return kagzi
        .engine()
        .workers()
        .heartbeat(new Heartbeat(new Beat("default", worker, 0, held.length, 0, 0), List.of(held)));
  }

  private static Held held(WorkerId worker, Task task) {
    return new Held(worker, task.claim().runId(), task.claim().epoch());
  }

  private void finish(Task task) {
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
  }
}
