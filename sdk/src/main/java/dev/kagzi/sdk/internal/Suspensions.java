package dev.kagzi.sdk.internal;

import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.WaitState;
import dev.kagzi.v1.WakeWhen;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What handing back a run says, and what the answer means. Call with the branches locked. */
final class Suspensions {

  private Suspensions() {}

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
