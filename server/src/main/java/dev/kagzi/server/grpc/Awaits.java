package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Completions;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Clients that wait for the ends of runs, without a thread for each. Thread-safe. */
final class Awaits {

  private final Completions completions;
  private final RunNames names;
  private final WaitLimit limit;
  private final Duration longestWait;
  private final Set<AwaitCall> open = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  Awaits(Engine engine, RunNames names, WaitLimit limit) {
    this.completions = engine.completions();
    this.names = names;
    this.limit = limit;
    this.longestWait = engine.config().intervals().pollTimeout();
  }

  /**
   * A call that does not wait yet.
   *
   * @param whenOver hears that it was answered or given up
   */
  AwaitCall call(CommitReply<AwaitWorkflowResponse> reply, Consumer<AwaitCall> whenOver) {
    return new AwaitCall(
        reply,
        call -> {
          over(call);
          whenOver.accept(call);
        });
  }

  /** Whether a call can begin to wait without a look at the database. */
  static boolean beginsAtOnce(AwaitWorkflowRequest request) {
    return !RunNames.isExternal(request.getRunId(), request.getExternalId());
  }

  /**
   * Lets a call wait; it is answered now or later, on any thread.
   *
   * @throws RuntimeException if it cannot wait; then it is not answered
   */
  void start(AwaitCall call, AwaitWorkflowRequest request) {
    Validation check = new Validation().duration("wait", request.getWait());
    String namespace = Requests.namespace(request.getNamespace());
    RunId runId = names.read(check, namespace, request.getRunId(), request.getExternalId());
    Duration wait = Requests.wait(request.hasWait(), request.getWait(), longestWait);
    limit.enter();
    open.add(call);
    if (call.isOver()) {
      over(call);
      return;
    }
    // A call that comes while the server goes down is answered at once, with the run as it is.
    call.start(
        completions, namespace, runId, !request.getThisRunOnly(), draining ? Duration.ZERO : wait);
  }

  private void over(AwaitCall call) {
    if (open.remove(call)) {
      limit.leave();
    }
  }

  /** Tells everybody who waits to ask again, which then is another server's business. */
  void drain() {
    draining = true;
    open.forEach(AwaitCall::tellUnfinished);
  }
}
