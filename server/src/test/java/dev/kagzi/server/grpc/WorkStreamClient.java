package dev.kagzi.server.grpc;

import dev.kagzi.v1.RunNews;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** The client's end of a Work stream, for tests; calls may come from many threads. */
final class WorkStreamClient {

  private static final long LIMIT_SECONDS = 20;

  private final ConcurrentHashMap<Long, CompletableFuture<WorkReply>> open =
      new ConcurrentHashMap<>();
  private final AtomicLong ids = new AtomicLong();
  private final CompletableFuture<RunNews> news = new CompletableFuture<>();
  private final CompletableFuture<Status> end = new CompletableFuture<>();
  private final boolean reading;
  private final ClientCallStreamObserver<WorkRequest> requests;

  private WorkStreamClient(Channel channel, boolean reading) {
    this.reading = reading;
    this.requests =
        (ClientCallStreamObserver<WorkRequest>)
            WorkerServiceGrpc.newStub(channel).work(new Replies());
  }

  /** Opens a stream and introduces the worker. */
  static WorkStreamClient open(Channel channel, String workerId) {
    var stream = new WorkStreamClient(channel, true);
    stream.send(WorkRequest.newBuilder().setHello(hello(workerId)).build());
    return stream;
  }

  /** Opens a stream whose replies are never read. */
  static WorkStreamClient openDeaf(Channel channel, String workerId) {
    var stream = new WorkStreamClient(channel, false);
    stream.send(WorkRequest.newBuilder().setHello(hello(workerId)).build());
    return stream;
  }

  /** Opens a stream and says nothing. */
  static WorkStreamClient openSilently(Channel channel) {
    return new WorkStreamClient(channel, true);
  }

  static WorkHello hello(String workerId) {
    return WorkHello.newBuilder().setWorkerId(workerId).build();
  }

  /** Sends a call and waits for its reply. */
  WorkReply call(WorkCall.Builder call) {
    return replyOf(sendAll(List.of(call)).get(0));
  }

  /** Sends the calls in one frame. */
  List<CompletableFuture<WorkReply>> sendAll(List<WorkCall.Builder> calls) {
    var frame = WorkRequest.newBuilder();
    var replies = new ArrayList<CompletableFuture<WorkReply>>();
    for (WorkCall.Builder call : calls) {
      long id = ids.incrementAndGet();
      var reply = new CompletableFuture<WorkReply>();
      open.put(id, reply);
      replies.add(reply);
      frame.addCalls(call.setCorrelationId(id));
    }
    send(frame.build());
    return replies;
  }

  synchronized void send(WorkRequest frame) {
    requests.onNext(frame);
  }

  /** The reply to a call, which may be an error. */
  WorkReply answerOf(CompletableFuture<WorkReply> reply) {
    return get(reply);
  }

  WorkReply replyOf(CompletableFuture<WorkReply> reply) {
    WorkReply answer = get(reply);
    if (answer.hasError()) {
      throw StatusProto.toStatusRuntimeException(answer.getError());
    }
    return answer;
  }

  /** The first that the server said without being asked. */
  RunNews news() {
    return get(news);
  }

  /** How the stream ended. */
  Status end() {
    return get(end);
  }

  synchronized void halfClose() {
    if (!end.isDone()) {
      requests.onCompleted();
    }
  }

  /** Ends the stream as the death of the worker would. */
  void breakOff() {
    requests.cancel("the worker is gone", null);
  }

  private static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException failure) {
      throw new AssertionError("no answer", failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  /** What arrives. */
  private final class Replies implements ClientResponseObserver<WorkRequest, WorkResponse> {
    @Override
    public void beforeStart(ClientCallStreamObserver<WorkRequest> stream) {
      if (!reading) {
        stream.disableAutoRequestWithInitial(0);
      }
    }

    @Override
    public void onNext(WorkResponse frame) {
      for (WorkReply reply : frame.getRepliesList()) {
        var caller = open.remove(reply.getCorrelationId());
        if (caller != null) {
          caller.complete(reply);
        }
      }
      frame.getEndedWaitsList().forEach(news::complete);
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
