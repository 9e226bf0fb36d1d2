package dev.kagzi.engine.domain;

import java.time.Duration;
import java.util.List;

/**
 * What waits in the queues of all namespaces, as far as one look goes.
 *
 * @param schedulesLate schedules that should have fired a while ago
 */
public record Backlog(List<Queue> queues, int schedulesLate) {

  /**
   * One of the queues.
   *
   * @param ready runs that could be claimed now, or as many of them as were counted
   * @param oldestAge for how long the oldest of them could have been; zero if there is none
   */
  public record Queue(QueueKey key, long ready, Duration oldestAge, int workersOnline) {}

  public Backlog {
    queues = List.copyOf(queues);
  }
}
