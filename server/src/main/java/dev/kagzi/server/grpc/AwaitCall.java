package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.operation.Completions;
import dev.kagzi.v1.AwaitWorkflowResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One client that waits for the end of a run; answered once or gone. Thread-safe. */
final class AwaitCall {

  private final StreamObserver<AwaitWorkflowResponse> caller;
  private final Consumer<AwaitCall> whenOver;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile Completions.@Nullable Waiter waiter;

  AwaitCall(StreamObserver<AwaitWorkflowResponse> caller, Consumer<AwaitCall> whenOver) {
    this.caller = caller;
    this.whenOver = whenOver;
  }

  void start(
      Completions completions, String namespace, RunId runId, boolean follows, Duration wait) {
    try {
      waiter = completions.await(namespace, runId, follows, wait, this::tell, this::fail);
    } catch (RuntimeException failure) {
      fail(failure);
    }
    if (ended.get()) {
      forget();
    }
  }

  private void tell(Run run) {
    if (end()) {
      Unary.send(
          caller,
          AwaitWorkflowResponse.newBuilder()
              .setFinished(run.status().isTerminal())
              .setRun(RunMapper.toWire(run, RunPayloads.ofEnd(run)))
              .build());
    }
  }

  private void fail(RuntimeException failure) {
    if (end()) {
      caller.onError(ErrorMapper.toException(failure));
    }
  }

  /** Answers that the wait is over and the run is not. */
  void tellUnfinished() {
    if (end()) {
      forget();
      Unary.send(caller, AwaitWorkflowResponse.getDefaultInstance());
    }
  }

  /** Nobody is there any more. */
  void cancel() {
    if (end()) {
      forget();
    }
  }

  private void forget() {
    Completions.Waiter waiting = waiter;
    if (waiting != null) {
      waiting.cancel();
    }
  }

  private boolean end() {
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    whenOver.accept(this);
    return true;
  }
}
