package dev.kagzi.server.grpc;

import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskResponse;
import java.util.List;

/** Frames for a client: nothing but replies. Thread-safe. */
final class AskFrames implements Frames<AskReply, AskResponse> {

  @Override
  public AskReply refusal(long correlationId, Throwable failure) {
    return AskReply.newBuilder()
        .setCorrelationId(correlationId)
        .setError(ErrorMapper.toStatus(failure))
        .build();
  }

  @Override
  public AskResponse of(List<AskReply> replies) {
    return AskResponse.newBuilder().addAllReplies(replies).build();
  }
}
