package dev.kagzi.sdk.fake;

import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AskResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A client's stream on the fake server's side; every call has a thread of its own. */
final class FakeAskStream implements StreamObserver<AskRequest> {

  private final FakeWorkflowService service;
  private final StreamObserver<AskResponse> replies;
  private final List<AskRequest> frames = new CopyOnWriteArrayList<>();
  private boolean closed;

  FakeAskStream(FakeWorkflowService service, StreamObserver<AskResponse> replies) {
    this.service = service;
    this.replies = replies;
  }

  List<AskRequest> frames() {
    return List.copyOf(frames);
  }

  @Override
  public void onNext(AskRequest frame) {
    frames.add(frame);
    for (AskCall call : frame.getCallsList()) {
      Thread.startVirtualThread(() -> answer(call));
    }
  }

  private void answer(AskCall call) {
    var reply = AskReply.newBuilder().setCorrelationId(call.getCorrelationId());
    try {
      if (call.hasStartWorkflow()) {
        reply.setStartWorkflow(service.start(call.getStartWorkflow()));
      } else {
        reply.setAwaitWorkflow(service.await(call.getAwaitWorkflow()));
      }
    } catch (Faults.ReplyLost lost) {
      breakOff();
      return;
    } catch (RuntimeException failure) {
      reply.setError(Refusals.toProto(failure));
    }
    send(AskResponse.newBuilder().addReplies(reply).build());
  }

  private synchronized void send(AskResponse frame) {
    if (!closed) {
      replies.onNext(frame);
    }
  }

  synchronized boolean isOpen() {
    return !closed;
  }

  synchronized void breakOff() {
    if (!closed) {
      closed = true;
      replies.onError(Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException());
    }
  }

  @Override
  public synchronized void onError(Throwable gone) {
    closed = true;
  }

  @Override
  public synchronized void onCompleted() {
    closed = true;
    replies.onCompleted();
  }
}
