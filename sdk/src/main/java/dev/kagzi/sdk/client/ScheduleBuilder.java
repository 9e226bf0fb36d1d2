package dev.kagzi.sdk.client;

import dev.kagzi.sdk.internal.ScheduleCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A schedule that is being described; {@link #send} creates it. Not thread-safe.
 *
 * @param <I> the input of the workflow
 */
public final class ScheduleBuilder<I extends @Nullable Object>
    extends ScheduleSettings<I, ScheduleBuilder<I>> {

  private final ScheduleCalls calls;
  private boolean paused;

  ScheduleBuilder(
      ScheduleCalls calls, PayloadCodec codec, String type, Type inputType, String cron) {
    super(codec, inputType);
    this.calls = calls;
    call.run().type(type);
    call.cron(cron);
  }

  @Override
  ScheduleBuilder<I> self() {
    return this;
  }

  /** Creates it without letting it fire yet; see {@link Schedules#resume}. */
  public ScheduleBuilder<I> paused() {
    paused = true;
    return this;
  }

  /**
   * Creates the schedule, or finds the one of the same name and definition.
   *
   * @throws dev.kagzi.sdk.RequestRefusedException if the expression or the time zone cannot be read
   *     ({@code BAD_CRON}), or another schedule has the name ({@code SCHEDULE_EXISTS})
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers; the schedule may exist
   *     nevertheless
   */
  public Schedule send() {
    return Schedule.of(calls.create(call, paused));
  }
}
