package dev.kagzi.sdk.client;

import dev.kagzi.sdk.internal.ScheduleCalls;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A schedule as it was when it was read. Immutable.
 *
 * @param id its id
 * @param name its name; empty if it has none
 * @param cron the cron expression
 * @param inWords the expression as people say it
 * @param zone the time zone in which it is meant
 * @param maxCatchup how many missed ticks it catches up at most
 * @param overlap what happens to a tick while a run is live
 * @param description words for people; may be empty
 * @param type the workflow that each tick starts
 * @param queue the task queue of the runs; empty for the home queue of the type at each tick
 * @param version the version of the runs; empty for the default of the type at each tick
 * @param labels what the runs can be found by
 * @param isPaused whether it does not fire now
 * @param pauseReason why it was paused; empty if nobody said
 * @param next when it fires next; empty while it is paused
 * @param lastRunId the run of its newest tick; empty before the first
 * @param error why it cannot fire; empty if it can
 */
public record Schedule(
    String id,
    String name,
    String cron,
    String inWords,
    String zone,
    int maxCatchup,
    Overlap overlap,
    String description,
    String type,
    String queue,
    String version,
    Map<String, String> labels,
    boolean isPaused,
    String pauseReason,
    Optional<Instant> next,
    Optional<String> lastRunId,
    String error) {

  public Schedule {
    labels = Map.copyOf(labels);
  }

  static Schedule of(ScheduleCalls.View view) {
    return new Schedule(
        view.id(),
        view.name(),
        view.cron(),
        view.inWords(),
        view.zone(),
        view.maxCatchup(),
        Overlap.valueOf(view.overlap()),
        view.description(),
        view.type(),
        view.queue(),
        view.version(),
        view.labels(),
        view.paused(),
        view.pauseReason(),
        Optional.ofNullable(view.next()),
        Optional.of(view.lastRunId()).filter(id -> !id.isEmpty()),
        view.error());
  }
}
