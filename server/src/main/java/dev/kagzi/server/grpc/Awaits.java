package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Completions;
import dev.kagzi.v1.AwaitWorkflowResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Clients that wait for the ends of runs, without a thread for each. Thread-safe. */
final class Awaits {

  private final Completions completions;
  private final WaitLimit limit;
  private final Set<AwaitCall> open = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  Awaits(Completions completions, WaitLimit limit) {
    this.completions = completions;
    this.limit = limit;
  }

  void start(
      String namespace,
      RunId runId,
      boolean follows,
      Duration wait,
      ServerCallStreamObserver<AwaitWorkflowResponse> caller) {
    limit.enter();
    var call = new AwaitCall(caller, this::over);
    open.add(call);
    caller.setOnCancelHandler(call::cancel);
    // A call that comes while the server goes down is answered at once, with the run as it is.
    call.start(completions, namespace, runId, follows, draining ? Duration.ZERO : wait);
  }

  private void over(AwaitCall call) {
    open.remove(call);
    limit.leave();
  }

  /** Tells everybody who waits to ask again, which then is another server's business. */
  void drain() {
    draining = true;
    open.forEach(AwaitCall::tellUnfinished);
  }
}
