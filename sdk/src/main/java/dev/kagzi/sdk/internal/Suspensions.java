package dev.kagzi.sdk.internal;

import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.WaitState;
import dev.kagzi.v1.WakeWhen;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What handing back a run says, and what the answer means. Call with the branches locked. */
final class Suspensions {

  /** What the server takes in one suspension; it has recorded the others before. */
  private static final int MOST_WAITS = 10_000;

  private Suspensions() {}

  /** The branches that wait, those that wake first in front. */
  static List<Branch> waiting(List<Branch> all) {
    return all.stream()
        .filter(branch -> branch.parked != null)
        .sorted(Comparator.comparing(Branch::wakeAt))
        .limit(MOST_WAITS)
        .toList();
  }

  /** Hands the run back until one of the branches can go on. */
  static SuspendRequest release(RunRequests requests, List<Branch> waiting, WakeWhen wakeWhen) {
    return requests
        .suspend()
        .addAllWaits(waiting.stream().flatMap(branch -> Stream.ofNullable(branch.parked)).toList())
        .setRelease(true)
        .setWakeWhen(wakeWhen)
        .build();
  }

  /**
   * The server counts all waits for news of the run: those that nobody waits for here must not keep
   * the run asleep.
   */
  static WakeWhen wakeWhen(List<Branch> all, Collection<Branch> group, WakeWhen wanted) {
    Set<Branch> awaited = new HashSet<>(group);
    boolean others =
        all.stream()
            .anyMatch(branch ->
                branch.parked != null
                    && branch.call().isEndedByNews()
                    && !awaited.contains(branch));
    return others ? WakeWhen.WAKE_WHEN_UNSPECIFIED : wanted;
  }

  /** The keys of what can go on: the earliest is due by the server's clock, which counts. */
  static Set<String> due(List<Branch> waiting, SuspendResponse response) {
    Set<String> due = new HashSet<>();
    if (!waiting.get(0).wakeAt().equals(Instant.MAX)) {
      due.add(waiting.get(0).key());
    }
    for (WaitState state : response.getWaitsList()) {
      if (state.hasEnded()) {
        due.add(state.getStepKey());
      }
    }
    return due;
  }
}
