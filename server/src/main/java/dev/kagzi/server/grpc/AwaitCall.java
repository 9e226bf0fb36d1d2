package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.operation.Completions;
import dev.kagzi.v1.AwaitWorkflowResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One client that waits for the end of a run; answered once or gone. Thread-safe. */
final class AwaitCall implements Completions.Listener {

  private final CommitReply<AwaitWorkflowResponse> reply;
  private final Consumer<AwaitCall> whenOver;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile Completions.@Nullable Waiter waiter;

  AwaitCall(CommitReply<AwaitWorkflowResponse> reply, Consumer<AwaitCall> whenOver) {
    this.reply = reply;
    this.whenOver = whenOver;
  }

  void start(
      Completions completions, String namespace, RunId runId, boolean follows, Duration wait) {
    try {
      waiter = completions.await(namespace, runId, follows, wait, this);
    } catch (RuntimeException failure) {
      refuse(failure);
    }
    if (ended.get()) {
      forget();
    }
  }

  @Override
  public void ended(Run run) {
    if (end()) {
      reply.respond(
          AwaitWorkflowResponse.newBuilder()
              .setFinished(run.status().isTerminal())
              .setRun(RunMapper.toWire(run, RunPayloads.ofEnd(run)))
              .build());
    }
  }

  @Override
  public void failed(RuntimeException failure) {
    if (end()) {
      reply.fail(failure);
    }
  }

  @Override
  public void allTold() {
    reply.send();
  }

  /** Answers that it cannot wait. */
  void refuse(RuntimeException why) {
    failed(why);
    allTold();
  }

  /** Answers that the wait is over and the run is not. */
  void tellUnfinished() {
    if (end()) {
      forget();
      reply.respond(AwaitWorkflowResponse.getDefaultInstance());
      reply.send();
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

  boolean isOver() {
    return ended.get();
  }

  private boolean end() {
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    whenOver.accept(this);
    return true;
  }
}
