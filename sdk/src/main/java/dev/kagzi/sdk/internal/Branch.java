package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One durable operation beside the workflow's own thread. Its driver is a virtual thread that makes
 * the attempts and their reports; it is interrupted only while it waits, so that a report whose
 * fate would be unknown is never cut off, unless the run has gone.
 *
 * <p>The fields are guarded by the lock of {@link Branches}.
 */
final class Branch implements StepSite {

  /** What the driver does. */
  @FunctionalInterface
  interface Work {
    @Nullable Object run(Branch branch) throws InterruptedException;
  }

  private final Branches all;
  private final RunPass pass;
  private final StepCall call;
  private final StepAttempt step;
  private final Work work;
  final Condition awake;

  @Nullable Thread driver;
  @Nullable Wait parked;
  @Nullable Attempt execution;
  List<Branch> group = List.of();
  List<Branch> taken = List.of();
  @Nullable Semaphore permits;
  boolean interruptible;
  boolean cancelled;
  boolean leaving;
  boolean nudged;
  boolean news;
  boolean awaited;
  boolean done;
  @Nullable Object value;
  @Nullable RuntimeException failure;

  Branch(Branches all, StepCall call, StepAttempt step, Condition awake, Work work) {
    this.all = all;
    this.pass = all.pass();
    this.call = call;
    this.step = step;
    this.awake = awake;
    this.work = work;
  }

  String key() {
    return call.key().value();
  }

  /** How to name the branch when it is cancelled. */
  StepAttempt step() {
    return step;
  }

  StepCall call() {
    return call;
  }

  /** Lets the driver begin. */
  void start() {
    Objects.requireNonNull(driver).start();
  }

  void interruptDriver() {
    if (driver != null) {
      driver.interrupt();
    }
  }

  void interruptIfWaiting() {
    if (interruptible) {
      interruptDriver();
    }
  }

  /** Interrupts the step rather than its driver, which reports what becomes of it. */
  void interruptExecution() {
    if (execution == null) {
      interruptIfWaiting();
    } else {
      execution.interrupt();
    }
  }

  /** When its wait ends, if it is in one. */
  Instant wakeAt() {
    return parked == null ? Instant.MAX : NewsWaits.endOf(parked);
  }

  /** The same in words. */
  String until() {
    Instant end = wakeAt();
    return end.equals(Instant.MAX) ? "for news" : "until " + end;
  }

  /** The body of the driver. */
  @SuppressWarnings("CatchingUnchecked")
  void drive() {
    MdcKeys.putRun(pass.claim());
    try {
      Object result = work.run(this);
      all.settle(this, result, null);
    } catch (WorkflowSuspended | InterruptedException left) {
      all.leave(this);
    } catch (RuntimeException failed) {
      all.settle(this, null, failed);
    } catch (Error bug) {
      all.settle(this, null, new IllegalStateException("branch '%s' broke".formatted(key()), bug));
      throw bug;
    }
  }

  /** How a branch ends that another one's outcome made pointless. */
  static StepFailedException cancelled(String key, int attempts) {
    return new StepFailedException(
        key,
        attempts,
        ErrorKind.CANCELLED,
        ErrorKind.CANCELLED.text(),
        List.of(),
        "another branch has failed or has won the race");
  }

  /** What it has led to, now that it is over. */
  @Nullable Object result() {
    RuntimeException failed = failure;
    if (failed != null) {
      // The workflow wants to see where it waited, and not where the report was made.
      failed.fillInStackTrace();
      throw failed;
    }
    return value;
  }

  boolean wasCancelled() {
    return failure instanceof StepFailedException failed && failed.kind() == ErrorKind.CANCELLED;
  }

  @Override
  public void requireGoingOn() {
    HeldRun held = pass.claim().held();
    if (held.stopReason() != null
        || held.stopRequest() != null
        || held.trustedUntil().hasPassed()
        || all.isOver(this)) {
      throw gone();
    }
  }

  private static WorkflowSuspended gone() {
    return new WorkflowSuspended("the branch is given up");
  }

  @Override
  public <Q, R> R call(WorkerRpc<Q, R> rpc, Q request) {
    try {
      return pass.callBeside(rpc, request);
    } catch (InterruptedException e) {
      throw gone();
    } catch (CallFailedException failed) {
      PassEnd end = pass.endBy(failed);
      if (end == null) {
        throw failed;
      }
      all.end(end);
      throw gone();
    }
  }

  @Override
  public @Nullable Object execute(
      Attempt attempt, Duration timeout, Supplier<FailStepRequest> lastWords)
      throws ExecutionException, TimeoutException {
    StuckThreads stuck = all.tools().stuck();
    attempt.start();
    try {
      all.beginWait(this, attempt);
      return attempt.await(timeout);
    } catch (InterruptedException e) {
      stuck.leaveBehind(attempt);
      throw gone();
    } catch (TimeoutException e) {
      stuck.leaveBehind(attempt);
      throw e;
    } catch (ExecutionException e) {
      if (all.isOver(this)) {
        // It was interrupted for that, so this says nothing about the step.
        throw gone();
      }
      throw e;
    } finally {
      all.endWait(this);
    }
  }

  @Override
  public void awaitRetry(StepCall retried, int attempt, Instant at) {
    Duration delay = Duration.between(pass.claim().clock().now(), at);
    if (!delay.isPositive()) {
      return;
    }
    try {
      if (delay.compareTo(pass.claim().terms().localRetryWait()) <= 0) {
        pause(delay);
      } else {
        awaitLongRetry(retried.attempt(attempt, pass.claim().clock().now()), at);
      }
    } catch (InterruptedException e) {
      throw gone();
    }
  }

  private void pause(Duration delay) throws InterruptedException {
    try {
      all.beginWait(this, null);
      Thread.sleep(delay);
    } finally {
      all.endWait(this);
    }
  }

  /** The wait is recorded while siblings execute; when none does, the run is handed back. */
  private void awaitLongRetry(StepAttempt next, Instant at) throws InterruptedException {
    Wait wait =
        Wait.newBuilder()
            .setStep(next)
            .setKind(WaitKind.WAIT_KIND_RETRY)
            .setWakeAt(WireTimes.fromInstant(at))
            .build();
    call(
        WorkerRpc.SUSPEND,
        pass.claim().requests().suspend().addWaits(wait).setRelease(false).build(),
        call);
    Semaphore held = permits;
    if (held == null) {
      all.park(this, wait, at);
      return;
    }
    held.release();
    try {
      all.park(this, wait, at);
    } finally {
      held.acquireUninterruptibly();
    }
  }

  @Override
  public List<StepAttempt> siblings() {
    return all.locked(() ->
        group.stream()
            .filter(other -> !other.equals(this) && !other.done && !other.cancelled)
            .map(Branch::step)
            .toList());
  }

  /**
   * When it is settled itself and not before, so that none of them looks like the first failure.
   */
  @Override
  public void takeAlong(List<StepAttempt> siblings) {
    Set<String> keys = siblings.stream().map(StepAttempt::getStepKey).collect(Collectors.toSet());
    taken = group.stream().filter(other -> keys.contains(other.key())).toList();
  }
}
