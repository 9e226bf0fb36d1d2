package dev.kagzi.server.fuzz;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.kagzi.server.grpc.RawCalls;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskResponse;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A stream that is sent any bytes as frames, and what the server says on it. */
final class RawStream implements StreamObserver<byte[]> {

  private static final long LIMIT_SECONDS = 20;

  /** What stands in a frame of replies. */
  private interface Errors {
    List<com.google.rpc.Status> of(byte[] frame) throws InvalidProtocolBufferException;
  }

  /** Which stream it is. */
  record Kind(MethodDescriptor<?, ?> method, Errors errors) {

    static final Kind WORK =
        new Kind(
            WorkerServiceGrpc.getWorkMethod(),
            frame ->
                WorkResponse.parseFrom(frame).getRepliesList().stream()
                    .filter(WorkReply::hasError)
                    .map(WorkReply::getError)
                    .toList());

    static final Kind ASK =
        new Kind(
            WorkflowServiceGrpc.getAskMethod(),
            frame ->
                AskResponse.parseFrom(frame).getRepliesList().stream()
                    .filter(AskReply::hasError)
                    .map(AskReply::getError)
                    .toList());
  }

  /** How a stream ended, and which of its calls were refused how. */
  record Outcome(Status end, List<com.google.rpc.Status> errors) {}

  private final Queue<com.google.rpc.Status> errors = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<Status> end = new CompletableFuture<>();

  private final Kind kind;

  private RawStream(Kind kind) {
    this.kind = kind;
  }

  static Outcome send(Channel channel, Kind kind, List<ByteString> frames) {
    RawStream stream = new RawStream(kind);
    StreamObserver<byte[]> requests =
        ClientCalls.asyncBidiStreamingCall(
            channel.newCall(
                RawCalls.raw(kind.method()),
                CallOptions.DEFAULT.withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)),
            stream);
    try {
      frames.forEach(frame -> requests.onNext(frame.toByteArray()));
      requests.onCompleted();
    } catch (IllegalStateException ended) {
      // The server has ended the stream before everything was sent.
    }
    Status end = stream.end.orTimeout(2 * LIMIT_SECONDS, TimeUnit.SECONDS).join();
    return new Outcome(end, List.copyOf(stream.errors));
  }

  @Override
  public void onNext(byte[] bytes) {
    try {
      errors.addAll(kind.errors().of(bytes));
    } catch (InvalidProtocolBufferException broken) {
      throw new AssertionError(broken);
    }
  }

  @Override
  public void onError(Throwable failure) {
    end.complete(Status.fromThrowable(failure));
  }

  @Override
  public void onCompleted() {
    end.complete(Status.OK);
  }
}
