package dev.kagzi.sdk.internal;

import dev.kagzi.v1.StopRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run that this worker holds a lease on, from the claim until it is done with. Stopping it
 * interrupts its thread, once; whatever that brings afterwards is dropped. Being asked to stop is
 * another thing: the lease stays, and the thread is interrupted only while it waits for a step or a
 * retry, and not while it undoes its work. Thread-safe.
 */
final class HeldRun {

  /** The share of the lease by which a worker stops before the server may hand the run on. */
  private static final int MARGIN_DIVISOR = 10;

  /** A run outlives the loss of two beats in a row. */
  private static final int BEATS_PER_LEASE = 3;

  private final String runId;
  private final int epoch;
  private final Duration lease;
  private volatile long confirmedAtNanos;
  private volatile @Nullable String stopReason;
  private volatile @Nullable StopRequest stopRequest;
  private volatile Consumer<Collection<String>> newsListener = stepKeys -> {};
  private boolean finished;
  private boolean waiting;
  private int shields;
  private @Nullable Thread workflowThread;

  /**
   * A run that was just claimed.
   *
   * @param claimedAtNanos when the claim's answer arrived, by {@link System#nanoTime}
   */
  HeldRun(String runId, int epoch, Duration lease, long claimedAtNanos) {
    this.runId = runId;
    this.epoch = epoch;
    this.lease = lease;
    this.confirmedAtNanos = claimedAtNanos;
  }

  String runId() {
    return runId;
  }

  int epoch() {
    return epoch;
  }

  /** A heartbeat that named this run was accepted; it was sent at this time. */
  void confirm(long sentAtNanos) {
    confirmedAtNanos = sentAtNanos;
  }

  /** When this worker must stop trusting its lease, unless a heartbeat is accepted before. */
  Deadline trustedUntil() {
    return Deadline.after(confirmedAtNanos, lease.minus(lease.dividedBy(MARGIN_DIVISOR)));
  }

  /** How often this run wants a heartbeat, whatever the other runs of the worker want. */
  Duration beatInterval() {
    return lease.dividedBy(BEATS_PER_LEASE);
  }

  /**
   * The thread that executes the workflow, and its steps or passes an interruption on to them. One
   * that had it before has been left behind.
   */
  synchronized void workOn(Thread thread) {
    workflowThread = thread;
    waiting = false;
    shields = 0;
    if (stopReason != null) {
      thread.interrupt();
    }
  }

  /** A thread that was left behind comes back, and may soon work for somebody else. */
  synchronized void forget(Thread thread) {
    if (thread.equals(workflowThread)) {
      workflowThread = null;
    }
    Thread.interrupted();
  }

  /**
   * Stops the run on this worker.
   *
   * @param reason why, for the log
   * @return whether it went on until now
   */
  synchronized boolean stop(String reason) {
    if (finished || stopReason != null) {
      return false;
    }
    stopReason = reason;
    if (workflowThread != null) {
      workflowThread.interrupt();
    }
    return true;
  }

  /** The run is asked to undo its work and to end; the first request stands. */
  synchronized void requestStop(StopRequest request) {
    if (finished || stopRequest != null) {
      return;
    }
    stopRequest = request;
    if (waiting && shields == 0 && workflowThread != null) {
      workflowThread.interrupt();
    }
  }

  /** From now on somebody hears of waits of the run that may have ended; must not block. */
  void onNews(Consumer<Collection<String>> listener) {
    newsListener = listener;
  }

  /**
   * Waits of the run may have ended.
   *
   * @param stepKeys which; empty means any
   */
  void tellNews(Collection<String> stepKeys) {
    newsListener.accept(stepKeys);
  }

  /** What the run was asked for, or {@code null} while nobody wants it to stop. */
  @Nullable StopRequest stopRequest() {
    return stopRequest;
  }

  /** The workflow's thread begins a wait that a request to stop may cut short. */
  synchronized void beginWait() {
    waiting = true;
    if (stopRequest != null && shields == 0) {
      Thread.currentThread().interrupt();
    }
  }

  /** The wait is over; an interruption that came too late for it must not hit what follows. */
  synchronized void endWait() {
    waiting = false;
    if (stopRequest != null && stopReason == null) {
      Thread.interrupted();
    }
  }

  /**
   * From now on no request to stop interrupts the run, because it undoes its work. Who interrupted
   * the calling thread before, and not to stop the run, must not keep it from that either.
   */
  synchronized void shield() {
    shields++;
    if (stopReason == null) {
      Thread.interrupted();
    }
  }

  /** Ends what {@link #shield} began. */
  synchronized void unshield() {
    shields--;
  }

  /** The server has what this worker had to say about the run; there is nothing left to stop. */
  synchronized void finish() {
    finished = true;
  }

  /** Why the run was stopped, or {@code null} while it goes on. */
  @Nullable String stopReason() {
    return stopReason;
  }
}
