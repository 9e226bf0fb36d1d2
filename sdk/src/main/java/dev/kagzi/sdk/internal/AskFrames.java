package dev.kagzi.sdk.internal;

import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AskResponse;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.MethodDescriptor;
import java.util.List;

/** The frames of an {@code Ask} stream. */
final class AskFrames implements Frames<AskCall, AskReply, AskRequest, AskResponse> {

  @Override
  public String name() {
    return "ask";
  }

  @Override
  public MethodDescriptor<AskRequest, AskResponse> method() {
    return WorkflowServiceGrpc.getAskMethod();
  }

  @Override
  public AskRequest of(List<AskCall> calls, boolean senderWaits) {
    return AskRequest.newBuilder().addAllCalls(calls).build();
  }

  @Override
  public List<AskReply> replies(AskResponse frame) {
    return frame.getRepliesList();
  }

  @Override
  public long correlationId(AskReply reply) {
    return reply.getCorrelationId();
  }

  /** Who has started a run awaits it as a rule, and who has its result starts the next. */
  @Override
  public int comingBack(AskResponse frame) {
    return frame.getRepliesCount();
  }
}
