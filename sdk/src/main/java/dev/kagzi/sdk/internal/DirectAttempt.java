package dev.kagzi.sdk.internal;

import dev.kagzi.v1.FailStepRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that the thread of the run executes itself, so that nobody has to be woken for it. A
 * step that does not end when it is interrupted keeps this thread; it is then left behind together
 * with its pass, and another pass goes on with the run, as one would elsewhere after a crash.
 *
 * <p>Begun and ended by the thread of the run; looked at by the {@link StepWatch}, which owns the
 * fields that are neither final nor volatile.
 */
final class DirectAttempt implements StepWatch.Watched {

  /** What a step may take to heed that its time is over before its thread is left behind. */
  private static final Duration MOMENT = Duration.ofMillis(100);

  private enum Phase {
    RUNNING,
    OVER,
    LEFT
  }

  private final Attempt attempt;
  private final HeldRun held;
  private final Duration limit;
  private final Deadline end;
  private final Deadline noticeAt;
  private final StuckThreads stuck;
  private final Supplier<FailStepRequest> lastWords;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.RUNNING);
  private volatile boolean overdue;

  private boolean noticed;
  private boolean heardRequest;
  private boolean heardStop;
  private @Nullable Deadline leaveAt;

  /**
   * An attempt that has not begun.
   *
   * @param lastWords what to report if its time is over and it does not end
   */
  DirectAttempt(
      Attempt attempt, Duration limit, StuckThreads stuck, Supplier<FailStepRequest> lastWords) {
    this.attempt = attempt;
    this.held = attempt.pass().claim().held();
    this.limit = limit;
    this.stuck = stuck;
    this.lastWords = lastWords;
    this.end = Deadline.after(limit);
    Attempt.Notice notice = attempt.notice();
    this.noticed = notice == null;
    this.noticeAt = Deadline.after(notice == null ? limit : notice.after());
  }

  /** Does the work to its end. */
  @Nullable Object execute(StepWatch watch) throws ExecutionException, TimeoutException {
    watch.add(this);
    held.beginWait();
    try {
      attempt.workHere();
    } finally {
      watch.remove(this);
    }
    RunPass pass = attempt.pass();
    if (!phase.compareAndSet(Phase.RUNNING, Phase.OVER)) {
      // Somebody else goes on with the run, and everything about it is his.
      held.forget(Thread.currentThread());
      throw pass.endWith(new PassEnd.LeftBehind(attempt.key()));
    }
    held.endWait();
    // Whoever interrupted the step, or the step itself: what follows must not suffer. Who stops
    // the run says so before he interrupts.
    Thread.interrupted();
    if (held.stopReason() != null) {
      throw pass.interrupted();
    }
    if (overdue || end.hasPassed()) {
      throw attempt.overdue(limit);
    }
    try {
      return attempt.outcome();
    } catch (ExecutionException e) {
      if (pass.isToStop()) {
        // It was interrupted for that, so this says nothing about the step.
        throw pass.interrupted();
      }
      throw e;
    }
  }

  @Override
  public void look() {
    if (phase.get() != Phase.RUNNING) {
      return;
    }
    if (!noticed && noticeAt.hasPassed()) {
      noticed = true;
      attempt.giveNotice();
    }
    if (!overdue && end.hasPassed()) {
      overdue = true;
      attempt.interrupt();
      leaveWithin(MOMENT);
    }
    // The thread of the run was interrupted by who stopped it or asked it to stop.
    if (!heardStop && held.stopReason() != null) {
      heardStop = true;
      leaveWithin(StuckThreads.GRACE);
    }
    if (!heardRequest && held.stopRequest() != null) {
      heardRequest = true;
      leaveWithin(WorkflowSite.LAST_MOMENTS);
    }
    if (leaveAt != null && leaveAt.hasPassed()) {
      leave();
    }
  }

  private void leaveWithin(Duration patience) {
    Deadline then = Deadline.after(patience);
    if (leaveAt == null || then.remaining().compareTo(leaveAt.remaining()) < 0) {
      leaveAt = then;
    }
  }

  /** Without anybody who goes on with the run it stays where it is, until the next look. */
  private void leave() {
    if (!phase.compareAndSet(Phase.RUNNING, Phase.LEFT)) {
      return;
    }
    try {
      attempt.pass().handOn(overdue ? Optional.of(lastWords) : Optional.empty());
    } catch (RuntimeException | Error nobody) {
      phase.set(Phase.RUNNING);
      throw nobody;
    }
    stuck.lookAfter(attempt);
  }
}
