package dev.kagzi.engine.loop;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.operation.Firings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires the schedules that are due, each in a transaction of its own. Every server does; a schedule
 * is handled by one at a time. Thread-safe.
 */
public final class ScheduleFirer {

  private static final Logger log = LoggerFactory.getLogger(ScheduleFirer.class);

  private final Firings firings;
  private final int maxSchedules;
  private final int maxRuns;
  private final ReentrantLock turn = new ReentrantLock();

  /**
   * Makes it.
   *
   * @param maxSchedules handled between two looks at what is due
   * @param maxRuns started by one call; the rest follows with the next
   */
  public ScheduleFirer(Firings firings, int maxSchedules, int maxRuns) {
    this.firings = firings;
    this.maxSchedules = maxSchedules;
    this.maxRuns = maxRuns;
  }

  /**
   * Fires what is due and returns how many runs it started. A schedule that fails keeps no other
   * waiting; its failure is told after all the rest, unless the database is gone.
   */
  public int runOnce(Instant now) {
    turn.lock();
    try {
      return fireAll(now);
    } finally {
      turn.unlock();
    }
  }

  /**
   * Each schedule gets one transaction in a turn, so that one with many ticks keeps no other
   * waiting; what it has left is still due afterwards.
   */
  private int fireAll(Instant now) {
    int started = 0;
    List<RuntimeException> failures = new ArrayList<>();
    Set<RunId> seen = new HashSet<>();
    List<RunId> due = firings.due(now, maxSchedules);
    while (!due.isEmpty() && started < maxRuns) {
      for (RunId scheduleId : due) {
        if (started < maxRuns && seen.add(scheduleId)) {
          started += fire(scheduleId, now, maxRuns - started, failures);
        }
      }
      due = firings.due(now, seen.size() + maxSchedules);
      due.removeIf(seen::contains);
    }
    if (!failures.isEmpty()) {
      throw failures.getLast();
    }
    return started;
  }

  private int fire(RunId scheduleId, Instant now, int mostRuns, List<RuntimeException> failures) {
    try {
      return firings.fire(scheduleId, now, mostRuns);
    } catch (RuntimeException failure) {
      if (failure instanceof DatabaseException lost && lost.isConnectionLost()) {
        // All others would wait as long, to be told the same.
        throw failure;
      }
      // Only here is it known which schedule it was.
      log.warn("schedule {} is tried again later: {}", scheduleId, failure.toString());
      failures.add(failure);
      return 0;
    }
  }
}
