package dev.kagzi.sdk.internal;

import dev.kagzi.v1.AddChildItemsRequest;
import dev.kagzi.v1.AddChildItemsResponse;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.CompleteWorkflowResponse;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.FailWorkflowResponse;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.GetHistoryResponse;
import dev.kagzi.v1.ListChildResultsRequest;
import dev.kagzi.v1.ListChildResultsResponse;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.PublishStateResponse;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.ReleaseTaskResponse;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.StartChildResponse;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkerServiceGrpc.WorkerServiceBlockingStub;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One of the calls that a worker makes about runs, and how it travels: in a frame of the {@code
 * Work} stream, or on its own.
 *
 * @param inFrame puts a request into a frame
 * @param fromFrame takes the response out of a frame
 * @param alone makes the call without the stream
 * @param patience how long to wait for a reply before the call is repeated
 * @param again what is sent when it is, by a worker that may have another id by then
 */
record WorkerRpc<Q, R>(
    BiFunction<WorkCall.Builder, Q, WorkCall.Builder> inFrame,
    Function<WorkReply, R> fromFrame,
    BiFunction<WorkerServiceBlockingStub, Q, R> alone,
    Duration patience,
    BiFunction<Q, String, Q> again) {

  /** A poll waits up to 30 seconds on the server. */
  private static final Duration POLL_PATIENCE = Duration.ofSeconds(45);

  /** Well inside a lease, so that a lost reply does not cost the run. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  static final WorkerRpc<PollTaskRequest, PollTaskResponse> POLL_TASK =
      new WorkerRpc<>(
          WorkCall.Builder::setPollTask,
          WorkReply::getPollTask,
          WorkerServiceBlockingStub::pollTask,
          POLL_PATIENCE,
          WorkerRpc::pollAgain);

  static final WorkerRpc<GetHistoryRequest, GetHistoryResponse> GET_HISTORY =
      new WorkerRpc<>(
          WorkCall.Builder::setGetHistory,
          WorkReply::getGetHistory,
          WorkerServiceBlockingStub::getHistory,
          PATIENCE);

  static final WorkerRpc<BeginStepRequest, BeginStepResponse> BEGIN_STEP =
      new WorkerRpc<>(
          WorkCall.Builder::setBeginStep,
          WorkReply::getBeginStep,
          WorkerServiceBlockingStub::beginStep,
          PATIENCE);

  static final WorkerRpc<CompleteStepRequest, CompleteStepResponse> COMPLETE_STEP =
      new WorkerRpc<>(
          WorkCall.Builder::setCompleteStep,
          WorkReply::getCompleteStep,
          WorkerServiceBlockingStub::completeStep,
          PATIENCE);

  static final WorkerRpc<FailStepRequest, FailStepResponse> FAIL_STEP =
      new WorkerRpc<>(
          WorkCall.Builder::setFailStep,
          WorkReply::getFailStep,
          WorkerServiceBlockingStub::failStep,
          PATIENCE);

  static final WorkerRpc<CompleteWorkflowRequest, CompleteWorkflowResponse> COMPLETE_WORKFLOW =
      new WorkerRpc<>(
          WorkCall.Builder::setCompleteWorkflow,
          WorkReply::getCompleteWorkflow,
          WorkerServiceBlockingStub::completeWorkflow,
          PATIENCE);

  static final WorkerRpc<FailWorkflowRequest, FailWorkflowResponse> FAIL_WORKFLOW =
      new WorkerRpc<>(
          WorkCall.Builder::setFailWorkflow,
          WorkReply::getFailWorkflow,
          WorkerServiceBlockingStub::failWorkflow,
          PATIENCE);

  static final WorkerRpc<SleepRequest, SleepResponse> SLEEP =
      new WorkerRpc<>(
          WorkCall.Builder::setSleep,
          WorkReply::getSleep,
          WorkerServiceBlockingStub::sleep,
          PATIENCE);

  static final WorkerRpc<SuspendRequest, SuspendResponse> SUSPEND =
      new WorkerRpc<>(
          WorkCall.Builder::setSuspend,
          WorkReply::getSuspend,
          WorkerServiceBlockingStub::suspend,
          PATIENCE);

  static final WorkerRpc<StartChildRequest, StartChildResponse> START_CHILD =
      new WorkerRpc<>(
          WorkCall.Builder::setStartChild,
          WorkReply::getStartChild,
          WorkerServiceBlockingStub::startChild,
          PATIENCE);

  static final WorkerRpc<AddChildItemsRequest, AddChildItemsResponse> ADD_CHILD_ITEMS =
      new WorkerRpc<>(
          WorkCall.Builder::setAddChildItems,
          WorkReply::getAddChildItems,
          WorkerServiceBlockingStub::addChildItems,
          PATIENCE);

  static final WorkerRpc<ListChildResultsRequest, ListChildResultsResponse> LIST_CHILD_RESULTS =
      new WorkerRpc<>(
          WorkCall.Builder::setListChildResults,
          WorkReply::getListChildResults,
          WorkerServiceBlockingStub::listChildResults,
          PATIENCE);

  static final WorkerRpc<PublishStateRequest, PublishStateResponse> PUBLISH_STATE =
      new WorkerRpc<>(
          WorkCall.Builder::setPublishState,
          WorkReply::getPublishState,
          WorkerServiceBlockingStub::publishState,
          PATIENCE);

  static final WorkerRpc<ReleaseTaskRequest, ReleaseTaskResponse> RELEASE_TASK =
      new WorkerRpc<>(
          WorkCall.Builder::setReleaseTask,
          WorkReply::getReleaseTask,
          WorkerServiceBlockingStub::releaseTask,
          PATIENCE);

  /** A call that is repeated as it was. */
  private WorkerRpc(
      BiFunction<WorkCall.Builder, Q, WorkCall.Builder> inFrame,
      Function<WorkReply, R> fromFrame,
      BiFunction<WorkerServiceBlockingStub, Q, R> alone,
      Duration patience) {
    this(inFrame, fromFrame, alone, patience, (request, workerId) -> request);
  }

  /** Nobody hands runs to a worker under an id that was declared offline. */
  private static PollTaskRequest pollAgain(PollTaskRequest poll, String workerId) {
    return poll.toBuilder().setWorkerId(workerId).setClaimIdIsNew(false).build();
  }

  /** Polls wait for work, and so may be open for long. */
  boolean isBrief() {
    return !equals(POLL_TASK);
  }

  WorkCall toCall(long correlationId, Q request) {
    return inFrame.apply(WorkCall.newBuilder().setCorrelationId(correlationId), request).build();
  }

  R fromReply(WorkReply reply) {
    if (reply.hasError()) {
      throw CallFailedException.of(reply.getError());
    }
    return fromFrame.apply(reply);
  }
}
