package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a worker hears, and what stays of it, after its run has gone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceTest {

  private TestEngine kagzi;
  private Tasks tasks;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
  }

  /** What a failed test leaves behind must not be claimed by the next. */
  @AfterEach
  void clear() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void refusesEveryWriteWhileTheRunWaitsForItsNextWorker() {
    WorkerId zombie = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task old = kagzi.pollOne(zombie);
    takeFrom(zombie);

    assertEveryWriteIsRefused(old, zombie);

    assertThat(kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).status())
        .isEqualTo(RunStatus.PENDING);
    Task next = kagzi.pollOne(kagzi.registerWorker());
    assertThat(next.history()).isEmpty();
    finish(next);
  }

  @Test
  void refusesEveryWriteWhenTheRunHasItsNextWorker() {
    WorkerId zombie = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task old = kagzi.pollOne(zombie);
    takeFrom(zombie);
    Task current = kagzi.pollOne(kagzi.registerWorker());

    assertEveryWriteIsRefused(old, zombie);
    assertThat(tasks.park(fence(old), new Divergence("charge", "ship", "other code"))).isFalse();

    assertThat(kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).status())
        .isEqualTo(RunStatus.RUNNING);
    assertThat(tasks.history(fence(current), HistoryPage.Position.START).steps()).isEmpty();
    finish(current);
  }

  @Test
  void waitsForATakeOverThatIsUnderWay() throws Exception {
    WorkerId zombie = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(zombie);
    CompletableFuture<StepOutcome> answer;
    try (Connection takeOver = kagzi.connection();
        Statement statement = takeOver.createStatement()) {
      takeOver.setAutoCommit(false);
      statement.execute("UPDATE kagzi.workflow_runs SET lease_epoch = lease_epoch + 1");
      answer =
          CompletableFuture.supplyAsync(
              () -> tasks.completeStep(fence(task), zombie, result("charge", "1")).outcome());
      await().until(() -> answer.isDone() || somebodyWaitsForALock());
      takeOver.commit();
      takeOver.setAutoCommit(true);
    }

    assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS)).hasMessageContaining("not held");
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

  @Test
  void tellsAZombieThatFailsAnInterruptedAttemptThatItsLeaseIsLost() {
    WorkerId zombie = kagzi.registerWorker();
    kagzi.startRun();
    Task old = kagzi.pollOne(zombie);
    tasks.beginStep(beginning(old, zombie, 1));
    takeFrom(zombie);

    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.failStep(fence(old), zombie, failure("charge", 1)));
    Task current = kagzi.pollOne(kagzi.registerWorker());
    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.failStep(fence(old), zombie, failure("charge", 1)));
    finish(current);
  }

  @Test
  void tellsAWorkerWhoseAnnouncedStepWasCancelledThatItsRunWas() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.beginStep(beginning(task, worker, 1));
    kagzi.engine().workflows().cancel(TestEngine.NAMESPACE, runId, "test");

    assertRefused(
        ErrorCode.RUN_CANCELLED,
        () -> tasks.completeStep(fence(task), worker, result("charge", "1")));
    assertRefused(
        ErrorCode.RUN_CANCELLED, () -> tasks.failStep(fence(task), worker, failure("charge", 1)));
  }

  @Test
  void tellsTheFailureOfAnAttemptThatItHadSucceeded() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.completeStep(fence(task), worker, result("charge", "\"paid\""));

    assertThat(tasks.failStep(fence(task), worker, failure("charge", 1)).outcome())
        .isInstanceOf(FailOutcome.AlreadySettled.class);
    tasks.failStep(fence(task), worker, lastFailure("ship", 1));
    assertThat(tasks.completeStep(fence(task), worker, result("ship", "1")).outcome())
        .isInstanceOf(StepOutcome.AlreadySettled.class);
    finish(task);
  }

  @Test
  void chargesNothingForAnAttemptThatWasInterrupted() {
    WorkerId dying = kagzi.registerWorker();
    kagzi.startRun();
    tasks.beginStep(beginning(kagzi.pollOne(dying), dying, 1));
    takeFrom(dying);
    WorkerId releasing = kagzi.registerWorker();
    Task second = kagzi.pollOne(releasing);
    assertInterrupted(second, 1);
    tasks.beginStep(beginning(second, releasing, 2));
    tasks.release(fence(second));
    Task third = kagzi.pollOne(releasing);
    assertInterrupted(third, 2);
    tasks.beginStep(beginning(third, releasing, 3));
    kagzi.engine().workers().deregister(TestEngine.NAMESPACE, releasing);
    WorkerId parking = kagzi.registerWorker();
    Task fourth = kagzi.pollOne(parking);
    assertInterrupted(fourth, 3);
    tasks.beginStep(beginning(fourth, parking, 4));
    tasks.park(fence(fourth), new Divergence("charge", "ship", "other code"));
    Task fifth = kagzi.pollOne(kagzi.registerWorker());
    assertInterrupted(fifth, 4);
    finish(fifth);
  }

  private static void assertInterrupted(Task task, int attempt) {
    RecordedStep step = task.history().get(0);
    assertThat(step.status()).isEqualTo(StepStatus.INTERRUPTED);
    assertThat(step.attempt()).isEqualTo(attempt);
    assertThat(step.failures()).isZero();
    assertThat(step.begun()).isFalse();
  }

  @Test
  void dropsTheAnnouncementOfAnAttemptThatIsOver() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.failStep(fence(task), worker, failure("charge", 1));
    tasks.completeStep(fence(task), worker, result("ship", "1"));

    tasks.beginStep(beginning(task, worker, 1));
    tasks.beginStep(beginning(task, worker, "ship", 2));

    assertThat(tasks.history(fence(task), HistoryPage.Position.START).steps())
        .hasSize(2)
        .noneMatch(RecordedStep::begun);
    finish(task);
  }

  @Test
  void leavesNothingBehindOfARunThatHasEnded() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.beginStep(beginning(task, worker, 1));
    tasks.sleep(fence(task), new TimerWait("pause", 2, later()));
    kagzi.engine().workflows().cancel(TestEngine.NAMESPACE, runId, "test");

    assertThat(rows("run_waits", runId)).isZero();
    assertThat(rows("running_steps", runId)).isZero();
  }

  @Test
  void endsARunOneWayOnly() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    RunEnding failed = new RunEnding.Failed(failure("charge", 1).error(), null);

    tasks.finish(fence(task), failed);

    assertRefused(ErrorCode.RUN_TERMINAL, () -> finish(task));
    tasks.finish(fence(task), failed);
    assertThat(kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).status())
        .isEqualTo(RunStatus.FAILED);
  }

  @Test
  void readsNoHistoryToWhoeverDoesNotHoldTheRun() {
    WorkerId zombie = kagzi.registerWorker();
    kagzi.startRun();
    Task old = kagzi.pollOne(zombie);
    takeFrom(zombie);

    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.history(fence(old), HistoryPage.Position.START));
    Task current = kagzi.pollOne(kagzi.registerWorker());
    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.history(fence(old), HistoryPage.Position.START));
    finish(current);
  }

  private void assertEveryWriteIsRefused(Task task, WorkerId worker) {
    assertRefused(ErrorCode.LEASE_LOST, () -> tasks.beginStep(beginning(task, worker, 1)));
    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.completeStep(fence(task), worker, result("charge", "1")));
    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.failStep(fence(task), worker, failure("charge", 1)));
    assertRefused(
        ErrorCode.LEASE_LOST, () -> tasks.sleep(fence(task), new TimerWait("pause", 1, later())));
    assertRefused(ErrorCode.LEASE_LOST, () -> finish(task));
  }

  private void takeFrom(WorkerId worker) {
    Instant now = kagzi.engine().clock().instant();
    assertThat(kagzi.engine().recovery().declareDead(worker, now, 0, "test")).isTrue();
  }

  private Instant later() {
    return kagzi.engine().clock().instant().plusSeconds(60);
  }

  private long rows(String table, RunId runId) {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.assembled("SELECT count(*) AS n FROM kagzi." + table + " WHERE run_id = :id")
                .set("id", runId.value())
                .only(row -> row.bigint("n")));
  }

  private void finish(Task task) {
    tasks.finish(fence(task), new RunEnding.Completed(payload("1")));
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            EngineException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }

  private static Beginning beginning(Task task, WorkerId worker, int attempt) {
    return beginning(task, worker, "charge", attempt);
  }

  private static Beginning beginning(Task task, WorkerId worker, String stepKey, int attempt) {
    return new Beginning(
        fence(task),
        worker,
        stepKey,
        attempt,
        1,
        StepKind.FUNCTION,
        false,
        null,
        null,
        StepTraits.NONE);
  }

  private static StepFailure failure(String stepKey, int attempt) {
    return failure(stepKey, attempt, false);
  }

  private static StepFailure lastFailure(String stepKey, int attempt) {
    return failure(stepKey, attempt, true);
  }

  private static StepFailure failure(String stepKey, int attempt, boolean nonRetryable) {
    return new StepFailure(
        stepKey,
        attempt,
        1,
        StepKind.FUNCTION,
        null,
        new Failure(ErrorKind.UNKNOWN, "shop.Closed", List.of(), "closed", "", null),
        new RetryPolicy(3, Duration.ofMillis(200), 2, Duration.ofSeconds(60), List.of(), 0),
        nonRetryable,
        null);
  }
}
