package dev.kagzi.sdk.client;

import dev.kagzi.sdk.internal.ScheduleCalls;
import java.time.Instant;
import java.util.Optional;

/**
 * A schedule as it was when it was read. Immutable.
 *
 * @param id its id
 * @param name its name; empty if it has none
 * @param cron the cron expression
 * @param inWords the expression as people say it
 * @param zone the time zone in which it is meant
 * @param type the workflow that each tick starts
 * @param isPaused whether it does not fire now
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
    String type,
    boolean isPaused,
    Optional<Instant> next,
    Optional<String> lastRunId,
    String error) {

  static Schedule of(ScheduleCalls.View view) {
    return new Schedule(
        view.id(),
        view.name(),
        view.cron(),
        view.inWords(),
        view.zone(),
        view.type(),
        view.paused(),
        Optional.ofNullable(view.next()),
        Optional.of(view.lastRunId()).filter(id -> !id.isEmpty()),
        view.error());
  }
}
