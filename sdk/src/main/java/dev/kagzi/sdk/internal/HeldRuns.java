package dev.kagzi.sdk.internal;

import dev.kagzi.v1.RunNews;
import dev.kagzi.v1.RunStop;
import dev.kagzi.v1.StopReason;
import dev.kagzi.v1.WorkerNews;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that a worker holds now, by run and epoch: a run may come back to the same worker under
 * a new epoch before the old one's thread has ended. Thread-safe.
 */
final class HeldRuns {

  private static final Logger LOG = LoggerFactory.getLogger(HeldRuns.class);

  /** Runs that are claimed while somebody waits for this are looked at soon enough. */
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(5);

  private record Claim(String runId, int epoch) {}

  private final Map<Claim, HeldRun> runs = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition empty = lock.newCondition();

  /**
   * Takes a run in.
   *
   * @return false if it is held already: a poll that was repeated brings what the first one brought
   */
  boolean add(HeldRun run) {
    return runs.putIfAbsent(claim(run), run) == null;
  }

  void remove(HeldRun run) {
    runs.remove(claim(run));
    if (runs.isEmpty()) {
      lock.lock();
      try {
        empty.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private static Claim claim(HeldRun run) {
    return new Claim(run.runId(), run.epoch());
  }

  int size() {
    return runs.size();
  }

  /** The runs that go on; those that were stopped are given up, also if their threads linger. */
  List<HeldRun> live() {
    return runs.values().stream().filter(run -> run.stopReason() == null).toList();
  }

  /** Waits until nothing is held any more, and says whether that happened in time. */
  boolean awaitEmpty(Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      while (!runs.isEmpty()) {
        if (empty.awaitNanos(deadline.remaining().toNanos()) <= 0 && deadline.hasPassed()) {
          return runs.isEmpty();
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Stops what the server says is not this worker's any more. */
  void heed(WorkerNews news) {
    for (dev.kagzi.v1.HeldRun lost : news.getLostRunsList()) {
      stop(lost.getRunId(), lost.getLeaseEpoch(), "its lease has moved on");
    }
    for (RunStop stop : news.getStopsList()) {
      if (stop.getReason() == StopReason.STOP_REASON_STOP_REQUESTED) {
        requestStop(stop);
      } else {
        stop(stop.getRunId(), stop.getLeaseEpoch(), why(stop.getReason()));
      }
    }
  }

  /** Lets runs go on whose waits have ended. */
  void tellEnded(List<RunNews> waits) {
    for (RunNews ended : waits) {
      HeldRun run = runs.get(new Claim(ended.getRunId(), ended.getLeaseEpoch()));
      if (run != null) {
        run.tellNews(ended.getEndedStepKeysList());
      }
    }
  }

  /** Lets all runs look for themselves, because news may be lost. */
  void askForNews() {
    live().forEach(run -> run.tellNews(List.of()));
  }

  private static String why(StopReason reason) {
    return switch (reason) {
      case STOP_REASON_CANCELLED -> "it was cancelled";
      case STOP_REASON_TIMED_OUT -> "it timed out";
      default -> "it has ended";
    };
  }

  /** Only a run inside a saga gets such a request, and it keeps its lease. */
  private void requestStop(RunStop stop) {
    HeldRun run = runs.get(new Claim(stop.getRunId(), stop.getLeaseEpoch()));
    if (run != null) {
      run.requestStop(stop.getStopRequested());
    }
  }

  private void stop(String runId, int epoch, String why) {
    HeldRun run = runs.get(new Claim(runId, epoch));
    if (run != null && run.stop(why)) {
      LOG.info("Run {} stops on this worker: {}", runId, why);
    }
  }

  /** How often to beat so that the shortest lease is kept; never less often than told. */
  Duration beatInterval(Duration told) {
    Duration shortest = told;
    for (HeldRun run : runs.values()) {
      if (run.stopReason() == null && run.beatInterval().compareTo(shortest) < 0) {
        shortest = run.beatInterval();
      }
    }
    return shortest;
  }

  /** How long all leases can be trusted; a while if nothing is held. */
  Duration trustedFor() {
    Duration shortest = LONG_ENOUGH;
    for (HeldRun run : runs.values()) {
      if (run.stopReason() == null) {
        shortest = run.trustedUntil().atMost(shortest);
      }
    }
    return shortest;
  }

  /** Stops the runs whose lease this worker can no longer trust. */
  void stopUntrusted() {
    for (HeldRun run : runs.values()) {
      if (run.trustedUntil().hasPassed() && run.stop("no heartbeat was accepted in time")) {
        LOG.warn(
            "Run {} stops on this worker: no heartbeat was accepted before its lease ran out",
            run.runId());
      }
    }
  }
}
