package dev.kagzi.sdk.fake;

import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One work stream on the fake server's side; every call has a thread of its own. */
final class FakeStream implements StreamObserver<WorkRequest> {

  private final FakeCalls calls;
  private final StreamObserver<WorkResponse> replies;
  private final List<WorkRequest> frames = new CopyOnWriteArrayList<>();
  private boolean closed;

  FakeStream(FakeCalls calls, StreamObserver<WorkResponse> replies) {
    this.calls = calls;
    this.replies = replies;
  }

  List<WorkRequest> frames() {
    return List.copyOf(frames);
  }

  @Override
  public void onNext(WorkRequest frame) {
    frames.add(frame);
    for (WorkCall call : frame.getCallsList()) {
      Thread.startVirtualThread(() -> answer(call));
    }
  }

  private void answer(WorkCall call) {
    var reply = WorkReply.newBuilder().setCorrelationId(call.getCorrelationId());
    try {
      dispatch(call, reply);
    } catch (Faults.ReplyLost lost) {
      breakOff();
      return;
    } catch (RuntimeException failure) {
      reply.setError(Refusals.toProto(failure));
    }
    send(WorkResponse.newBuilder().addReplies(reply).build());
  }

  private void dispatch(WorkCall call, WorkReply.Builder reply) {
    switch (call.getCallCase()) {
      case POLL_TASK -> reply.setPollTask(calls.pollTask(call.getPollTask()));
      case GET_HISTORY -> reply.setGetHistory(calls.getHistory(call.getGetHistory()));
      case BEGIN_STEP -> reply.setBeginStep(calls.beginStep(call.getBeginStep()));
      case COMPLETE_STEP -> reply.setCompleteStep(calls.completeStep(call.getCompleteStep()));
      case FAIL_STEP -> reply.setFailStep(calls.failStep(call.getFailStep()));
      case COMPLETE_WORKFLOW ->
          reply.setCompleteWorkflow(calls.completeWorkflow(call.getCompleteWorkflow()));
      case FAIL_WORKFLOW -> reply.setFailWorkflow(calls.failWorkflow(call.getFailWorkflow()));
      case SLEEP -> reply.setSleep(calls.sleep(call.getSleep()));
      case SUSPEND -> reply.setSuspend(calls.suspend(call.getSuspend()));
      case RELEASE_TASK -> reply.setReleaseTask(calls.releaseTask(call.getReleaseTask()));
      default -> throw Status.UNIMPLEMENTED.asRuntimeException();
    }
  }

  private synchronized void send(WorkResponse frame) {
    if (!closed) {
      replies.onNext(frame);
    }
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
