package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WakeWhen;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The branches of one pass. A run with a branch that executes stays on this worker; when all that
 * are left only wait, it is handed back. Thread-safe; what waits belongs to the workflow's thread.
 */
final class Branches {

  private static final Duration LONGEST_WAIT = Duration.ofHours(1);

  private final RunPass pass;
  private final WorkerTools tools;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Branch> all = new ArrayList<>();
  private int driven;
  private int parked;
  private boolean frozen;
  private @Nullable StepCall awaited;
  private boolean news;
  private boolean abandoned;
  private @Nullable PassEnd end;

  Branches(RunPass pass, WorkerTools tools) {
    this.pass = pass;
    this.tools = tools;
  }

  RunPass pass() {
    return pass;
  }

  WorkerTools tools() {
    return tools;
  }

  <R> R locked(Supplier<R> act) {
    lock.lock();
    try {
      return act.get();
    } finally {
      lock.unlock();
    }
  }

  void locked(Runnable act) {
    lock.lock();
    try {
      act.run();
    } finally {
      lock.unlock();
    }
  }

  /** A branch that is not begun yet. */
  Branch create(StepCall call, StepAttempt step, Branch.Work work) {
    return new Branch(this, call, step, lock.newCondition(), work);
  }

  /** Settles a branch whose outcome is known, here and now. */
  void replay(Branch branch) {
    locked(() -> {
      all.add(branch);
      driven++;
    });
    branch.drive();
  }

  /** Begins branches, in this order. */
  void begin(List<Branch> fresh) {
    locked(() -> {
      for (Branch branch : fresh) {
        all.add(branch);
        driven++;
        branch.driver =
            Thread.ofVirtual().name("kagzi-branch-" + branch.key()).unstarted(branch::drive);
      }
    });
    fresh.forEach(Branch::start);
  }

  /** Knows of branches that nobody drives, because the run is to stop. */
  void leaveAlone(List<Branch> fresh) {
    locked(() -> {
      all.addAll(fresh);
    });
  }

  // What drivers say; called from their threads.

  void settle(Branch branch, @Nullable Object value, @Nullable RuntimeException failure) {
    locked(() -> {
      branch.done = true;
      branch.value = value;
      branch.failure = failure;
      cancel(branch.taken);
      endDriver(branch);
    });
  }

  /** A driver ends without an outcome of its own. */
  void leave(Branch branch) {
    locked(() -> {
      if (branch.cancelled || branch.leaving) {
        branch.done = true;
        branch.failure = Branch.cancelled(branch.key(), branch.step().getAttempt());
      }
      endDriver(branch);
    });
  }

  private void endDriver(Branch branch) {
    branch.driver = null;
    branch.execution = null;
    driven--;
    changed.signalAll();
  }

  /** The run is not this worker's any more. */
  void end(PassEnd how) {
    locked(() -> {
      end = how;
      changed.signalAll();
    });
  }

  boolean isOver(Branch branch) {
    return locked(() -> abandoned || branch.cancelled || branch.leaving);
  }

  /** From now on the driver may be interrupted. */
  void beginWait(Branch branch, @Nullable Attempt execution) throws InterruptedException {
    lock.lock();
    try {
      if (abandoned || branch.cancelled || branch.leaving) {
        throw new InterruptedException();
      }
      branch.interruptible = true;
      branch.execution = execution;
    } finally {
      lock.unlock();
    }
  }

  /** An interruption that came too late for the wait must not hit the report that follows. */
  void endWait(Branch branch) {
    locked(() -> {
      branch.interruptible = false;
      branch.execution = null;
      if (!abandoned) {
        Thread.interrupted();
      }
    });
  }

  /** Waits without executing anything; the run may be handed back meanwhile. */
  void park(Branch branch, Wait wait, Instant until) throws InterruptedException {
    beginWait(branch, null);
    lock.lock();
    try {
      branch.parked = wait;
      branch.nudged = false;
      parked++;
      changed.signalAll();
      long left = nanosUntil(until);
      while (frozen || (!branch.nudged && !branch.news && left > 0)) {
        if (frozen) {
          branch.awake.await();
        } else {
          branch.awake.awaitNanos(left);
        }
        left = nanosUntil(until);
      }
    } finally {
      unpark(branch);
      lock.unlock();
      endWait(branch);
    }
  }

  private void unpark(Branch branch) {
    if (branch.parked != null) {
      branch.parked = null;
      parked--;
    }
  }

  /** As long as one may wait at once; a wait without an end is made of many. */
  private long nanosUntil(Instant until) {
    Duration left = Duration.between(pass.claim().clock().now(), until);
    return (left.compareTo(LONGEST_WAIT) < 0 ? left : LONGEST_WAIT).toNanos();
  }

  /** What a branch is told from now on, it has not heard before it asks. */
  void expectNews(Branch branch) {
    locked(() -> {
      branch.news = false;
    });
  }

  /** The same for the workflow's own wait. */
  void expectNews(@Nullable StepCall own) {
    locked(() -> {
      awaited = own;
      news = false;
    });
  }

  /**
   * Waits for events or children may have ended: whoever is in one asks again. Called from any
   * thread.
   *
   * @param stepKeys which; empty means any
   */
  void heedNews(Collection<String> stepKeys) {
    locked(() -> {
      for (Branch branch : all) {
        if (!branch.done && concerns(stepKeys, branch.call())) {
          branch.news = true;
          branch.awake.signal();
        }
      }
      if (awaited != null && concerns(stepKeys, awaited)) {
        news = true;
        changed.signalAll();
      }
    });
  }

  private static boolean concerns(Collection<String> stepKeys, StepCall call) {
    return call.isEndedByNews() && (stepKeys.isEmpty() || stepKeys.contains(call.key().value()));
  }

  // What the workflow asks for; called from its thread.

  /** Gives up branches that the server has settled as cancelled. */
  void cancel(Collection<Branch> pointless) {
    locked(() -> {
      for (Branch branch : pointless) {
        if (!branch.done) {
          branch.cancelled = true;
          branch.interruptIfWaiting();
        }
      }
    });
  }

  boolean isDone(Branch branch) {
    pass.look();
    return locked(() -> branch.done);
  }

  /** From now on the first of these to fail takes the others with it. */
  void bind(List<Branch> group) {
    locked(() -> {
      group.forEach(branch -> branch.group = group);
    });
  }

  /** Those that are not over. */
  List<Branch> open(List<Branch> group) {
    return locked(
        () -> group.stream().filter(branch -> !branch.done && !branch.cancelled).toList());
  }

  void awaitAll(List<Branch> group) {
    await(group, WakeWhen.WAKE_WHEN_ALL, () -> group.stream().allMatch(branch -> branch.done));
  }

  void awaitAny(List<Branch> group) {
    await(
        group,
        WakeWhen.WAKE_WHEN_UNSPECIFIED,
        () -> group.stream().anyMatch(branch -> branch.done));
  }

  void awaitFailureOrAll(List<Branch> group) {
    await(
        group,
        WakeWhen.WAKE_WHEN_ALL_OR_FAILED,
        () ->
            group.stream().anyMatch(branch -> branch.failure != null)
                || group.stream().allMatch(branch -> branch.done));
  }

  /** Waits for what the workflow has begun and never waited for. */
  List<Branch> forgotten() {
    return locked(() -> all.stream().filter(branch -> !branch.awaited).toList());
  }

  private void await(List<Branch> group, WakeWhen wakeWhen, BooleanSupplier reached) {
    pass.look();
    pass.requireOpen();
    lock.lock();
    try {
      group.forEach(branch -> branch.awaited = true);
      if (reached.getAsBoolean()) {
        return;
      }
    } finally {
      lock.unlock();
    }
    HeldRun held = pass.claim().held();
    held.beginWait();
    try {
      awaitChanges(group, wakeWhen, reached);
    } catch (InterruptedException e) {
      throw stopped();
    } finally {
      held.endWait();
    }
  }

  private void awaitChanges(List<Branch> group, WakeWhen wakeWhen, BooleanSupplier reached)
      throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!reached.getAsBoolean()) {
        if (end != null) {
          throw pass.endWith(end);
        }
        pass.requireGoingOn();
        if (driven > parked) {
          changed.await();
        } else {
          suspend(Suspensions.wakeWhen(all, group, wakeWhen));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nothing executes: hands the run back, unless something has become due meanwhile. */
  private void suspend(WakeWhen wakeWhen) {
    List<Branch> waiting = Suspensions.waiting(all);
    if (waiting.isEmpty()) {
      throw new IllegalStateException(
          "Run %s waits for branches that nobody executes".formatted(pass.claim().runId()));
    }
    SuspendResponse response = ask(waiting, wakeWhen);
    if (!response.getResume()) {
      throw pass.endWith(
          new PassEnd.Suspended(
              "its branches wait, '%s' %s"
                  .formatted(waiting.get(0).key(), waiting.get(0).until())));
    }
    nudge(waiting, response);
  }

  private SuspendResponse ask(List<Branch> waiting, WakeWhen wakeWhen) {
    var request = Suspensions.release(pass.claim().requests(), waiting, wakeWhen);
    frozen = true;
    lock.unlock();
    try {
      return pass.call(WorkerRpc.SUSPEND, request, waiting.get(0).call());
    } finally {
      lock.lock();
      thaw();
    }
  }

  /** What is due executes from now on. */
  private void nudge(List<Branch> waiting, SuspendResponse response) {
    Set<String> due = Suspensions.due(waiting, response);
    for (Branch branch : waiting) {
      if (due.contains(branch.key())) {
        branch.nudged = true;
        unpark(branch);
        branch.awake.signal();
      }
    }
  }

  /** Keeps branches from going on while the run may be handed back; says whether none executes. */
  boolean freezeIfIdle() {
    return locked(() -> {
      frozen = driven == parked;
      return frozen;
    });
  }

  /** Ends what {@link #freezeIfIdle} began. */
  void thaw() {
    locked(() -> {
      frozen = false;
      all.forEach(branch -> branch.awake.signal());
    });
  }

  /** Waits until no branch executes, news has come that was expected, or this time has come. */
  void awaitIdle(Instant until) {
    awaitNews(until, false);
  }

  /** The same, whether or not a branch executes if the run is kept on. */
  void awaitNews(Instant until, boolean keptOn) {
    HeldRun held = pass.claim().held();
    held.beginWait();
    try {
      lock.lockInterruptibly();
      try {
        long left = nanosUntil(until);
        while ((keptOn || driven > parked) && !news && left > 0) {
          changed.awaitNanos(left);
          left = nanosUntil(until);
        }
      } finally {
        lock.unlock();
      }
    } catch (InterruptedException e) {
      throw stopped();
    } finally {
      held.endWait();
    }
  }

  /** The workflow was interrupted in a wait. */
  WorkflowSuspended stopped() {
    WorkflowSuspended left = pass.interrupted();
    settleDown(0);
    return left;
  }

  /** Whether none is driven: what has been begun is over. */
  boolean areOver() {
    return locked(() -> driven == 0);
  }

  /** How many have been begun, to tell later ones from. */
  int count() {
    return locked(() -> all.size());
  }

  /**
   * What was begun after so many others is interrupted and gets a moment to end, because its work
   * will be undone; what it still returns counts, and nobody waits for it any more. Returns the
   * branches that have no outcome.
   */
  List<Branch> settleDown(int after) {
    lock.lock();
    try {
      List<Branch> begun = all.subList(after, all.size());
      begun.forEach(branch -> branch.awaited = true);
      List<Branch> open = begun.stream().filter(branch -> !branch.done).toList();
      open.forEach(branch -> branch.leaving = true);
      if (pass.claim().held().stopReason() == null) {
        open.forEach(Branch::interruptExecution);
        awaitDrivers(open);
      }
      open.forEach(Branch::interruptDriver);
      return open.stream().filter(branch -> !branch.done || branch.wasCancelled()).toList();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  private void awaitDrivers(List<Branch> leaving) throws InterruptedException {
    long left = WorkflowSite.LAST_MOMENTS.toNanos();
    while (left > 0 && leaving.stream().anyMatch(branch -> branch.driver != null)) {
      left = changed.awaitNanos(left);
    }
  }

  /** Leaves everything that goes on; nothing more is reported. */
  void abandon() {
    locked(() -> {
      abandoned = true;
      all.forEach(Branch::interruptDriver);
    });
  }
}
