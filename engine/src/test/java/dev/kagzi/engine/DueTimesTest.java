package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** When a run may be claimed, and by whom. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DueTimesTest {

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
  void isTheEarliestOfSeveralTimers() {
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(kagzi.registerWorker());
    Instant first = later(60);

    SuspendOutcome outcome =
        tasks
            .suspend(fence(task), List.of(timer("late", later(600)), timer("soon", first)), true)
            .outcome();

    assertThat(outcome.released()).isTrue();
    assertThat(run(runId).availableAt()).isEqualTo(first);
    cancel(runId);
  }

  @Test
  void isNotMovedByASleepThatIsAskedForAgain() {
    WorkerId dying = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Instant first = later(60);
    Task task = kagzi.pollOne(dying);
    tasks.suspend(fence(task), List.of(timer("pause", first)), false);
    kagzi.engine().recovery().declareDead(dying, kagzi.engine().clock().instant(), 0, "test");
    Task again = kagzi.pollOne(kagzi.registerWorker());

    tasks.sleep(fence(again), new TimerWait("pause", 1, later(600)));

    assertThat(run(runId).availableAt()).isEqualTo(first);
    cancel(runId);
  }

  @Test
  void isNotBroughtForwardByARetryThatIsOver() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    FailOutcome.Retry retry =
        (FailOutcome.Retry) tasks.failStep(fence(task), worker, failure()).outcome();
    tasks.suspend(
        fence(task), List.of(new WaitRequest("charge", 1, WaitKind.RETRY, retry.at())), true);
    Task again = kagzi.pollOne(worker);
    Instant wakeAt = later(60);

    tasks.sleep(fence(again), new TimerWait("pause", 2, wakeAt));

    assertThat(run(runId).availableAt()).isEqualTo(wakeAt);
    cancel(runId);
  }

  @Test
  void isNeverForARunWhoseDeadlineHasPassed() {
    RunId late =
        kagzi.engine().workflows().start(TestEngine.request().deadline(later(-1)).build()).runId();
    RunId inTime = kagzi.startRun();

    Task task = kagzi.pollOne(kagzi.registerWorker());

    assertThat(task.claim().runId()).isEqualTo(inTime);
    tasks.finish(fence(task), new RunEnding.Completed(payload("1")));
    cancel(late);
  }

  @Test
  void isNeverForAWorkerOfAnotherVersion() {
    RunId other =
        kagzi.engine().workflows().start(TestEngine.request().version("2").build()).runId();
    RunId served = kagzi.startRun();

    Task task = kagzi.pollOne(kagzi.registerWorker());

    assertThat(task.claim().runId()).isEqualTo(served);
    tasks.finish(fence(task), new RunEnding.Completed(payload("1")));
    cancel(other);
  }

  /** As precise as the database keeps it. */
  private Instant later(int seconds) {
    return kagzi.engine().clock().instant().plusSeconds(seconds).truncatedTo(ChronoUnit.MILLIS);
  }

  private Run run(RunId runId) {
    return kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
  }

  private void cancel(RunId runId) {
    kagzi.engine().workflows().cancel(TestEngine.NAMESPACE, runId, "test");
  }

  private static WaitRequest timer(String stepKey, Instant wakeAt) {
    return new WaitRequest(stepKey, 1, WaitKind.TIMER, wakeAt);
  }

  private static StepFailure failure() {
    return new StepFailure(
        "charge",
        1,
        1,
        StepKind.FUNCTION,
        null,
        new Failure(ErrorKind.UNKNOWN, "shop.Closed", List.of(), "closed", "", null),
        new RetryPolicy(3, Duration.ofSeconds(1), 2, Duration.ofSeconds(60), List.of(), 0),
        false,
        null);
  }
}
