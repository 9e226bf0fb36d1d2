package dev.kagzi.e2e.killmatrix;

import static dev.kagzi.e2e.killmatrix.Wire.awaitEvent;
import static dev.kagzi.e2e.killmatrix.Wire.begin;
import static dev.kagzi.e2e.killmatrix.Wire.completeStep;
import static dev.kagzi.e2e.killmatrix.Wire.failStep;
import static dev.kagzi.e2e.killmatrix.Wire.startChild;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.v1.AddChildItemsRequest;
import dev.kagzi.v1.ChildItem;
import dev.kagzi.v1.ChildItems;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepOutcome;
import dev.kagzi.v1.Task;
import java.util.List;
import java.util.UUID;

/** What a worker records about a run while it holds it. */
final class StepCases {

  private static final String WAIT = "INSERT INTO kagzi.run_waits";

  private StepCases() {}

  static List<CallCase> all() {
    return List.of(
        CallCase.of("BeginStep", "INSERT INTO kagzi.running_steps", StepCases::beginStep),
        CallCase.of("CompleteStep", "WITH told AS MATERIALIZED", StepCases::recordResult),
        CallCase.of(
            "CompleteStep", "that opens a saga", "SET open_sagas", StepCases::recordOpening),
        CallCase.of("FailStep", "r.retry_at IS NULL", StepCases::recordFailure),
        CallCase.of("FailStep", "for good", "r.retry_at IS NULL", StepCases::recordLastFailure),
        CallCase.of("Sleep", WAIT, StepCases::sleep),
        CallCase.of("Suspend", WAIT, StepCases::suspend),
        CallCase.of(
            "Suspend", "given back", "CASE WHEN s.only_retries", StepCases::suspendAndRelease),
        CallCase.of(
            "StartChild",
            "INSERT INTO kagzi.child_items (run_id, step_key, item_index, child_run_id",
            StepCases::child),
        CallCase.of(
            "StartChild", "per item", "INSERT INTO kagzi.child_maps", StepCases::childPerItem),
        CallCase.of(
            "AddChildItems", "WITH items AS ( ... UPDATE kagzi.child_maps", StepCases::moreItems),
        CallCase.of("PublishState", "INSERT INTO kagzi.run_states", StepCases::publish));
  }

  private static long settled(Stage stage, Task task) {
    return stage
        .tables()
        .number(
            "SELECT count(*) FROM kagzi.step_runs WHERE run_id = ? AND settled",
            UUID.fromString(task.getRunId()));
  }

  private static Act<?> beginStep(Stage stage) {
    var request = begin(stage.take(), stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().beginStep(request),
        (answer, done) -> assertThat(answer.getShouldExecute()).isTrue());
  }

  private static Act<?> recordResult(Stage stage) {
    Task task = stage.take();
    var request = completeStep(task, stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().completeStep(request),
        (answer, done) -> {
          assertThat(answer.getOutcome()).isEqualTo(StepOutcome.STEP_OUTCOME_RECORDED);
          assertThat(settled(stage, task)).isEqualTo(1);
        });
  }

  private static Act<?> recordOpening(Stage stage) {
    Task task = stage.take();
    var request =
        completeStep(task, stage.worker()).setSagaMarker(SagaMarker.SAGA_MARKER_OPEN).build();
    return new Act<>(
        peer -> peer.workers().completeStep(request),
        (answer, done) -> {
          assertThat(answer.getOutcome()).isEqualTo(StepOutcome.STEP_OUTCOME_RECORDED);
          assertThat(
                  stage
                      .tables()
                      .number(
                          "SELECT open_sagas FROM kagzi.workflow_runs WHERE run_id = ?",
                          UUID.fromString(task.getRunId())))
              .isEqualTo(1);
          var unused =
              stage.survivor().workers().completeStep(Wire.closeSaga(task, stage.worker()));
        });
  }

  private static Act<?> recordFailure(Stage stage) {
    var request = failStep(stage.take(), stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().failStep(request),
        (answer, done) -> {
          assertThat(answer.hasRetry()).isTrue();
          assertThat(answer.getRetry().getNextAttempt()).isEqualTo(2);
        });
  }

  private static Act<?> recordLastFailure(Stage stage) {
    Task task = stage.take();
    var request = failStep(task, stage.worker()).setNonRetryable(true).build();
    return new Act<>(
        peer -> peer.workers().failStep(request),
        (answer, done) -> {
          assertThat(answer.hasSettled()).isTrue();
          assertThat(settled(stage, task)).isEqualTo(1);
        });
  }

  private static Act<?> sleep(Stage stage) {
    Task task = stage.take();
    var request =
        SleepRequest.newBuilder()
            .setRunId(task.getRunId())
            .setLeaseEpoch(task.getLeaseEpoch())
            .setWorkerId(stage.worker())
            .setStep(Wire.step("nap", StepKind.STEP_KIND_SLEEP))
            .setDuration(Wire.seconds(1))
            .setRelease(true)
            .build();
    return new Act<>(
        peer -> peer.workers().sleep(request),
        (answer, done) -> {
          assertThat(answer.getWait().getStepKey()).isEqualTo("nap");
          stage.workOff();
          assertThat(
                  stage
                      .tables()
                      .number(
                          "SELECT count(*) FROM kagzi.step_runs WHERE run_id = ? AND settled"
                              + " AND status = 'COMPLETED' AND finished_at >= wake_at",
                          UUID.fromString(task.getRunId())))
              .isEqualTo(1);
        });
  }

  private static Act<?> suspend(Stage stage) {
    var request = awaitEvent(stage.take(), stage.worker()).setRelease(false).build();
    return new Act<>(
        peer -> peer.workers().suspend(request),
        (answer, done) -> {
          assertThat(answer.getReleased()).isFalse();
          assertThat(answer.getWaitsCount()).isEqualTo(1);
        });
  }

  private static Act<?> suspendAndRelease(Stage stage) {
    Task task = stage.take();
    var request = awaitEvent(task, stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().suspend(request),
        (answer, done) -> {
          assertThat(answer.getReleased()).isTrue();
          var event =
              SendEventRequest.newBuilder()
                  .setRunId(task.getRunId())
                  .setEvent(Event.newBuilder().setName("approved").setIdempotencyKey("once"));
          var sent = stage.survivor().workflows().sendEvent(event.build());
          assertThat(sent.getAlreadyDelivered()).isFalse();
        });
  }

  private static long children(Stage stage, Task parent) {
    return stage.ended("parent_run_id = '%s'".formatted(parent.getRunId()));
  }

  private static Act<?> child(Stage stage) {
    Task task = stage.take();
    var request = startChild(task, stage.worker()).build();
    return new Act<>(
        peer -> peer.workers().startChild(request),
        (answer, done) -> {
          assertThat(answer.getChildRunId()).isNotEmpty();
          assertThat(answer.getAlreadyStarted()).isEqualTo(done);
          stage.workOff();
          assertThat(children(stage, task)).isEqualTo(1);
        });
  }

  private static ChildItems.Builder items() {
    return ChildItems.newBuilder()
        .addItems(ChildItem.getDefaultInstance())
        .addItems(ChildItem.getDefaultInstance());
  }

  private static Act<?> childPerItem(Stage stage) {
    Task task = stage.take();
    var request = startChild(task, stage.worker()).setItems(items().setLast(true)).build();
    return new Act<>(
        peer -> peer.workers().startChild(request),
        (answer, done) -> {
          assertThat(answer.getItemCount()).isEqualTo(2);
          stage.workOff();
          assertThat(children(stage, task)).isEqualTo(2);
        });
  }

  private static Act<?> moreItems(Stage stage) {
    Task task = stage.take();
    var start = startChild(task, stage.worker()).setItems(items()).build();
    var unused = stage.survivor().workers().startChild(start);
    var request =
        AddChildItemsRequest.newBuilder()
            .setRunId(task.getRunId())
            .setLeaseEpoch(task.getLeaseEpoch())
            .setWorkerId(stage.worker())
            .setStepKey("ship")
            .setItems(items().setFirstIndex(2).setLast(true))
            .build();
    return new Act<>(
        peer -> peer.workers().addChildItems(request),
        (answer, done) -> {
          assertThat(answer.getItemCount()).isEqualTo(4);
          stage.workOff();
          assertThat(children(stage, task)).isEqualTo(4);
        });
  }

  private static Act<?> publish(Stage stage) {
    Task task = stage.take();
    var request =
        PublishStateRequest.newBuilder()
            .setRunId(task.getRunId())
            .setLeaseEpoch(task.getLeaseEpoch())
            .setWorkerId(stage.worker())
            .setName("progress")
            .setValue(Wire.json("1"))
            .setSequence(1)
            .build();
    return new Act<>(
        peer -> peer.workers().publishState(request),
        (answer, done) -> assertThat(answer.getPublished()).isTrue());
  }
}
