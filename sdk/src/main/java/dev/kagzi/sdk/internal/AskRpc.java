package dev.kagzi.sdk.internal;

import com.google.protobuf.MessageLite;
import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceBlockingStub;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One of the calls that a client makes most, and how it travels: in a frame of the {@code Ask}
 * stream, or on its own.
 *
 * @param inFrame puts a request into a frame
 * @param fromFrame takes the response out of a frame
 * @param alone makes the call without the stream
 * @param isBrief whether its reply is waited for by the server's own work only
 */
record AskRpc<Q extends MessageLite, R>(
    BiFunction<AskCall.Builder, Q, AskCall.Builder> inFrame,
    Function<AskReply, R> fromFrame,
    BiFunction<WorkflowServiceBlockingStub, Q, R> alone,
    boolean isBrief) {

  static final AskRpc<StartWorkflowRequest, StartWorkflowResponse> START_WORKFLOW =
      new AskRpc<>(
          AskCall.Builder::setStartWorkflow,
          AskReply::getStartWorkflow,
          WorkflowServiceBlockingStub::startWorkflow,
          true);

  static final AskRpc<AwaitWorkflowRequest, AwaitWorkflowResponse> AWAIT_WORKFLOW =
      new AskRpc<>(
          AskCall.Builder::setAwaitWorkflow,
          AskReply::getAwaitWorkflow,
          WorkflowServiceBlockingStub::awaitWorkflow,
          false);

  AskCall toCall(long correlationId, Q request) {
    return inFrame.apply(AskCall.newBuilder().setCorrelationId(correlationId), request).build();
  }

  R fromReply(AskReply reply) {
    if (reply.hasError()) {
      throw CallFailedException.of(reply.getError());
    }
    return fromFrame.apply(reply);
  }
}
