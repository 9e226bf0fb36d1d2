package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the calls of workers to this server. When the last open one of a worker breaks off, the
 * worker is suspect: a living one reconnects at once, to whatever server, and opens a stream with a
 * newer number or gives another sign of life. One that has not when the grace is over is dead, and
 * its runs go to others. How late this server notices the end of a connection does not matter.
 */
public final class WorkerPresence {

  private static final Logger log = LoggerFactory.getLogger(WorkerPresence.class);

  /**
   * A worker's open calls here.
   *
   * @param stream the highest number of a stream it opened to this server; 0 if it opened none
   */
  private record Calls(int open, long stream) {}

  private final Workers workers;
  private final Recovery recovery;
  private final InstantSource clock;
  private final Timers timers;
  private final Duration grace;
  private final Executor executor = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentMap<WorkerId, Calls> calls = new ConcurrentHashMap<>();
  private volatile boolean closing;

  public WorkerPresence(
      Workers workers, Recovery recovery, InstantSource clock, Timers timers, Duration grace) {
    this.workers = workers;
    this.recovery = recovery;
    this.clock = clock;
    this.timers = timers;
    this.grace = grace;
  }

  /**
   * A stream of a worker has begun. Asks the database for its number.
   *
   * @return false if its namespace has no such worker: then the stream says nothing about anybody
   */
  public boolean streamOpened(String namespace, WorkerId worker) {
    Optional<Long> stream = workers.streamOpened(namespace, worker);
    stream.ifPresent(number -> opened(worker, number));
    return stream.isPresent();
  }

  /** A long call of a worker has begun that is no stream. */
  public void callOpened(WorkerId worker) {
    opened(worker, 0);
  }

  private void opened(WorkerId worker, long stream) {
    calls.merge(
        worker,
        new Calls(1, stream),
        (old, more) -> new Calls(old.open() + 1, Math.max(old.stream(), more.stream())));
  }

  /**
   * A long call of a worker has ended.
   *
   * @param brokenOff neither side had said that it would
   */
  public void callEnded(WorkerId worker, boolean brokenOff) {
    long[] lastStream = {-1};
    calls.computeIfPresent(
        worker,
        (id, known) -> {
          if (known.open() > 1) {
            return new Calls(known.open() - 1, known.stream());
          }
          lastStream[0] = known.stream();
          return null;
        });
    if (lastStream[0] >= 0 && brokenOff && !closing) {
      Instant since = clock.instant();
      log.debug("worker {} is suspect: its last call broke off", worker);
      timers.after(grace, () -> executor.execute(() -> judge(worker, since, lastStream[0])));
    }
  }

  private void judge(WorkerId worker, Instant suspectSince, long stream) {
    if (closing || calls.containsKey(worker)) {
      return;
    }
    try {
      recovery.declareDead(worker, suspectSince, stream, "its connection ended");
    } catch (RuntimeException failure) {
      // Its leases run out by themselves; nothing is lost but time.
      log.warn("worker {} could not be judged: {}", worker, failure.toString());
    }
  }

  /** From now on calls end because this server goes down, which says nothing about the workers. */
  public void close() {
    closing = true;
  }
}
