package dev.kagzi.sdk.client;

import dev.kagzi.core.Names;
import dev.kagzi.sdk.Page;
import dev.kagzi.sdk.ScheduleFiring;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.internal.ScheduleCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Schedules start runs at cron times, once per tick however many servers there are. Wherever an id
 * is asked for, the schedule's name does as well. Thread-safe.
 */
public final class Schedules {

  private final ScheduleCalls calls;
  private final PayloadCodec codec;

  Schedules(ScheduleCalls calls, PayloadCodec codec) {
    this.calls = calls;
    this.codec = codec;
  }

  /**
   * Describes a schedule, checked by the compiler.
   *
   * @param cron 5 fields, 6 with the seconds first, or 7 with the year last
   */
  public <I extends @Nullable Object, O extends @Nullable Object> ScheduleBuilder<I> create(
      WorkflowType<I, O> type, String cron) {
    return new ScheduleBuilder<>(calls, codec, type.name(), type.input().type(), cron);
  }

  /**
   * Describes a schedule by the name of its workflow.
   *
   * @param cron 5 fields, 6 with the seconds first, or 7 with the year last
   */
  public ScheduleBuilder<@Nullable Object> create(String type, String cron) {
    return new ScheduleBuilder<>(
        calls, codec, Names.check("workflow type", type), Object.class, cron);
  }

  /**
   * Describes a change of a schedule; what is not mentioned stays as it is.
   *
   * @param id its id or name
   */
  public ScheduleUpdate<@Nullable Object> update(String id) {
    return new ScheduleUpdate<>(calls, codec, id, null, Object.class);
  }

  /**
   * Describes a change of a schedule, checked by the compiler. Its ticks start this workflow from
   * now on, whether or not they did so before.
   *
   * @param id its id or name
   */
  public <I extends @Nullable Object, O extends @Nullable Object> ScheduleUpdate<I> update(
      String id, WorkflowType<I, O> type) {
    return new ScheduleUpdate<>(calls, codec, id, type.name(), type.input().type());
  }

  /**
   * A schedule as it is now.
   *
   * @throws dev.kagzi.sdk.RequestRefusedException if there is no such schedule ({@code
   *     SCHEDULE_NOT_FOUND})
   */
  public Schedule get(String id) {
    return Schedule.of(calls.get(id));
  }

  /** All schedules of the namespace, newest first. */
  public Listing<Schedule> list() {
    return new Listing<>((size, token) -> {
      var page = calls.list(size, token);
      return new Page<>(page.items().stream().map(Schedule::of).toList(), page.next());
    });
  }

  /**
   * What became of the ticks of a schedule, newest first, those that were skipped included.
   *
   * @param id its id or name
   */
  public Listing<ScheduleFiring> history(String id) {
    return new Listing<>((size, token) -> calls.history(id, null, size, token));
  }

  /**
   * Those ticks of a schedule that came to one outcome, newest first.
   *
   * @param id its id or name
   * @throws IllegalArgumentException if the outcome is {@link ScheduleFiring.Outcome#UNKNOWN}
   */
  public Listing<ScheduleFiring> history(String id, ScheduleFiring.Outcome outcome) {
    if (outcome == ScheduleFiring.Outcome.UNKNOWN) {
      throw new IllegalArgumentException("outcome: UNKNOWN (expected: FIRED or SKIPPED)");
    }
    return new Listing<>((size, token) -> calls.history(id, outcome, size, token));
  }

  /** Keeps a schedule from firing. Safe to repeat. */
  public Schedule pause(String id, String reason) {
    return Schedule.of(calls.pause(id, reason));
  }

  /** Lets a schedule fire again; it catches up on what it missed. Safe to repeat. */
  public Schedule resume(String id) {
    return Schedule.of(calls.resume(id));
  }

  /**
   * Starts a run now, outside the cron times, also while the schedule is paused.
   *
   * @return the run's id; empty if {@link Overlap#SKIP} kept it from starting
   */
  public Optional<String> trigger(String id) {
    return Optional.of(calls.trigger(id)).filter(run -> !run.isEmpty());
  }

  /**
   * Fires the ticks of a past window that have not been fired. Safe to repeat.
   *
   * @param from where the window begins, not in it
   * @param to where it ends, in it; not in the future
   * @return the ids of the runs that were started
   */
  public List<String> backfill(String id, Instant from, Instant to) {
    return calls.backfill(id, from, to);
  }

  /**
   * Deletes a schedule; its runs stay. Safe to repeat.
   *
   * @return whether there was one
   */
  public boolean delete(String id) {
    return calls.delete(id);
  }

  /** When a schedule fires next, as if it were not paused; fewer if no more times are left. */
  public List<Instant> next(String id, int count) {
    return calls.next(id, count);
  }

  /**
   * When a cron expression would fire next, before a schedule uses it.
   *
   * @param cron 5 fields, 6 with the seconds first, or 7 with the year last
   * @param zone the time zone in which it is meant
   * @param count how many times, 1 to 1000; fewer come back if no more are left
   * @throws dev.kagzi.sdk.RequestRefusedException if the expression cannot be read ({@code
   *     BAD_CRON})
   */
  public List<Instant> preview(String cron, ZoneId zone, int count) {
    return calls.preview(cron, zone.getId(), count);
  }
}
