package dev.kagzi.sdk.client;

import dev.kagzi.core.Names;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.internal.ScheduleCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.time.Instant;
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

  /** A schedule as it is now. */
  public Schedule get(String id) {
    return Schedule.of(calls.get(id));
  }

  /** All schedules of the namespace, newest first. */
  public List<Schedule> list() {
    return calls.list().stream().map(Schedule::of).toList();
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
}
