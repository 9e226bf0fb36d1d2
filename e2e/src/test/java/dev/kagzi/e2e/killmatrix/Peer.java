package dev.kagzi.e2e.killmatrix;

import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AskResponse;
import dev.kagzi.v1.NamespaceServiceGrpc;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A server as its callers see it. */
record Peer(Channel channel) {

  private static final long LIMIT_SECONDS = 30;

  WorkflowServiceGrpc.WorkflowServiceBlockingStub workflows() {
    return WorkflowServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  WorkerServiceGrpc.WorkerServiceBlockingStub workers() {
    return WorkerServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Asks for work, and waits for it elsewhere. */
  CompletableFuture<PollTaskResponse> poll(PollTaskRequest request) {
    var response = new CompletableFuture<PollTaskResponse>();
    WorkerServiceGrpc.newStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
        .pollTask(request, new Later<>(response));
    return response;
  }

  /** A response that somebody waits for elsewhere. */
  private record Later<T>(CompletableFuture<T> response) implements StreamObserver<T> {

    @Override
    public void onNext(T message) {
      response.complete(message);
    }

    @Override
    public void onError(Throwable failure) {
      response.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {}
  }

  WorkflowScheduleServiceGrpc.WorkflowScheduleServiceBlockingStub schedules() {
    return WorkflowScheduleServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  AdminServiceGrpc.AdminServiceBlockingStub admin() {
    return AdminServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  NamespaceServiceGrpc.NamespaceServiceBlockingStub namespaces() {
    return NamespaceServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Opens a stream for a worker, makes one call on it and leaves in good order. */
  WorkReply work(String worker, WorkCall call) {
    var stream = new OneReply<>(WorkResponse::getRepliesList);
    StreamObserver<WorkRequest> requests =
        WorkerServiceGrpc.newStub(channel)
            .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
            .work(stream);
    requests.onNext(
        WorkRequest.newBuilder()
            .setHello(WorkHello.newBuilder().setWorkerId(worker))
            .addCalls(call)
            .build());
    WorkReply reply = stream.await();
    requests.onCompleted();
    if (reply.hasError()) {
      throw StatusProto.toStatusRuntimeException(reply.getError());
    }
    return reply;
  }

  /** Opens a stream for a client, makes one call on it and leaves in good order. */
  AskReply ask(AskCall call) {
    var stream = new OneReply<>(AskResponse::getRepliesList);
    StreamObserver<AskRequest> requests =
        WorkflowServiceGrpc.newStub(channel)
            .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
            .ask(stream);
    requests.onNext(AskRequest.newBuilder().addCalls(call).build());
    AskReply reply = stream.await();
    requests.onCompleted();
    if (reply.hasError()) {
      throw StatusProto.toStatusRuntimeException(reply.getError());
    }
    return reply;
  }

  /** The same, but it breaks off, as when the worker is killed. */
  void workAndBreakOff(String worker, WorkCall call) {
    var stream = new OneReply<>(WorkResponse::getRepliesList);
    StreamObserver<WorkRequest> requests = WorkerServiceGrpc.newStub(channel).work(stream);
    var hello = WorkHello.newBuilder().setWorkerId(worker);
    requests.onNext(WorkRequest.newBuilder().setHello(hello).addCalls(call).build());
    var unused = stream.await();
    requests.onError(Status.CANCELLED.asException());
  }

  /** Waits for the first reply of a stream. */
  private static final class OneReply<F, R> implements StreamObserver<F> {

    private final Function<F, List<R>> replies;
    private final CompletableFuture<R> reply = new CompletableFuture<>();

    OneReply(Function<F, List<R>> replies) {
      this.replies = replies;
    }

    @Override
    public void onNext(F frame) {
      replies.apply(frame).forEach(reply::complete);
    }

    @Override
    public void onError(Throwable failure) {
      reply.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      reply.completeExceptionally(new IllegalStateException("the stream ended without a reply"));
    }

    R await() {
      try {
        return reply.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException failure) {
        if (failure.getCause() instanceof StatusRuntimeException refusal) {
          throw refusal;
        }
        throw new IllegalStateException(failure);
      } catch (InterruptedException | TimeoutException failure) {
        throw new IllegalStateException(failure);
      }
    }
  }
}
