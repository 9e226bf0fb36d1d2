package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The branches of one pass. A run with a branch that executes stays on this worker; when all that
 * are left only wait, it is handed back. Thread-safe; what waits belongs to the workflow's thread.
 */
final class Branches {

  /** What the server takes in one suspension; it has recorded the others before. */
  private static final int MOST_WAITS = 1000;

  private final RunPass pass;
  private final WorkerTools tools;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Branch> all = new ArrayList<>();
  private int driven;
  private int parked;
  private boolean frozen;
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

  private <R> R locked(Supplier<R> act) {
    lock.lock();
    try {
      return act.get();
    } finally {
      lock.unlock();
    }
  }

  private void locked(Runnable act) {
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

  /** Settles a branch with its recorded outcome. */
  void replay(Branch branch) {
    lock.lock();
    try {
      all.add(branch);
      driven++;
    } finally {
      lock.unlock();
    }
    branch.drive();
  }

  /** Begins branches, in this order. */
  void begin(List<Branch> fresh) {
    lock.lock();
    try {
      for (Branch branch : fresh) {
        all.add(branch);
        driven++;
        branch.driver =
            Thread.ofVirtual().name("kagzi-branch-" + branch.key()).unstarted(branch::drive);
      }
    } finally {
      lock.unlock();
    }
    fresh.forEach(Branch::start);
  }

  // What drivers say; called from their threads.

  void settle(Branch branch, @Nullable Object value, @Nullable RuntimeException failure) {
    locked(() -> {
      branch.done = true;
      branch.value = value;
      branch.failure = failure;
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
      Duration left = left(until);
      while (frozen || (!branch.nudged && left.isPositive())) {
        if (frozen) {
          branch.awake.await();
        } else {
          branch.awake.awaitNanos(left.toNanos());
        }
        left = left(until);
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

  private Duration left(Instant until) {
    return Duration.between(pass.claim().clock().now(), until);
  }

  List<StepAttempt> openSiblings(Branch branch) {
    return locked(() ->
        branch.group.stream()
            .filter(other -> isOpenSibling(branch, other))
            .map(Branch::step)
            .toList());
  }

  private static boolean isOpenSibling(Branch branch, Branch other) {
    return !other.equals(branch) && !other.done && !other.cancelled;
  }

  void cancelSiblings(Branch branch, List<StepAttempt> siblings) {
    Set<String> keys = siblings.stream().map(StepAttempt::getStepKey).collect(Collectors.toSet());
    lock.lock();
    try {
      cancel(branch.group.stream().filter(other -> keys.contains(other.key())).toList());
    } finally {
      lock.unlock();
    }
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
    pass.requireWorkflowThread();
    lock.lock();
    try {
      return branch.done;
    } finally {
      lock.unlock();
    }
  }

  /** What a branch that is over has led to. */
  @Nullable Object result(Branch branch) {
    RuntimeException failure = branch.failure;
    if (failure != null) {
      // The workflow wants to see where it waited, and not where the report was made.
      failure.fillInStackTrace();
      throw failure;
    }
    return branch.value;
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
    await(group, () -> group.stream().allMatch(branch -> branch.done));
  }

  void awaitAny(List<Branch> group) {
    await(group, () -> group.stream().anyMatch(branch -> branch.done));
  }

  void awaitFailureOrAll(List<Branch> group) {
    await(
        group,
        () ->
            group.stream().anyMatch(branch -> branch.failure != null)
                || group.stream().allMatch(branch -> branch.done));
  }

  /** Waits for what the workflow has begun and never waited for. */
  List<Branch> forgotten() {
    return locked(() -> all.stream().filter(branch -> !branch.awaited).toList());
  }

  private void await(List<Branch> group, BooleanSupplier reached) {
    pass.requireWorkflowThread();
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
      awaitChanges(reached);
    } catch (InterruptedException e) {
      throw stopped();
    } finally {
      held.endWait();
    }
  }

  private void awaitChanges(BooleanSupplier reached) throws InterruptedException {
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
          suspend();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nothing executes: hands the run back, unless something has become due meanwhile. */
  private void suspend() {
    List<Branch> waiting =
        all.stream()
            .filter(branch -> branch.parked != null)
            .sorted(Comparator.comparing(Branch::wakeAt))
            .limit(MOST_WAITS)
            .toList();
    if (waiting.isEmpty()) {
      throw new IllegalStateException(
          "Run %s waits for branches that nobody executes".formatted(pass.claim().runId()));
    }
    List<Wait> waits = new ArrayList<>();
    waiting.forEach(branch -> addWait(branch, waits));
    SuspendResponse response = ask(waiting.get(0).call(), waits);
    if (!response.getResume()) {
      throw pass.endWith(
          new PassEnd.Suspended(
              "its branches wait, '%s' until %s"
                  .formatted(waiting.get(0).key(), waiting.get(0).wakeAt())));
    }
    nudge(waiting, response);
  }

  private static void addWait(Branch branch, List<Wait> waits) {
    Wait wait = branch.parked;
    if (wait != null) {
      waits.add(wait);
    }
  }

  private SuspendResponse ask(StepCall first, List<Wait> waits) {
    frozen = true;
    lock.unlock();
    try {
      return pass.call(
          WorkerRpc.SUSPEND,
          pass.claim().requests().suspend().addAllWaits(waits).setRelease(true).build(),
          first);
    } finally {
      lock.lock();
      thaw();
    }
  }

  /** The earliest is due by the server's clock, which counts; from now on it executes. */
  private void nudge(List<Branch> waiting, SuspendResponse response) {
    Set<String> due = new HashSet<>();
    due.add(waiting.get(0).key());
    for (WaitState state : response.getWaitsList()) {
      if (state.hasEnded()) {
        due.add(state.getStepKey());
      }
    }
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

  /** Waits until no branch executes or this time has come. */
  void awaitIdle(Instant until) {
    HeldRun held = pass.claim().held();
    held.beginWait();
    try {
      lock.lockInterruptibly();
      try {
        Duration left = left(until);
        while (driven > parked && left.isPositive()) {
          changed.awaitNanos(left.toNanos());
          left = left(until);
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

  private WorkflowSuspended stopped() {
    WorkflowSuspended left = pass.interrupted();
    settleDown(0);
    return left;
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
