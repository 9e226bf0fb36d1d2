package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.domain.StopRequest;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.LeaseStore;
import dev.kagzi.engine.store.WorkerStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Stopping runs that have begun something they must undo. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SagaTest {

  private TestEngine kagzi;
  private Tasks tasks;
  private WorkerId worker;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
    worker = kagzi.registerWorker();
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  private Heard<StepOutcome> mark(Task task, String key, SagaMarker marker) {
    StepResult result =
        new StepResult(key, 1, 1, StepKind.MARKER, payload("null"), null, StepTraits.NONE, marker);
    return tasks.completeStep(fence(task), worker, result);
  }

  private Task startInSaga() {
    kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    mark(task, "saga", SagaMarker.OPEN);
    return task;
  }

  private CancelOutcome cancel(Task task) {
    return kagzi.engine().workflows().cancel("default", task.claim().runId(), "changed my mind");
  }

  private Run get(Task task) {
    return kagzi.engine().workflows().get("default", task.claim().runId());
  }

  private void endAsAsked(Task task, StopKind kind) {
    mark(task, "saga-end", SagaMarker.CLOSE);
    Failure error =
        new Failure(ErrorKind.CANCELLED, "Stopped", List.of(), "stopped as asked", "", null);
    tasks.finish(fence(task), new RunEnding.Stopped(kind, error));
  }

  @Test
  void aRunOutsideASagaIsCancelledAtOnce() {
    Task task = startInSaga();
    mark(task, "saga-end", SagaMarker.CLOSE);

    assertThat(cancel(task)).isInstanceOf(CancelOutcome.Cancelled.class);
  }

  @Test
  void aRunInsideASagaIsAskedAndHearsOfItWithItsNextCallAndHeartbeat() {
    Task task = startInSaga();

    assertThat(cancel(task)).isInstanceOf(CancelOutcome.StopRequested.class);
    assertThat(cancel(task)).isInstanceOf(CancelOutcome.StopRequested.class);

    assertThat(get(task).status()).isEqualTo(RunStatus.RUNNING);
    StopRequest heard =
        requireNonNull(tasks.completeStep(fence(task), worker, result("charge", "1")).stop());
    assertThat(heard.kind()).isEqualTo(StopKind.CANCEL);
    assertThat(heard.reason()).isEqualTo("changed my mind");
    LeaseStore.Held held = new LeaseStore.Held(worker, task.claim().runId(), task.claim().epoch());
    HeartbeatBatch.Reply reply =
        kagzi
            .engine()
            .workers()
            .heartbeat(
                new HeartbeatBatch.Heartbeat(
                    new WorkerStore.Beat("default", worker, 0, 1, 0, 0), List.of(held)));
    assertThat(reply.stops()).containsKey(held);
    assertThat(reply.lost()).isEmpty();

    endAsAsked(task, StopKind.CANCEL);
    assertThat(get(task).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(requireNonNull(get(task).ending()).reason()).isEqualTo("changed my mind");
  }

  @Test
  void aRunThatSleepsInsideASagaIsWokenToUndoItsWork() {
    Task task = startInSaga();
    tasks.sleep(
        fence(task), new TimerWait("nap", 2, kagzi.engine().clock().instant().plusSeconds(600)));

    assertThat(cancel(task)).isInstanceOf(CancelOutcome.StopRequested.class);

    Task again = kagzi.pollOne(worker);
    assertThat(again.claim().runId()).isEqualTo(task.claim().runId());
    assertThat(requireNonNull(again.claim().stop()).kind()).isEqualTo(StopKind.CANCEL);
    endAsAsked(again, StopKind.CANCEL);
    assertThat(get(task).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void aRunThatWasAskedDoesNotGoToSleep() {
    Task task = startInSaga();
    cancel(task);

    Heard<SuspendOutcome> heard =
        tasks.suspend(
            fence(task),
            List.of(
                new WaitRequest(
                    "nap", 2, WaitKind.TIMER, kagzi.engine().clock().instant().plusSeconds(600))),
            true);

    assertThat(heard.outcome().released()).isFalse();
    assertThat(heard.stop()).isNotNull();
    endAsAsked(task, StopKind.CANCEL);
  }

  @Test
  void terminateSkipsTheCompensations() {
    Task task = startInSaga();

    assertThat(kagzi.engine().workflows().terminate("default", task.claim().runId(), "no patience"))
        .isInstanceOf(CancelOutcome.Cancelled.class);
    assertThat(get(task).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void aDeadlineAsksTooAndTheRunEndsAsTimedOut() {
    RunId runId =
        kagzi
            .engine()
            .workflows()
            .start(
                TestEngine.request()
                    .policies(new RunPolicies(null, null, null, Duration.ofMinutes(5), null, null))
                    .build())
            .runId();
    Task task = kagzi.pollOne(worker);
    mark(task, "saga", SagaMarker.OPEN);
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET deadline_at = now() - interval '1 s' WHERE run_id = '"
            + runId
            + "'");
    kagzi.engine().deadlines().enforce();

    assertThat(get(task).status()).isEqualTo(RunStatus.RUNNING);
    tasks.release(fence(task));
    Task again = kagzi.pollOne(worker);
    assertThat(requireNonNull(again.claim().stop()).kind()).isEqualTo(StopKind.TIMEOUT);
    endAsAsked(again, StopKind.TIMEOUT);
    assertThat(get(task).status()).isEqualTo(RunStatus.TIMED_OUT);
  }

  @Test
  void compensationsHaveTenMinutes() {
    Task task = startInSaga();
    cancel(task);
    kagzi.engine().deadlines().enforce();
    assertThat(get(task).status()).isEqualTo(RunStatus.RUNNING);
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET stop_requested_at = now() - interval '11 minutes'"
            + " WHERE run_id = '"
            + task.claim().runId()
            + "'");

    kagzi.engine().deadlines().enforce();

    assertThat(get(task).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(requireNonNull(requireNonNull(get(task).ending()).error()).message())
        .contains("compensations");
  }

  @Test
  void aRepeatedMarkerCountsOnce() {
    Task task = startInSaga();
    mark(task, "saga", SagaMarker.OPEN);
    mark(task, "saga-end", SagaMarker.CLOSE);

    assertThat(cancel(task)).isInstanceOf(CancelOutcome.Cancelled.class);
  }

  @Test
  void aRunThatWasAskedIsNotTriedAgain() {
    PartialRetryPolicy often =
        new PartialRetryPolicy(9, null, null, null, List.of(), null, null, Set.of());
    kagzi
        .engine()
        .workflows()
        .start(
            TestEngine.request()
                .policies(new RunPolicies(often, null, null, null, null, null))
                .build());
    Task task = kagzi.pollOne(worker);
    mark(task, "saga", SagaMarker.OPEN);
    cancel(task);

    Failure error = new Failure(ErrorKind.UNKNOWN, "Error", List.of(), "late", "", null);
    mark(task, "saga-end", SagaMarker.CLOSE);
    tasks.finish(fence(task), new RunEnding.Failed(error, null));

    assertThat(get(task).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void noWorkerEndsARunInsideASaga() {
    Task task = startInSaga();
    Failure error = new Failure(ErrorKind.UNKNOWN, "Error", List.of(), "early", "", null);
    List<RunEnding> endings =
        List.of(
            new RunEnding.Completed(payload("1")),
            new RunEnding.Failed(error, "charge"),
            new RunEnding.Stopped(StopKind.CANCEL, error));

    for (RunEnding ending : endings) {
      assertThatExceptionOfType(EngineException.class)
          .isThrownBy(() -> tasks.finish(fence(task), ending))
          .extracting(EngineException::code)
          .isEqualTo(ErrorCode.SAGA_OPEN);
      assertThat(get(task).status()).isEqualTo(RunStatus.RUNNING);
    }

    mark(task, "saga-end", SagaMarker.CLOSE);
    tasks.finish(fence(task), endings.getFirst());
    assertThat(get(task).status()).isEqualTo(RunStatus.COMPLETED);
  }
}
