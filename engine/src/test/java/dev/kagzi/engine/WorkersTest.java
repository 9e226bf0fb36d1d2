package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.WorkerPresence;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Heartbeats, leases and the death of workers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkersTest {

  private final HikariDataSource pool = TestEngine.migratedDatabase();
  private final CountingDataSource counting = new CountingDataSource(pool);
  private TestEngine kagzi;

  @BeforeAll
  void start() {
    kagzi = TestEngine.on(counting.dataSource());
  }

  @AfterAll
  void stop() {
    kagzi.close();
    pool.close();
  }

  @Test
  void tellsAWorkerWhichClaimItLostAlsoWhenItHoldsTheRunAgain() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task first = kagzi.pollOne(worker);
    kagzi.engine().tasks().release(fence(first));
    Task second = kagzi.pollOne(worker);

    HeartbeatBatch.Reply reply = beat(worker, held(worker, first), held(worker, second));

    assertThat(reply.lost()).containsExactly(held(worker, first));
    finish(second);
  }

  @Test
  void extendsNothingForAWorkerThatWasDeclaredDeadAndHandsItNothing() {
    WorkerId dead = kagzi.registerWorker();
    WorkerId other = kagzi.registerWorker();
    CompletableFuture<List<Task>> openPoll =
        CompletableFuture.supplyAsync(() -> kagzi.poll(dead, 1, Duration.ofSeconds(2)));
    await().pollDelay(Duration.ofMillis(300)).until(() -> true);
    Instant now = kagzi.engine().clock().instant();
    assertThat(kagzi.engine().recovery().declareDead(dead, now, 0, "test")).isTrue();
    kagzi.startRun();

    assertThat(openPoll.join()).isEmpty();
    assertThatThrownBy(() -> beat(dead))
        .hasMessageStartingWith("Worker not found or offline")
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.WORKER_NOT_FOUND));
    finish(kagzi.pollOne(other));
  }

  @Test
  void doesNotGiveUpAWorkerThatHasOpenedANewerStreamElsewhere() {
    WorkerId worker = kagzi.registerWorker();
    long broken = kagzi.engine().workers().streamOpened(TestEngine.NAMESPACE, worker).orElse(0L);
    long newer = kagzi.engine().workers().streamOpened(TestEngine.NAMESPACE, worker).orElse(0L);
    Instant noticedLate = kagzi.engine().clock().instant().plusSeconds(1);

    assertThat(newer).isGreaterThan(broken);
    assertThat(kagzi.engine().recovery().declareDead(worker, noticedLate, broken, "test"))
        .isFalse();
    assertThat(kagzi.engine().recovery().declareDead(worker, noticedLate, newer, "test")).isTrue();
  }

  @Test
  void doesNotGiveUpAWorkerThatHasBeatenSince() {
    WorkerId worker = kagzi.registerWorker();
    Instant suspectSince = kagzi.engine().clock().instant();
    beat(worker);

    assertThat(kagzi.engine().recovery().declareDead(worker, suspectSince, 0, "test")).isFalse();
  }

  @Test
  void noticesTheEndOfTheLastCallOnly() {
    WorkerId worker = kagzi.registerWorker();
    WorkerPresence presence = kagzi.engine().presence();

    assertThat(presence.streamOpened("elsewhere", worker)).isFalse();
    presence.streamOpened(TestEngine.NAMESPACE, worker);
    presence.callOpened(worker);
    presence.callEnded(worker, true);

    assertThat(beat(worker).accepted()).isTrue();
    presence.callEnded(worker, false);
  }

  @Test
  void countsWhatARepeatedHeartbeatReportsOnce() {
    WorkerId worker = kagzi.registerWorker();
    Heartbeat heartbeat = new Heartbeat(new Beat("default", worker, 77, 1, 5, 2), List.of());

    kagzi.engine().workers().heartbeat(heartbeat);
    kagzi.engine().workers().heartbeat(heartbeat);

    long completed =
        kagzi
            .database()
            .inTransaction(tx ->
                tx.query("SELECT total_completed AS n FROM kagzi.workers WHERE worker_id = :id")
                    .set("id", worker.value())
                    .only(row -> row.bigint("n")));
    assertThat(completed).isEqualTo(5);
  }

  @Test
  void hearsNothingFromAnotherNamespace() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    kagzi.engine().tasks().completeStep(fence(task), worker, result("charge", "1"));
    Fence foreign = new Fence("other", task.claim().runId(), task.claim().epoch());

    assertThatThrownBy(() ->
            kagzi
                .engine()
                .workers()
                .heartbeat(new Heartbeat(new Beat("other", worker, 0, 0, 0, 0), List.of())))
        .isInstanceOf(EngineException.class);
    kagzi.engine().workers().deregister("other", worker);
    assertThatThrownBy(
            () -> kagzi.engine().tasks().completeStep(foreign, worker, result("charge", "1")))
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.RUN_NOT_FOUND));
    assertThat(beat(worker, held(worker, task)).lost()).isEmpty();
    finish(task);
  }

  @Test
  void neverDeadlocksBetweenHeartbeatsAndDepartures() {
    for (int round = 0; round < 30; round++) {
      WorkerId worker = kagzi.registerWorker();
      for (int i = 0; i < 10; i++) {
        kagzi.startRun();
      }
      List<Task> tasks = kagzi.poll(worker, 10, Duration.ofSeconds(5));
      Held[] held = tasks.stream().map(task -> held(worker, task)).toArray(Held[]::new);
      try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
        both.execute(() -> {
          try {
            beat(worker, held);
          } catch (EngineException gone) {
            // The departure was first.
          }
        });
        both.execute(() -> kagzi.engine().workers().deregister("default", worker));
      }
    }

    assertThat(counting.deadlocks()).isZero();
    WorkerId last = kagzi.registerWorker();
    List<Task> left = kagzi.poll(last, 100, Duration.ofMillis(500));
    while (!left.isEmpty()) {
      left.forEach(this::finish);
      left = kagzi.poll(last, 100, Duration.ofMillis(500));
    }
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

  @Test
  void freesARunThatWasClaimedForAWorkerWhileItWasGivenUp() {
    RunId runId = kagzi.startRun();
    WorkerId lost = kagzi.registerWorker();
    kagzi.pollOne(lost);
    kagzi.execute("UPDATE kagzi.workers SET status = 'OFFLINE' WHERE worker_id = '" + lost + "'");

    assertThat(kagzi.engine().recovery().freeOrphans()).isEqualTo(1);

    assertThat(kagzi.pollOne(kagzi.registerWorker()).claim().runId()).isEqualTo(runId);
  }
}
