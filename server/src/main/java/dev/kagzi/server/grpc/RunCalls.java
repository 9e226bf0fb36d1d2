package dev.kagzi.server.grpc;

import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StateStore.Publication;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.CompleteWorkflowResponse;
import dev.kagzi.v1.ContinueAsNew;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.FailWorkflowResponse;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.GetHistoryResponse;
import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.PublishStateResponse;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.ReleaseTaskResponse;
import dev.kagzi.v1.WorkflowStatus;
import java.time.InstantSource;
import java.util.List;

/** What a worker asks about a run as a whole. Blocks until the commit. Thread-safe. */
final class RunCalls {

  private final Tasks tasks;
  private final InstantSource clock;

  RunCalls(Tasks tasks, InstantSource clock) {
    this.tasks = tasks;
    this.clock = clock;
  }

  GetHistoryResponse history(GetHistoryRequest request) {
    var held = Requests.Held.of(request);
    List<String> stepKeys = request.getStepKeysList();
    held.check().pageToken(request.getPageToken()).stepKeys("step_keys", stepKeys).done();
    var after = HistoryPage.Position.parse(request.getPageToken());
    HistoryPage page =
        stepKeys.isEmpty()
            ? tasks.history(held.fence(), after)
            : tasks.history(held.fence(), after, stepKeys);
    var response =
        GetHistoryResponse.newBuilder()
            .addAllItems(page.steps().stream().map(StepMapper::toWire).toList());
    page.next().ifPresent(next -> response.setNextPageToken(next.token()));
    return response.build();
  }

  PublishStateResponse publish(PublishStateRequest request) {
    var held = Requests.Held.of(request);
    held.check()
        .stepName("name", request.getName())
        .payload("value", request.getValue())
        .atLeast(1, "sequence", request.getSequence())
        .done();
    Payload value = request.hasValue() ? PayloadMapper.fromWire(request.getValue()) : null;
    Heard<Boolean> heard =
        tasks.publish(
            new Publication(held.fence(), request.getName(), value, request.getSequence()));
    var response = PublishStateResponse.newBuilder().setPublished(heard.outcome());
    StepCalls.ifStopped(heard, response::setStopRequested);
    return response.build();
  }

  CompleteWorkflowResponse complete(CompleteWorkflowRequest request) {
    return completed(tasks.finish(checked(request).fence(), ending(request)));
  }

  /** The same without waiting for the commit. */
  void complete(CompleteWorkflowRequest request, CommitReply<CompleteWorkflowResponse> reply) {
    tasks.finish(
        checked(request).fence(),
        ending(request),
        reply.mapping(heard -> completed(heard.outcome())));
  }

  private static Requests.Held checked(CompleteWorkflowRequest request) {
    var held = Requests.Held.of(request);
    ContinueAsNew next = request.getContinueAsNew();
    held.check()
        .payload("output", request.getOutput())
        .payload("continue_as_new.input", next.getInput())
        .optionalName("continue_as_new.version", next.getVersion())
        .optionalName("continue_as_new.task_queue", next.getTaskQueue())
        .done();
    return held;
  }

  private static RunEnding ending(CompleteWorkflowRequest request) {
    ContinueAsNew next = request.getContinueAsNew();
    return request.hasContinueAsNew()
        ? new RunEnding.Continued(
            PayloadMapper.fromWire(next.getInput()),
            next.hasVersion() ? next.getVersion() : null,
            next.getTaskQueue().isEmpty() ? null : next.getTaskQueue())
        : new RunEnding.Completed(PayloadMapper.fromWire(request.getOutput()));
  }

  private static CompleteWorkflowResponse completed(FinishOutcome outcome) {
    var response =
        CompleteWorkflowResponse.newBuilder().setStatus(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
    if (outcome instanceof FinishOutcome.Continued continued) {
      response.setContinuedAsRunId(continued.successor().toString());
    }
    return response.build();
  }

  FailWorkflowResponse fail(FailWorkflowRequest request) {
    var held = Requests.Held.of(request);
    String failedStep = request.getFailedStepKey();
    var check =
        held.check()
            .optionalKnown("error.kind", request.getError().getKind())
            .optionalKnown("stop", request.getStop())
            .duration("retry_after", request.getRetryAfter());
    if (!failedStep.isEmpty()) {
      check.stepKey("failed_step_key", failedStep);
    }
    check.done();
    FinishOutcome outcome = tasks.finish(held.fence(), ending(request));
    var response = FailWorkflowResponse.newBuilder();
    return switch (outcome) {
      case FinishOutcome.Ended ended ->
          response
              .setStatus(RunMapper.toWire(ended.status()))
              .addAllHandlerRunIds(ended.handlers().stream().map(RunId::toString).toList())
              .build();
      case FinishOutcome.Continued continued ->
          throw new IllegalStateException("a failed run went on as " + continued.successor());
      case FinishOutcome.Retry retry ->
          response
              .setStatus(WorkflowStatus.WORKFLOW_STATUS_PENDING)
              .setRetryAt(TimeMapper.toWire(retry.at()))
              .build();
    };
  }

  private static RunEnding ending(FailWorkflowRequest request) {
    Failure error = FailureMapper.fromWire(request.getError());
    String failedStep = request.getFailedStepKey();
    return switch (request.getStop()) {
      case STOP_KIND_CANCEL -> new RunEnding.Stopped(StopKind.CANCEL, error);
      case STOP_KIND_TIMEOUT -> new RunEnding.Stopped(StopKind.TIMEOUT, error);
      case STOP_KIND_UNSPECIFIED, UNRECOGNIZED ->
          new RunEnding.Failed(
              error,
              failedStep.isEmpty() ? null : failedStep,
              request.getNonRetryable(),
              request.hasRetryAfter() ? TimeMapper.toDuration(request.getRetryAfter()) : null);
    };
  }

  ReleaseTaskResponse release(ReleaseTaskRequest request) {
    var held = Requests.Held.of(request);
    held.check().optionalKnown("reason", request.getReason()).done();
    if (request.getReason() == ReleaseReason.RELEASE_REASON_NON_DETERMINISM) {
      return ReleaseTaskResponse.newBuilder().setReleased(park(held, request)).build();
    }
    boolean released = tasks.release(held.fence());
    var response = ReleaseTaskResponse.newBuilder().setReleased(released);
    if (released) {
      response.setAvailableAt(TimeMapper.toWire(clock.instant()));
    }
    return response.build();
  }

  private boolean park(Requests.Held held, ReleaseTaskRequest request) {
    dev.kagzi.v1.Divergence wire = request.getDivergence();
    return tasks.park(
        held.fence(),
        new Divergence(
            FailureMapper.clean(wire.getExpectedStepKey(), StepKey.MAX_LENGTH),
            FailureMapper.clean(wire.getFoundStepKey(), StepKey.MAX_LENGTH),
            FailureMapper.clean(wire.getMessage(), FailureMapper.MAX_MESSAGE)));
  }
}
