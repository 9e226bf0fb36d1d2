package dev.kagzi.sdk.internal;

import dev.kagzi.core.Durations;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.v1.StepAttempt;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One attempt of a step, on a thread of its own or on that of its run. Thread-safe. */
final class Attempt {

  /** What to do once about an attempt that is still under way after a while. */
  record Notice(Duration after, Runnable act) {}

  private final RunPass pass;
  private final StepAttempt step;
  private final FutureTask<@Nullable Object> work;
  private final StepThreads threads;

  /** Nothing once it was given. Belongs to who waits. */
  private @Nullable Notice notice;

  private @Nullable Thread thread;
  private boolean interrupted;
  private boolean ended;
  private @Nullable Runnable whenEnded;

  /**
   * An attempt that has not begun.
   *
   * @param notice given while somebody waits for the attempt; null if nobody wants one
   */
  Attempt(
      RunPass pass, StepThreads threads, StepAttempt step, StepFn<?> fn, @Nullable Notice notice) {
    this.notice = notice;
    this.pass = pass;
    this.step = step;
    this.work = new FutureTask<>(fn::run);
    this.threads = threads;
  }

  private synchronized void begin() {
    thread = Thread.currentThread();
    if (interrupted) {
      thread.interrupt();
    }
  }

  /** An interruption that was meant for the step must not hit what the thread does next. */
  private synchronized void end() {
    ended = true;
    thread = null;
    if (interrupted) {
      Thread.interrupted();
    }
    if (whenEnded != null) {
      whenEnded.run();
    }
  }

  /** Begins on a thread of its own, which can be left behind when it does not end. */
  void start() {
    threads.run(
        "kagzi-step-" + step.getStepKey(),
        () -> {
          MdcKeys.putRun(pass.claim());
          workHere();
        });
  }

  /** Does the work on the calling thread, to its end. */
  void workHere() {
    begin();
    Map<String, String> mdc = MdcKeys.now();
    MdcKeys.putStep(step.getStepKey(), step.getAttempt());
    pass.stepBegins(step.getStepKey());
    try {
      work.run();
    } finally {
      pass.stepEnds();
      MdcKeys.restore(mdc);
      end();
    }
  }

  /** What the work has led to, now that it is over. */
  @Nullable Object outcome() throws ExecutionException {
    try {
      return work.resultNow();
    } catch (IllegalStateException failed) {
      throw new ExecutionException(work.exceptionNow());
    }
  }

  /** Waits for the result, but not longer than this, and gives notice of a long wait. */
  @Nullable Object await(Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    Notice open = notice;
    if (open == null || open.after().compareTo(limit) >= 0) {
      return awaitEnd(limit, limit);
    }
    try {
      return work.get(open.after().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException stillUnderWay) {
      giveNotice();
      return awaitEnd(limit.minus(open.after()), limit);
    }
  }

  private @Nullable Object awaitEnd(Duration left, Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return work.get(left.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw overdue(limit);
    }
  }

  /** That the attempt has taken longer than this. */
  TimeoutException overdue(Duration limit) {
    return new TimeoutException(
        "Step '%s' timed out after %s".formatted(step.getStepKey(), Durations.format(limit)));
  }

  RunPass pass() {
    return pass;
  }

  String key() {
    return step.getStepKey();
  }

  /** What to do about an attempt that is still under way after a while, if it is to be done. */
  @Nullable Notice notice() {
    return notice;
  }

  void giveNotice() {
    Notice open = notice;
    notice = null;
    if (open != null) {
      open.act().run();
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
