package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the calls of workers to this server. When the last open one of a worker breaks off, the
 * worker is suspect: a living one reconnects at once, to whatever server, and gives a sign of life.
 * One that has not when the grace is over is dead, and its runs go to others.
 */
public final class WorkerPresence {

  private static final Logger log = LoggerFactory.getLogger(WorkerPresence.class);

  private final Recovery recovery;
  private final InstantSource clock;
  private final Timers timers;
  private final Duration grace;
  private final Executor executor = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentMap<WorkerId, Integer> openCalls = new ConcurrentHashMap<>();
  private volatile boolean closing;

  public WorkerPresence(Recovery recovery, InstantSource clock, Timers timers, Duration grace) {
    this.recovery = recovery;
    this.clock = clock;
    this.timers = timers;
    this.grace = grace;
  }

  /** A long call of a worker has begun. */
  public void callOpened(WorkerId worker) {
    openCalls.merge(worker, 1, Integer::sum);
  }

  /**
   * A long call of a worker has ended.
   *
   * @param brokenOff neither side had said that it would
   */
  public void callEnded(WorkerId worker, boolean brokenOff) {
    Integer left = openCalls.computeIfPresent(worker, (id, count) -> count == 1 ? null : count - 1);
    if (left == null && brokenOff && !closing) {
      Instant since = clock.instant();
      log.debug("worker {} is suspect: its last call broke off", worker);
      timers.after(grace, () -> executor.execute(() -> judge(worker, since)));
    }
  }

  private void judge(WorkerId worker, Instant suspectSince) {
    if (closing || openCalls.containsKey(worker)) {
      return;
    }
    try {
      recovery.declareDead(worker, suspectSince, "its connection ended");
    } catch (RuntimeException failure) {
      log.warn("worker {} could not be judged: {}", worker, failure.toString());
      // Its leases run out by themselves; nothing is lost but time.
    }
  }

  /** From now on calls end because this server goes down, which says nothing about the workers. */
  public void close() {
    closing = true;
  }
}
