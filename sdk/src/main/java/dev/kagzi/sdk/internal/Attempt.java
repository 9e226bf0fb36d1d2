package dev.kagzi.sdk.internal;

import dev.kagzi.core.Durations;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.v1.StepAttempt;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a step on a thread of its own, which can be left behind when it does not end.
 * Thread-safe.
 */
final class Attempt {

  private final RunPass pass;
  private final StepAttempt step;
  private final FutureTask<@Nullable Object> work;
  private final StepThreads threads;
  private @Nullable Thread thread;
  private boolean interrupted;
  private boolean ended;
  private @Nullable Runnable whenEnded;

  Attempt(RunPass pass, StepThreads threads, StepAttempt step, StepFn<?> fn) {
    this.pass = pass;
    this.step = step;
    this.work = new FutureTask<>(fn::run);
    this.threads = threads;
  }

  private void work() {
    begin();
    MdcKeys.putRun(pass.claim());
    MdcKeys.putStep(step.getStepKey(), step.getAttempt());
    pass.stepBegins(step.getStepKey());
    try {
      work.run();
    } finally {
      pass.stepEnds();
      end();
    }
  }

  private synchronized void begin() {
    thread = Thread.currentThread();
    if (interrupted) {
      thread.interrupt();
    }
  }

  private synchronized void end() {
    ended = true;
    thread = null;
    if (whenEnded != null) {
      whenEnded.run();
    }
  }

  void start() {
    threads.run("kagzi-step-" + step.getStepKey(), this::work);
  }

  /** Waits for the result, but not longer than this. */
  @Nullable Object await(Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return work.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException(
          "Step '%s' timed out after %s".formatted(step.getStepKey(), Durations.format(limit)));
    }
  }

  /** Interrupts the thread unless it has left the step, and then possibly for another one. */
  synchronized void interrupt() {
    interrupted = true;
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** Has this done when the thread ends; says whether it is still to come. */
  synchronized boolean onEnd(Runnable act) {
    whenEnded = act;
    return !ended;
  }

  /** What the attempt is doing, for a person. */
  synchronized String inWords() {
    StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
    return "step '%s' of run %s, at %s"
        .formatted(
            step.getStepKey(),
            pass.claim().runId(),
            stack.length == 0 ? "an unknown place" : stack[0]);
  }
}
