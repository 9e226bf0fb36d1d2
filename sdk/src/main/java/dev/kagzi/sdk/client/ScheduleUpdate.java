package dev.kagzi.sdk.client;

import dev.kagzi.sdk.internal.ScheduleCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A change of a schedule that is being described; {@link #send} makes it happen. What is not
 * mentioned stays as it is, and so do the runs that were started. Not thread-safe.
 *
 * @param <I> the input of the workflow
 */
public final class ScheduleUpdate<I extends @Nullable Object>
    extends ScheduleSettings<I, ScheduleUpdate<I>> {

  private final ScheduleCalls calls;
  private final String id;

  ScheduleUpdate(
      ScheduleCalls calls, PayloadCodec codec, String id, @Nullable String type, Type inputType) {
    super(codec, inputType);
    this.calls = calls;
    this.id = id;
    if (type != null) {
      call.run().type(type);
    }
  }

  @Override
  ScheduleUpdate<I> self() {
    return this;
  }

  /**
   * Another cron expression. It counts from now on: ticks that are overdue by the old one are not
   * fired any more.
   *
   * @param value 5 fields, 6 with the seconds first, or 7 with the year last
   */
  public ScheduleUpdate<I> cron(String value) {
    call.cron(value);
    return this;
  }

  /**
   * Drops what the schedule has said so far about its runs: input, queue, version, labels, retry
   * policy, time limits and failure handler. They have their defaults again, except for what this
   * change says, before or after.
   */
  public ScheduleUpdate<I> resetRun() {
    call.run().forget();
    return this;
  }

  /**
   * Changes the schedule. A server takes the description of the runs only as a whole, so it is read
   * first and sent back with the change: of two changes of it at the same moment one may be lost.
   *
   * @return the schedule after the change
   * @throws dev.kagzi.sdk.RequestRefusedException if there is no such schedule ({@code
   *     SCHEDULE_NOT_FOUND}), the expression or the time zone cannot be read ({@code BAD_CRON}), or
   *     another schedule has the name ({@code SCHEDULE_EXISTS})
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers; the change may have
   *     happened nevertheless
   */
  public Schedule send() {
    return Schedule.of(calls.update(id, call));
  }
}
