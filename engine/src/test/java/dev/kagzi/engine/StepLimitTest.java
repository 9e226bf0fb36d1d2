package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.CancelledStep;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No worker makes a history longer than it may be, whatever it is written in. */
class StepLimitTest {

  private static final int MOST = 5;
  private static final StepTraits UNDOING = new StepTraits(null, null, false, true);

  private TestEngine kagzi;
  private WorkerId worker;
  private Task task;

  @BeforeEach
  void start() {
    EngineConfig usual = EngineConfig.defaults();
    kagzi =
        TestEngine.start(
            new EngineConfig(
                usual.leases(),
                usual.intervals(),
                usual.commit(),
                usual.node(),
                usual.retentionDays(),
                usual.firing(),
                new EngineConfig.Steps(RetryPolicy.DEFAULT, Duration.ofMinutes(1), 3, MOST),
                usual.patience()));
    worker = kagzi.registerWorker();
    kagzi.startRun();
    task = kagzi.pollOne(worker);
  }

  @AfterEach
  void stop() {
    kagzi.close();
  }

  private StepOutcome complete(int seq, StepKind kind, StepTraits traits) {
    StepResult result =
        new StepResult("s" + seq, 1, seq, kind, payload("1"), null, traits, SagaMarker.NONE);
    return kagzi.engine().tasks().completeStep(fence(task), worker, result).outcome();
  }

  private static void assertRefused(ThrowingCallable call) {
    EngineException refusal = catchThrowableOfType(EngineException.class, call);
    assertThat(refusal).isNotNull();
    assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_MANY_STEPS);
    assertThat(refusal).hasMessageContaining("5 steps").hasMessageContaining("new run");
  }

  @Test
  void noStepBeyondTheLimitIsRecorded() {
    for (int seq = 1; seq <= MOST; seq++) {
      complete(seq, StepKind.FUNCTION, StepTraits.NONE);
    }
    int beyond = MOST + 1;
    Failure error = new Failure(ErrorKind.UNKNOWN, "Error", List.of(), "no", "", null);
    StepFailure failure =
        new StepFailure(
            "f",
            1,
            beyond,
            StepKind.FUNCTION,
            null,
            error,
            RetryPolicy.DEFAULT,
            true,
            null,
            StepTraits.NONE);
    var tasks = kagzi.engine().tasks();
    var lost = new CancelledStep("c", beyond, StepKind.SLEEP, null, StepTraits.NONE);
    StepResult last = TestEngine.result("s1", "1");

    assertRefused(() -> complete(beyond, StepKind.FUNCTION, StepTraits.NONE));
    assertRefused(() -> tasks.failStep(fence(task), worker, failure));
    assertRefused(() -> tasks.completeStep(fence(task), worker, last, List.of(lost)));
    assertRefused(() ->
        tasks.suspend(fence(task), List.of(WaitRequest.event("e", beyond, "paid", null)), true));

    HistoryPage history = tasks.history(fence(task), HistoryPage.Position.START);
    assertThat(history.steps()).hasSize(MOST);
  }

  @Test
  void aRunThatHasMetTheLimitCanStillUndoItsWork() {
    assertThat(complete(MOST + 1, StepKind.MARKER, StepTraits.NONE))
        .isInstanceOf(StepOutcome.Recorded.class);
    assertThat(complete(MOST + 2, StepKind.FUNCTION, UNDOING))
        .isInstanceOf(StepOutcome.Recorded.class);
    assertRefused(() -> complete(3 * MOST + 1, StepKind.FUNCTION, UNDOING));
  }

  @Test
  void aWorkerThatDoesNotNumberItsStepsIsFoundOut() {
    int recorded = 0;
    while (recorded < 30_000 && isRecorded("n" + recorded)) {
      recorded++;
    }
    System.out.println("step_limit.rows_of_a_worker_that_does_not_number " + recorded);
    assertThat(recorded).isBetween(3 * MOST, 29_999);
    for (int i = 0; i < 3; i++) {
      assertThat(isRecorded("again" + i)).isFalse();
    }
    assertThat(isRecorded("n0")).as("what was recorded is answered as the first time").isTrue();
  }

  private boolean isRecorded(String key) {
    try {
      StepResult result = TestEngine.result(key, "1");
      return kagzi.engine().tasks().completeStep(fence(task), worker, result).outcome()
          instanceof StepOutcome.Recorded;
    } catch (EngineException refusal) {
      assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_MANY_STEPS);
      return false;
    }
  }
}
