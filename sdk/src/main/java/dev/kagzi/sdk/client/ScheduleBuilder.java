package dev.kagzi.sdk.client;

import dev.kagzi.core.Names;
import dev.kagzi.core.Payload;
import dev.kagzi.sdk.internal.ScheduleCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A schedule that is being described; {@link #send} creates it. Not thread-safe.
 *
 * @param <I> the input of the workflow
 */
public final class ScheduleBuilder<I extends @Nullable Object> {

  private final ScheduleCalls calls;
  private final PayloadCodec codec;
  private final String type;
  private final Type inputType;
  private final String cron;
  private String name = "";
  private String zone = "";
  private Payload input = Payload.EMPTY;
  private String queue = "";
  private String version = "";
  private Overlap overlap = Overlap.ALLOW;
  private @Nullable Integer maxCatchup;
  private String description = "";
  private boolean paused;

  ScheduleBuilder(
      ScheduleCalls calls, PayloadCodec codec, String type, Type inputType, String cron) {
    this.calls = calls;
    this.codec = codec;
    this.type = type;
    this.inputType = inputType;
    this.cron = cron;
  }

  /**
   * A name, unique in the namespace: creating the same schedule again under the same name finds the
   * first, so that an application may do so at every start.
   */
  public ScheduleBuilder<I> name(String value) {
    name = Names.check("name", value);
    return this;
  }

  /** The time zone in which the cron expression is meant; UTC unless said otherwise. */
  public ScheduleBuilder<I> zone(ZoneId value) {
    zone = value.getId();
    return this;
  }

  /**
   * What each run gets; nothing unless said otherwise.
   *
   * @throws dev.kagzi.sdk.payload.PayloadException if the value cannot be written
   */
  public ScheduleBuilder<I> input(I value) {
    input = codec.encode(value, inputType);
    return this;
  }

  /** The task queue; the home queue of the workflow type at each tick unless said otherwise. */
  public ScheduleBuilder<I> queue(String value) {
    queue = Names.check("queue", value);
    return this;
  }

  /** The version; the default of the workflow type at each tick unless said otherwise. */
  public ScheduleBuilder<I> version(String value) {
    version = Names.check("version", value);
    return this;
  }

  /** What happens while an earlier run is live; {@link Overlap#ALLOW} unless said otherwise. */
  public ScheduleBuilder<I> overlap(Overlap value) {
    overlap = value;
    return this;
  }

  /** How many missed ticks are caught up at most, the most recent ones; 100 unless given. */
  public ScheduleBuilder<I> maxCatchup(int value) {
    maxCatchup = value;
    return this;
  }

  /** Words for people. */
  public ScheduleBuilder<I> description(String value) {
    description = value;
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
   * @throws dev.kagzi.sdk.KagziException if the expression cannot be read or another schedule has
   *     the name
   */
  public Schedule send() {
    return Schedule.of(
        calls.create(
            new ScheduleCalls.Wish(
                name,
                cron,
                zone,
                type,
                input,
                queue,
                version,
                overlap.name(),
                maxCatchup,
                description,
                paused)));
  }
}
