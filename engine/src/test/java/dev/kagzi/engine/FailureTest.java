package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Failed steps, suspended runs, cancelled runs, runs that kill their workers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FailureTest {

  private TestEngine kagzi;
  private Tasks tasks;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void recordsEachFailedAttemptAndSettlesTheStepWhenTheBudgetIsUsedUp() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);

    assertThat(tasks.failStep(fence(task), worker, failure(1)).outcome())
        .isInstanceOfSatisfying(
            FailOutcome.Retry.class, retry -> assertThat(retry.nextAttempt()).isEqualTo(2));
    assertThat(tasks.failStep(fence(task), worker, failure(2)).outcome())
        .isInstanceOf(FailOutcome.Settled.class);
    tasks.release(fence(task));
    Task again = kagzi.pollOne(worker);

    RecordedStep step = again.history().get(0);
    assertThat(step.settled()).isTrue();
    assertThat(step.status()).isEqualTo(StepStatus.FAILED);
    assertThat(step.failures()).isEqualTo(2);
    assertThat(step.error()).isEqualTo(failure(2).error());
    finish(again);
  }

  @Test
  void answersARepeatedFailureAsTheFirstTimeAndCountsItOnce() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);

    FailOutcome.Retry first =
        (FailOutcome.Retry) tasks.failStep(fence(task), worker, failure(1)).outcome();
    FailOutcome.Retry again =
        (FailOutcome.Retry) tasks.failStep(fence(task), worker, failure(1)).outcome();

    assertThat(again.at()).isEqualTo(first.at());
    assertThat(again.nextAttempt()).isEqualTo(2);
    finish(task);
  }

  @Test
  void tellsAFailingWorkerThatTheStepWasCompletedByAnother() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    tasks.completeStep(fence(task), worker, result("charge", "\"paid\""));

    StepFailure late = failure(2);
    assertThat(tasks.failStep(fence(task), worker, late).outcome())
        .isInstanceOfSatisfying(
            FailOutcome.AlreadySettled.class,
            settled -> assertThat(settled.recorded().output()).isEqualTo(payload("\"paid\"")));
    finish(task);
  }

  @Test
  void waitsForARetryAsPendingAndShowsTheAttemptsSoFar() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    FailOutcome.Retry retry =
        (FailOutcome.Retry) tasks.failStep(fence(task), worker, failure(1)).outcome();

    SuspendOutcome suspended =
        tasks
            .suspend(
                fence(task),
                List.of(new WaitRequest("charge", 1, WaitKind.RETRY, retry.at())),
                true)
            .outcome();

    assertThat(suspended.released()).isTrue();
    Run waiting = kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
    assertThat(waiting.status()).isEqualTo(RunStatus.PENDING);
    assertThat(waiting.waitReason()).isEqualTo("RETRY");
    Task again = kagzi.pollOne(worker);
    assertThat(kagzi.engine().clock().instant()).isAfterOrEqualTo(retry.at());
    RecordedStep step = again.history().get(0);
    assertThat(step.settled()).isFalse();
    assertThat(step.attempt()).isEqualTo(1);
    assertThat(step.failures()).isEqualTo(1);
    finish(again);
  }

  @Test
  void keepsATimerThatRunsBesideAStepWhenTheWorkerDies() {
    WorkerId worker = kagzi.registerWorker();
    WorkerId next = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Instant wakeAt = kagzi.engine().clock().instant().plusSeconds(60);

    SuspendOutcome recorded =
        tasks
            .suspend(
                fence(task), List.of(new WaitRequest("timer", 1, WaitKind.TIMER, wakeAt)), false)
            .outcome();
    assertThat(recorded.released()).isFalse();
    kagzi.engine().recovery().declareDead(worker, kagzi.engine().clock().instant(), 0, "test");
    Task again = kagzi.pollOne(next);

    assertThat(again.history()).hasSize(1);
    assertThat(again.history().get(0).settled()).isFalse();
    assertThat(again.history().get(0).wakeAt()).isEqualTo(wakeAt);
    finish(again);
  }

  @Test
  void cancelsAPendingARunningAndASleepingRunAndKeepsTheReason() {
    WorkerId worker = kagzi.registerWorker();
    RunId running = kagzi.startRun();
    Task runningTask = kagzi.pollOne(worker);
    RunId sleeping = kagzi.startRun();
    Task sleepingTask = kagzi.pollOne(worker);
    tasks.suspend(
        fence(sleepingTask),
        List.of(
            new WaitRequest(
                "pause", 1, WaitKind.TIMER, kagzi.engine().clock().instant().plusSeconds(60))),
        true);
    RunId pending =
        kagzi
            .engine()
            .workflows()
            .start(TestEngine.request().startDelay(Duration.ofHours(1)).build())
            .runId();

    for (RunId runId : List.of(running, sleeping, pending)) {
      assertThat(cancel(runId)).isInstanceOf(CancelOutcome.Cancelled.class);
      assertThat(cancel(runId)).isInstanceOf(CancelOutcome.Cancelled.class);
      Run run = kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
      assertThat(run.status()).isEqualTo(RunStatus.CANCELLED);
      assertThat(run.ending()).isEqualTo(new Run.Ending(null, null, null, "no longer needed"));
    }

    assertThatThrownBy(() -> tasks.completeStep(fence(runningTask), worker, result("charge", "1")))
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.RUN_CANCELLED));
  }

  @Test
  void doesNotCancelWhatHasEnded() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    finish(kagzi.pollOne(worker));

    assertThat(cancel(runId)).isEqualTo(new CancelOutcome.AlreadyEnded(RunStatus.COMPLETED));
  }

  @Test
  void readsALongHistoryPageByPage() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 2500; i++) {
        StepResult step = new StepResult("step-" + i, 1, i, StepKind.FUNCTION, payload("1"), null);
        callers.execute(() -> tasks.completeStep(fence(task), worker, step));
      }
    }
    tasks.release(fence(task));

    Task again = kagzi.pollOne(worker);
    List<RecordedStep> all = new ArrayList<>(again.history());
    Optional<HistoryPage.Position> next = again.firstPage().next();
    while (next.isPresent()) {
      HistoryPage page =
          tasks.history(fence(again), HistoryPage.Position.parse(next.get().token()));
      all.addAll(page.steps());
      next = page.next();
    }

    assertThat(all).hasSize(2500);
    assertThat(all).extracting(RecordedStep::seq).isSorted().doesNotHaveDuplicates();
    assertThatThrownBy(() -> tasks.history(fence(task), HistoryPage.Position.START))
        .isInstanceOf(EngineException.class);
    finish(again);
  }

  @Test
  void endsAPageAlsoForLongErrors() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    for (int i = 0; i < 100; i++) {
      tasks.failStep(fence(task), worker, longFailure("step-" + i, i));
    }
    tasks.release(fence(task));

    Task again = kagzi.pollOne(worker);

    assertThat(again.history().size()).isBetween(10, 60);
    assertThat(again.firstPage().next()).isPresent();
    assertThat(again.size()).isBetween(500_000, 1_500_000);
    finish(again);
  }

  private static StepFailure longFailure(String key, int seq) {
    Failure error =
        new Failure(ErrorKind.UNKNOWN, "shop.Error", List.of(), "m", "s".repeat(32_000), null);
    return new StepFailure(
        key, 1, seq, StepKind.FUNCTION, null, error, RetryPolicy.DEFAULT, true, null);
  }

  @Test
  void waitsForEachRetryOfAStepAnew() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Instant soon = kagzi.engine().clock().instant().plusMillis(100);
    Instant later = soon.plusSeconds(60);

    tasks.suspend(fence(task), List.of(new WaitRequest("charge", 1, WaitKind.RETRY, soon)), false);
    SuspendOutcome again =
        tasks
            .suspend(
                fence(task), List.of(new WaitRequest("charge", 1, WaitKind.RETRY, later)), true)
            .outcome();

    assertThat(again.released()).isTrue();
    assertThat(again.waits().get(0).wakeAt()).isEqualTo(later);
    assertThat(cancel(task.claim().runId())).isInstanceOf(CancelOutcome.Cancelled.class);
  }

  @Test
  void parksARunThatTheCodeDoesNotFitAndTriesAgainWhenAWorkerRegisters() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);

    assertThat(tasks.park(fence(task), new Divergence("charge", "ship", "another order"))).isTrue();
    Run parked = kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
    assertThat(parked.status()).isEqualTo(RunStatus.PENDING);
    assertThat(parked.waitReason()).isEqualTo("NON_DETERMINISM");
    assertThat(kagzi.poll(worker, 1, Duration.ofMillis(100))).isEmpty();

    finish(kagzi.pollOne(kagzi.registerWorker()));
  }

  @Test
  void failsARunThatKeepsLosingItsWorkersWithoutProgress() {
    RunId runId = kagzi.startRun();
    for (int crash = 1; crash <= 10; crash++) {
      crash(crash == 3);
    }
    assertThat(kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).status())
        .isEqualTo(RunStatus.PENDING);

    crash(false);
    crash(false);

    Run failed = kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
    assertThat(failed.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failed.crashes()).isEqualTo(12);
    assertThat(failed.ending())
        .satisfies(ending ->
            assertThat(String.valueOf(ending))
                .contains("CRASH_LOOP", "10 times")
                .contains("Workflow crashed and exhausted all retry attempts"));
  }

  private void crash(boolean withProgress) {
    WorkerId worker = kagzi.registerWorker();
    Task task = kagzi.pollOne(worker);
    if (withProgress) {
      tasks.completeStep(fence(task), worker, result("progress", "1"));
    }
    kagzi.engine().recovery().declareDead(worker, kagzi.engine().clock().instant(), 0, "test");
  }

  private CancelOutcome cancel(RunId runId) {
    return kagzi.engine().workflows().cancel(TestEngine.NAMESPACE, runId, "no longer needed");
  }

  private void finish(Task task) {
    tasks.finish(fence(task), new RunEnding.Completed(payload("1")));
  }

  private static StepFailure failure(int attempt) {
    return new StepFailure(
        "charge",
        attempt,
        1,
        StepKind.FUNCTION,
        null,
        new Failure(
            ErrorKind.NETWORK_ERROR,
            "java.io.IOException",
            List.of("java.lang.Exception"),
            "attempt " + attempt,
            "at shop.Gateway",
            new Failure(ErrorKind.UNKNOWN, "shop.Cause", List.of(), "why", "", null)),
        new RetryPolicy(2, Duration.ofMillis(200), 2, Duration.ofSeconds(60), List.of(), 0),
        false,
        null);
  }
}
