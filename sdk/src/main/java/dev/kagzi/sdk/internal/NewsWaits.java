package dev.kagzi.sdk.internal;

import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitState;
import java.time.Instant;

/**
 * Waits for what happens outside of the run: an event, the end of a child. They are recorded when
 * they begin; the run is handed back when nothing of it executes, and otherwise the server tells
 * when one of them has ended. What it tells may be lost, so each is asked for again with every
 * heartbeat.
 */
final class NewsWaits {

  private final RunPass pass;
  private final Branches branches;
  private final SharedAsks shared;

  NewsWaits(RunPass pass, Branches branches) {
    this.pass = pass;
    this.branches = branches;
    this.shared = new SharedAsks(pass);
  }

  /** When a wait ends by itself; never, if it does not. */
  static Instant endOf(Wait wait) {
    return wait.hasWakeAt() ? WireTimes.toInstant(wait.getWakeAt()) : Instant.MAX;
  }

  private static Instant endOf(WaitState state) {
    return state.hasWakeAt() ? WireTimes.toInstant(state.getWakeAt()) : Instant.MAX;
  }

  /** The number of the attempt that a wait is: the one that is open, else the next. */
  static int attempt(StepCall step) {
    return Math.max(1, step.nextAttempt());
  }

  /** Waits on the workflow's own thread, and returns the settled step. */
  HistoryItem await(StepCall step, Wait wait) {
    HistoryItem recorded = step.recorded();
    if (recorded != null && recorded.getSettled()) {
      return settled(recorded);
    }
    pass.requireGoingOn();
    try {
      while (true) {
        branches.expectNews(step);
        boolean idle = branches.freezeIfIdle();
        WaitState state = ask(step, wait, idle);
        if (state.hasEnded()) {
          return settled(state.getEnded());
        }
        branches.awaitNews(endOf(state), idle);
        pass.requireGoingOn();
      }
    } finally {
      branches.expectNews((StepCall) null);
    }
  }

  /** A run with a branch that executes is not handed back; its wait is recorded nevertheless. */
  private WaitState ask(StepCall step, Wait wait, boolean release) {
    SuspendResponse response;
    try {
      response =
          pass.call(
              WorkerRpc.SUSPEND,
              pass.claim().requests().suspend().addWaits(wait).setRelease(release).build(),
              step);
    } finally {
      branches.thaw();
    }
    if (release && !response.getResume()) {
      throw pass.endWith(new PassEnd.Suspended("it waits in '%s'".formatted(step.key())));
    }
    pass.requireGoingOn();
    return response.getWaits(0);
  }

  /** Waits on the thread of a branch, and returns the settled step. */
  HistoryItem await(Branch branch, Wait wait) throws InterruptedException {
    HistoryItem recorded = branch.call().recorded();
    if (recorded != null && recorded.getSettled()) {
      return settled(recorded);
    }
    while (true) {
      branches.expectNews(branch);
      WaitState state = shared.ask(branch, wait);
      if (state.hasEnded()) {
        return settled(state.getEnded());
      }
      branches.park(branch, asRecorded(wait, state), endOf(state));
    }
  }

  private static Wait asRecorded(Wait wait, WaitState state) {
    return state.hasWakeAt() ? wait.toBuilder().setWakeAt(state.getWakeAt()).build() : wait;
  }

  /** What a wait has led to, unless it was given up because of another branch. */
  private HistoryItem settled(HistoryItem item) {
    StepRunner.requireNotCancelled(pass, item);
    return item;
  }
}
