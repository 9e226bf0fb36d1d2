package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.engine.operation.WorkerPresence;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/**
 * A poll that is an RPC of its own. While it is open its worker is known to be there; a worker that
 * hangs up without having been answered may be dead.
 */
final class UnaryPoll implements PollCall.Caller {

  private final TaskPolls polls;
  private final WorkerPresence presence;
  private final ServerCallStreamObserver<PollTaskResponse> caller;
  private final PollCall call;
  private volatile @Nullable PollTaskResponse sent;

  private UnaryPoll(
      TaskPolls polls, WorkerPresence presence, ServerCallStreamObserver<PollTaskResponse> caller) {
    this.polls = polls;
    this.presence = presence;
    this.caller = caller;
    this.call = new PollCall(polls, this);
  }

  static void start(
      TaskPolls polls,
      WorkerPresence presence,
      PollTaskRequest wire,
      StreamObserver<PollTaskResponse> caller) {
    try {
      Poll.Request request = TaskPolls.checked(wire);
      new UnaryPoll(polls, presence, (ServerCallStreamObserver<PollTaskResponse>) caller)
          .start(request, wire);
    } catch (RuntimeException failure) {
      caller.onError(ErrorMapper.toException(failure));
    }
  }

  private void start(Poll.Request request, PollTaskRequest wire) {
    WorkerId worker = request.worker();
    polls.requireKnown(request);
    presence.callOpened(worker);
    caller.setOnCancelHandler(() -> hungUp(worker));
    caller.setOnCloseHandler(() -> presence.callEnded(worker, false));
    polls.start(call, request, wire);
  }

  @Override
  public boolean deliver(PollTaskResponse response) {
    if (caller.isCancelled()) {
      return false;
    }
    sent = response;
    if (caller.isCancelled()) {
      // It hung up in between. Both sides may now give the runs back, which is harmless.
      return false;
    }
    Unary.send(caller, response);
    return true;
  }

  private void hungUp(WorkerId worker) {
    call.cancel();
    PollTaskResponse undelivered = sent;
    presence.callEnded(worker, undelivered == null);
    if (undelivered != null) {
      polls.giveBack(undelivered);
    }
  }
}
