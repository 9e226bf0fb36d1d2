package dev.kagzi.server.grpc;

import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AskResponse;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The client's end of an Ask stream, for tests. */
final class AskStreamClient {

  private static final long LIMIT_SECONDS = 20;

  private final ConcurrentHashMap<Long, CompletableFuture<AskReply>> open =
      new ConcurrentHashMap<>();
  private final AtomicLong ids = new AtomicLong();
  private final AtomicInteger frames = new AtomicInteger();
  private final CompletableFuture<Status> end = new CompletableFuture<>();
  private final boolean reading;
  private final ClientCallStreamObserver<AskRequest> requests;

  private AskStreamClient(Channel channel, boolean reading) {
    this.reading = reading;
    this.requests =
        (ClientCallStreamObserver<AskRequest>)
            WorkflowServiceGrpc.newStub(channel).ask(new Replies());
  }

  static AskStreamClient open(Channel channel) {
    return new AskStreamClient(channel, true);
  }

  /** Opens a stream whose replies are never read. */
  static AskStreamClient openDeaf(Channel channel) {
    return new AskStreamClient(channel, false);
  }

  static AskCall.Builder startCall(StartWorkflowRequest request) {
    return AskCall.newBuilder().setStartWorkflow(request);
  }

  static AskCall.Builder awaitCall(AwaitWorkflowRequest request) {
    return AskCall.newBuilder().setAwaitWorkflow(request);
  }

  /** Sends a call and waits for its reply, which may be an error. */
  AskReply call(AskCall.Builder call) {
    return answerOf(sendAll(List.of(call)).get(0));
  }

  /** Sends the calls in one frame. */
  List<CompletableFuture<AskReply>> sendAll(List<AskCall.Builder> calls) {
    var frame = AskRequest.newBuilder();
    var replies = new ArrayList<CompletableFuture<AskReply>>();
    for (AskCall.Builder call : calls) {
      long id = ids.incrementAndGet();
      var reply = new CompletableFuture<AskReply>();
      open.put(id, reply);
      replies.add(reply);
      frame.addCalls(call.setCorrelationId(id));
    }
    send(frame.build());
    return replies;
  }

  synchronized void send(AskRequest frame) {
    requests.onNext(frame);
  }

  AskReply answerOf(CompletableFuture<AskReply> reply) {
    return reply.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
  }

  /** How many frames of replies have come. */
  int frames() {
    return frames.get();
  }

  /** How the stream ended. */
  Status end() {
    return end.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
  }

  synchronized void halfClose() {
    requests.onCompleted();
  }

  /** Ends the stream as the death of the client would. */
  void breakOff() {
    requests.cancel("the client is gone", null);
  }

  /** What arrives. */
  private final class Replies implements ClientResponseObserver<AskRequest, AskResponse> {
    @Override
    public void beforeStart(ClientCallStreamObserver<AskRequest> stream) {
      if (!reading) {
        stream.disableAutoRequestWithInitial(0);
      }
    }

    @Override
    public void onNext(AskResponse frame) {
      frames.incrementAndGet();
      for (AskReply reply : frame.getRepliesList()) {
        var caller = open.remove(reply.getCorrelationId());
        if (caller != null) {
          caller.complete(reply);
        }
      }
    }

    @Override
    public void onError(Throwable failure) {
      over(Status.fromThrowable(failure));
    }

    @Override
    public void onCompleted() {
      over(Status.OK);
    }

    private void over(Status status) {
      end.complete(status);
      open.values().forEach(reply -> reply.completeExceptionally(status.asRuntimeException()));
    }
  }
}
