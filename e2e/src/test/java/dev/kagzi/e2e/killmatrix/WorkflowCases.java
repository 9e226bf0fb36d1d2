package dev.kagzi.e2e.killmatrix;

import static dev.kagzi.e2e.killmatrix.Wire.awaitEvent;
import static dev.kagzi.e2e.killmatrix.Wire.completeStep;
import static dev.kagzi.e2e.killmatrix.Wire.fail;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.CancelBatchRequest;
import dev.kagzi.v1.CancelOutcome;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.DeleteWorkflowRequest;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.StopKind;
import dev.kagzi.v1.Task;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** What clients do with runs. */
final class WorkflowCases {

  private static final String END_OF_RUN = "INSERT INTO kagzi.finished_runs (";

  private WorkflowCases() {}

  static List<CallCase> all() {
    return List.of(
        CallCase.of("StartWorkflow", "AS is_new", WorkflowCases::start),
        CallCase.of(
            "StartWorkflow",
            "with its first event",
            "INSERT INTO kagzi.run_events",
            WorkflowCases::startWithEvent),
        CallCase.of(
            "StartWorkflow",
            "handed to who waits",
            "r.status = 'PENDING' AND r.lease_epoch = 0",
            HandoffCase::start),
        CallCase.of("Ask", "a start", "AS is_new", WorkflowCases::startOnStream),
        CallCase.of("CancelWorkflow", END_OF_RUN, WorkflowCases::cancel),
        CallCase.of(
            "CancelWorkflow", "in a saga", "SET stop_requested = a.kind", WorkflowCases::stop),
        CallCase.of(
            "RetryWorkflow",
            "DELETE FROM kagzi.finished_runs ... IN ('FAILED', 'TIMED_OUT')",
            WorkflowCases::retry),
        CallCase.of("ForkWorkflow", "fork AS (", WorkflowCases::fork),
        CallCase.of("SendEvent", "INSERT INTO kagzi.run_events", WorkflowCases::sendEvent),
        CallCase.of(
            "DeleteWorkflow",
            "WITH gone AS ( ... DELETE FROM kagzi.workflow_payloads",
            WorkflowCases::delete),
        CallCase.of("StartBatch", "INSERT INTO kagzi.batches", WorkflowCases::startBatch),
        CallCase.of(
            "CancelBatch", "SET status = 'CANCELLED', finished_at", WorkflowCases::cancelBatch));
  }

  private static Act<?> start(Stage stage) {
    var request = stage.aStart().build();
    return new Act<>(
        peer -> peer.workflows().startWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getRunId()).isEqualTo(request.getRequestId());
          assertThat(answer.getAlreadyExists()).isFalse();
        });
  }

  private static Act<?> startOnStream(Stage stage) {
    var request = stage.aStart().build();
    var call = AskCall.newBuilder().setCorrelationId(1).setStartWorkflow(request).build();
    return new Act<>(
        peer -> peer.ask(call),
        (answer, done) -> {
          assertThat(answer.getStartWorkflow().getRunId()).isEqualTo(request.getRequestId());
          assertThat(answer.getStartWorkflow().getAlreadyExists()).isFalse();
        });
  }

  private static Act<?> startWithEvent(Stage stage) {
    var event = Event.newBuilder().setName("approved").setIdempotencyKey("once");
    var request =
        stage.aStart().setExternalId("order-" + UUID.randomUUID()).setFirstEvent(event).build();
    return new Act<>(
        peer -> peer.workflows().startWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getRunId()).isEqualTo(request.getRequestId());
          assertThat(events(stage, answer.getRunId())).isEqualTo(1);
        });
  }

  private static long events(Stage stage, String runId) {
    return stage
        .tables()
        .number("SELECT count(*) FROM kagzi.run_events WHERE run_id = ?", UUID.fromString(runId));
  }

  private static Act<?> cancel(Stage stage) {
    var request = CancelWorkflowRequest.newBuilder().setRunId(stage.start()).build();
    return new Act<>(
        peer -> peer.workflows().cancelWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getOutcome()).isEqualTo(CancelOutcome.CANCEL_OUTCOME_CANCELLED);
          assertThat(stage.ended("status = 'CANCELLED'")).isEqualTo(1);
        });
  }

  private static Act<?> stop(Stage stage) {
    Task task = stage.take();
    var opening =
        completeStep(task, stage.worker()).setSagaMarker(SagaMarker.SAGA_MARKER_OPEN).build();
    var unused = stage.survivor().workers().completeStep(opening);
    var request = CancelWorkflowRequest.newBuilder().setRunId(task.getRunId()).build();
    return new Act<>(
        peer -> peer.workflows().cancelWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getOutcome()).isEqualTo(CancelOutcome.CANCEL_OUTCOME_STOP_REQUESTED);
          var closed =
              stage.survivor().workers().completeStep(Wire.closeSaga(task, stage.worker()));
          assertThat(closed.hasStopRequested()).isTrue();
          var ending = fail(task, stage.worker()).setStop(StopKind.STOP_KIND_CANCEL).build();
          var ended = stage.survivor().workers().failWorkflow(ending);
          assertThat(ended.getHandlerRunIdsList()).isEmpty();
          assertThat(stage.ended("status = 'CANCELLED'")).isEqualTo(1);
        });
  }

  private static Act<?> retry(Stage stage) {
    Task task = stage.take();
    var unused = stage.survivor().workers().failWorkflow(fail(task, stage.worker()).build());
    var request =
        RetryWorkflowRequest.newBuilder().setRunId(task.getRunId()).setExpectedRetries(0).build();
    return new Act<>(
        peer -> peer.workflows().retryWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getRun().getRetries()).isEqualTo(1);
          assertThat(answer.getAlreadyActive()).isFalse();
        });
  }

  private static Act<?> fork(Stage stage) {
    Task task = stage.take();
    var unused =
        stage.survivor().workers().completeStep(completeStep(task, stage.worker()).build());
    var request =
        ForkWorkflowRequest.newBuilder()
            .setRunId(task.getRunId())
            .setRequestId(Stage.freshId())
            .build();
    return new Act<>(
        peer -> peer.workflows().forkWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getRunId()).isEqualTo(request.getRequestId());
          stage.workOff();
          assertThat(stage.ended("forked_from_run_id IS NOT NULL")).isEqualTo(1);
        });
  }

  private static Act<?> sendEvent(Stage stage) {
    Task task = stage.take();
    var unused = stage.survivor().workers().suspend(awaitEvent(task, stage.worker()).build());
    var request =
        SendEventRequest.newBuilder()
            .setRunId(task.getRunId())
            .setEvent(Event.newBuilder().setName("approved").setIdempotencyKey("once"))
            .build();
    return new Act<>(
        peer -> peer.workflows().sendEvent(request),
        (answer, done) -> {
          assertThat(answer.getAlreadyDelivered()).isEqualTo(done);
          assertThat(events(stage, task.getRunId())).isEqualTo(1);
          Task woken = stage.claim();
          assertThat(woken.getHistory(0).getSettled()).isTrue();
        });
  }

  private static Act<?> delete(Stage stage) {
    String runId = stage.start();
    stage.workOff();
    var request = DeleteWorkflowRequest.newBuilder().setRunId(runId).build();
    return new Act<>(
        peer -> peer.workflows().deleteWorkflow(request),
        (answer, done) -> {
          assertThat(answer.getDeleted()).isEqualTo(!done);
          assertThat(stage.ended("true")).isZero();
        });
  }

  private static StartBatchRequest.Builder aBatch(Stage stage) {
    return StartBatchRequest.newBuilder()
        .setRequestId(Stage.freshId())
        .setOperation(BatchOperation.BATCH_OPERATION_CANCEL)
        .addRunIds(stage.start())
        .addRunIds(stage.start())
        .addRunIds(stage.start());
  }

  private static Act<?> startBatch(Stage stage) {
    var request = aBatch(stage).build();
    var look = GetBatchRequest.newBuilder().setBatchId(request.getRequestId()).build();
    return new Act<>(
        peer -> peer.workflows().startBatch(request),
        (answer, done) -> {
          assertThat(answer.getBatch().getBatchId()).isEqualTo(request.getRequestId());
          await()
              .atMost(Duration.ofSeconds(30))
              .until(
                  () -> stage.survivor().workflows().getBatch(look).getBatch().getStatus(),
                  BatchStatus.BATCH_STATUS_COMPLETED::equals);
          assertThat(stage.ended("status = 'CANCELLED'")).isEqualTo(3);
        });
  }

  private static Act<?> cancelBatch(Stage stage) {
    var batch = aBatch(stage).setRatePerSecond(0.01).build();
    var unused = stage.survivor().workflows().startBatch(batch);
    var request = CancelBatchRequest.newBuilder().setBatchId(batch.getRequestId()).build();
    return new Act<>(
        peer -> peer.workflows().cancelBatch(request),
        (answer, done) -> {
          assertThat(answer.getBatch().getStatus()).isEqualTo(BatchStatus.BATCH_STATUS_CANCELLED);
          assertThat(answer.getBatch().getSkipped() + answer.getBatch().getSucceeded())
              .isEqualTo(3);
        });
  }
}
