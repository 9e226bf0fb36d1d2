package dev.kagzi.sdk;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A task queue and how it copes, as the server saw it when it was asked. Immutable and thread-safe.
 *
 * @param name its name
 * @param ready runs that could be claimed now
 * @param oldestReadyAt since when the oldest of them could have been claimed; empty if none is
 *     ready
 * @param running runs that workers execute
 * @param sleeping runs that wait for a timer, an event or a child
 * @param retrying runs that wait for another attempt
 * @param areLowerBounds whether there may be more of them: counting stops at 10,000
 * @param workersOnline workers that serve the queue and take work
 * @param slotsUsed how many runs these hold
 * @param slotsTotal how many they hold at most
 * @param startedPerMinute runs that began, on average over the last five minutes
 * @param finishedPerMinute runs that ended, on average over the last five minutes
 * @param failedPerMinute those of them that failed
 * @param unserved what ready runs are of that no worker online serves
 */
public record QueueView(
    String name,
    long ready,
    Optional<Instant> oldestReadyAt,
    long running,
    long sleeping,
    long retrying,
    boolean areLowerBounds,
    int workersOnline,
    int slotsUsed,
    int slotsTotal,
    double startedPerMinute,
    double finishedPerMinute,
    double failedPerMinute,
    List<VersionedType> unserved) {

  public QueueView {
    unserved = List.copyOf(unserved);
  }
}
