package dev.kagzi.e2e.killmatrix;

import static dev.kagzi.e2e.killmatrix.Wire.complete;
import static dev.kagzi.e2e.killmatrix.Wire.completeStep;
import static dev.kagzi.e2e.killmatrix.Wire.fail;
import static dev.kagzi.e2e.killmatrix.Wire.release;
import static dev.kagzi.e2e.killmatrix.Wire.startChild;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.v1.ContinueAsNew;
import dev.kagzi.v1.DeregisterRequest;
import dev.kagzi.v1.Divergence;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepOutcome;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkerStatus;
import dev.kagzi.v1.WorkflowStatus;
import java.util.List;
import java.util.UUID;

/** A worker's own life, how it takes runs and how it lets go of them. */
final class WorkerCases {

  private static final String CLAIM = "WITH slots AS MATERIALIZED";

  /** Not the one with which loops look for workers that have fallen silent. */
  static final String LEAVE = "SET status = 'OFFLINE' ... worker_id = ? AND namespace_id = ?";

  private static final String END_OF_RUN = "INSERT INTO kagzi.finished_runs (";

  private WorkerCases() {}

  static List<CallCase> all() {
    return List.of(
        CallCase.of("Register", "INSERT INTO kagzi.workers (", WorkerCases::register),
        CallCase.of("Heartbeat", "WITH beating AS MATERIALIZED", WorkerCases::heartbeat),
        CallCase.of("Deregister", LEAVE, WorkerCases::deregister),
        CallCase.of("Deregister", "to drain", "SET status = 'DRAINING'", WorkerCases::drain),
        CallCase.of("PollTask", CLAIM, WorkerCases::poll),
        CallCase.of("PollTask", "never repeated", CLAIM, WorkerCases::pollOfTheLost),
        CallCase.of("CompleteWorkflow", END_OF_RUN, WorkerCases::completeRun),
        CallCase.of(
            "CompleteWorkflow", "continued", "AS a(ended, successor", WorkerCases::continueAsNew),
        CallCase.of(
            "CompleteWorkflow",
            "of a child",
            "UPDATE kagzi.child_items i ... AND i.status = 'RUNNING'",
            WorkerCases::completeChild),
        CallCase.of("FailWorkflow", END_OF_RUN, WorkerCases::failRun),
        CallCase.of(
            "FailWorkflow",
            "with another attempt",
            "failures = r.failures + 1",
            WorkerCases::failAttempt),
        CallCase.of(
            "ReleaseTask",
            "AS a(run_id, lease_epoch) ... SET status = 'PENDING', available_at",
            WorkerCases::releaseTask),
        CallCase.of(
            "ReleaseTask", "to be parked", "wait_reason = 'NON_DETERMINISM',", WorkerCases::park),
        CallCase.of("Work", "opened", "SET streams = streams + 1", WorkerCases::callOnStream),
        CallCase.of("Work", "a call", "WITH told AS MATERIALIZED", WorkerCases::callOnStream));
  }

  private static Act<?> register(Stage stage) {
    var request = stage.aWorker().build();
    return new Act<>(
        peer -> peer.workers().register(request),
        (answer, done) ->
            assertThat(
                    stage
                        .tables()
                        .number(
                            "SELECT count(*) FROM kagzi.workers WHERE instance_id = ?"
                                + " AND status <> 'OFFLINE' AND worker_id = ?",
                            request.getInstanceId(),
                            UUID.fromString(answer.getWorkerId())))
                .isEqualTo(1));
  }

  /** A worker of its own, because the stage's beats by itself. */
  private static Act<?> heartbeat(Stage stage) {
    String worker = stage.survivor().workers().register(stage.aWorker().build()).getWorkerId();
    var request =
        HeartbeatRequest.newBuilder()
            .setWorkerId(worker)
            .setBeatId(1)
            .setCompletedDelta(5)
            .setFailedDelta(2)
            .build();
    return new Act<>(
        peer -> peer.workers().heartbeat(request),
        (answer, done) -> {
          assertThat(answer.getAccepted()).isTrue();
          assertThat(
                  stage
                      .tables()
                      .number(
                          "SELECT total_completed * 10 + total_failed FROM kagzi.workers"
                              + " WHERE worker_id = ?",
                          UUID.fromString(worker)))
              .isEqualTo(52);
        });
  }

  private static Act<?> deregister(Stage stage) {
    Task task = stage.take();
    var request = DeregisterRequest.newBuilder().setWorkerId(stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().deregister(request),
        (answer, done) -> {
          assertThat(answer.getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_OFFLINE);
          assertThat(answer.getReleasedRuns()).isEqualTo(done ? 0 : 1);
          stage.workOff();
          assertThat(stage.ended("crashes = 0 AND lease_epoch = 2")).isEqualTo(1);
          assertThat(stage.ended("run_id = '%s'".formatted(task.getRunId()))).isEqualTo(1);
        });
  }

  private static Act<?> drain(Stage stage) {
    Task task = stage.take();
    var request = DeregisterRequest.newBuilder().setWorkerId(stage.worker()).setDrain(true).build();
    return new Act<>(
        peer -> peer.workers().deregister(request),
        (answer, done) -> {
          assertThat(answer.getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_DRAINING);
          var ended =
              stage.survivor().workers().completeWorkflow(complete(task, stage.worker()).build());
          assertThat(ended.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
        });
  }

  private static Act<?> poll(Stage stage) {
    String runId = stage.start();
    PollTaskRequest request = stage.aPoll().build();
    return new Act<>(
        peer -> peer.workers().pollTask(request),
        (answer, done) -> {
          assertThat(answer.getTasksCount()).isEqualTo(1);
          assertThat(answer.getTasks(0).getRunId()).isEqualTo(runId);
          assertThat(answer.getTasks(0).getLeaseEpoch()).isEqualTo(1);
          stage.hold(answer.getTasks(0));
        });
  }

  /** The worker is lost with the server: if it had claimed the run, its lease runs out. */
  private static Act<?> pollOfTheLost(Stage stage) {
    String lost = stage.survivor().workers().register(stage.aWorker().build()).getWorkerId();
    String runId = stage.start();
    var first = stage.aPoll(lost).build();
    var later = stage.aPoll().build();
    return new Act<>(
        peer -> peer.workers().pollTask(peer.equals(stage.survivor()) ? later : first),
        (answer, done) -> {
          assertThat(answer.getTasks(0).getRunId()).isEqualTo(runId);
          assertThat(answer.getTasks(0).getLeaseEpoch()).isEqualTo(done ? 2 : 1);
          stage.hold(answer.getTasks(0));
          stage.workOff();
          assertThat(stage.ended("crashes = " + (done ? 1 : 0))).isEqualTo(1);
        });
  }

  private static Act<?> completeRun(Stage stage) {
    var request = complete(stage.take(), stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().completeWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
          assertThat(stage.ended("status = 'COMPLETED'")).isEqualTo(1);
        });
  }

  private static Act<?> continueAsNew(Stage stage) {
    var request =
        complete(stage.take(stage.aStart().setExternalId(stage.name()).build()), stage.worker())
            .clearOutput()
            .setContinueAsNew(ContinueAsNew.newBuilder().setInput(Wire.json("2")))
            .build();
    return new Act<>(
        peer -> peer.workers().completeWorkflow(request),
        (answer, done) -> {
          String successor = answer.getContinuedAsRunId();
          assertThat(successor).isNotEmpty();
          stage.workOff();
          assertThat(stage.ended("continued_from_run_id IS NOT NULL")).isEqualTo(1);
          assertThat(stage.ended("run_id = '%s'".formatted(successor))).isEqualTo(1);
        });
  }

  /** Its parent sleeps until the child has ended. */
  private static Act<?> completeChild(Stage stage) {
    Task parent = stage.take();
    var started = stage.survivor().workers().startChild(startChild(parent, stage.worker()).build());
    Task child = stage.claim();
    assertThat(child.getRunId()).isEqualTo(started.getChildRunId());
    var waiting =
        Wire.suspend(parent, stage.worker())
            .addWaits(
                Wait.newBuilder()
                    .setStep(Wire.step("ship", StepKind.STEP_KIND_CHILD_WORKFLOW))
                    .setKind(WaitKind.WAIT_KIND_CHILD)
                    .setChildRunId(child.getRunId()))
            .setRelease(true);
    assertThat(stage.survivor().workers().suspend(waiting.build()).getReleased()).isTrue();
    var request = complete(child, stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().completeWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
          Task woken = stage.claim();
          assertThat(woken.getRunId()).isEqualTo(parent.getRunId());
          assertThat(woken.getHistory(0).getSettled()).isTrue();
        });
  }

  private static Act<?> failRun(Stage stage) {
    var start = stage.aStart().setOnFailureWorkflow(stage.name()).build();
    var request = fail(stage.take(start), stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().failWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_FAILED);
          stage.workOff();
          assertThat(stage.ended("status = 'FAILED'")).isEqualTo(1);
          assertThat(stage.ended("handler_for_run_id IS NOT NULL")).isEqualTo(1);
        });
  }

  private static Act<?> failAttempt(Stage stage) {
    var policy = RetryPolicy.newBuilder().setMaximumAttempts(3).setInitialInterval(Wire.millis(10));
    var start = stage.aStart().setRetryPolicy(policy).build();
    var request = fail(stage.take(start), stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().failWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
          stage.workOff();
          assertThat(stage.ended("failures = 1")).isEqualTo(1);
        });
  }

  private static Act<?> releaseTask(Stage stage) {
    var request = release(stage.take(), stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().releaseTask(request),
        (answer, done) -> {
          assertThat(answer.getReleased()).isTrue();
          stage.workOff();
          assertThat(stage.ended("lease_epoch = 2 AND crashes = 0")).isEqualTo(1);
        });
  }

  /** The next worker that registers tries the run again at once. */
  private static Act<?> park(Stage stage) {
    var request =
        release(stage.take(), stage.worker())
            .setReason(ReleaseReason.RELEASE_REASON_NON_DETERMINISM)
            .setDivergence(Divergence.newBuilder().setExpectedStepKey("charge"))
            .build();
    return new Act<>(
        peer -> peer.workers().releaseTask(request),
        (answer, done) -> assertThat(answer.getReleased()).isTrue());
  }

  private static Act<?> callOnStream(Stage stage) {
    var call =
        WorkCall.newBuilder()
            .setCorrelationId(1)
            .setCompleteStep(completeStep(stage.take(), stage.worker()))
            .build();
    return new Act<>(
        peer -> peer.work(stage.worker(), call),
        (answer, done) ->
            assertThat(answer.getCompleteStep().getOutcome())
                .isEqualTo(StepOutcome.STEP_OUTCOME_RECORDED));
  }
}
