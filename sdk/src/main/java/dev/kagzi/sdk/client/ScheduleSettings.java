package dev.kagzi.sdk.client;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Names;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.internal.ScheduleCall;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * What can be said about a schedule, when it is created and later. What is not said has its default
 * in a new schedule, and stays as it is in a change. Not thread-safe.
 *
 * @param <I> the input of the workflow
 * @param <B> what the methods return, to go on describing
 */
public abstract sealed class ScheduleSettings<
        I extends @Nullable Object, B extends ScheduleSettings<I, B>>
    permits ScheduleBuilder, ScheduleUpdate {

  private final PayloadCodec codec;
  private final Type inputType;
  final ScheduleCall call = new ScheduleCall();

  ScheduleSettings(PayloadCodec codec, Type inputType) {
    this.codec = codec;
    this.inputType = inputType;
  }

  abstract B self();

  /**
   * A name, unique in the namespace: creating the same schedule again under the same name finds the
   * first, so that an application may do so at every start.
   */
  public B name(String value) {
    call.name(Names.check("name", value));
    return self();
  }

  /** The time zone in which the cron expression is meant; UTC by default. */
  public B zone(ZoneId value) {
    return zone(value.getId());
  }

  /** The time zone by its IANA name, such as {@code Europe/Berlin}; UTC by default. */
  public B zone(String value) {
    call.zone(Names.check("zone", value));
    return self();
  }

  /** What happens while an earlier run is live; {@link Overlap#ALLOW} by default. */
  public B overlap(Overlap value) {
    call.overlap(value.name());
    return self();
  }

  /** How many missed ticks are caught up at most, the most recent ones; 100 by default. */
  public B maxCatchup(int value) {
    call.maxCatchup(value);
    return self();
  }

  /** Words for people. */
  public B description(String value) {
    call.description(value);
    return self();
  }

  /**
   * What each run gets; nothing by default.
   *
   * @throws dev.kagzi.sdk.payload.PayloadException if the value cannot be written
   */
  public B input(I value) {
    call.run().input("input", codec.encode(value, inputType));
    return self();
  }

  /** The task queue of the runs; by default the home queue of the workflow type at each tick. */
  public B queue(String value) {
    call.run().queue(Names.check("queue", value));
    return self();
  }

  /** The version of the runs; by default that of the workflow type at each tick. */
  public B version(String value) {
    call.run().version(Names.check("version", value));
    return self();
  }

  /**
   * How often and how patiently the steps of each run are tried again that do not say it
   * themselves, and the run as a whole when it fails outside its steps. Without it, an error
   * outside a step ends the run.
   */
  public B retry(Retry value) {
    call.run().retry(value);
    return self();
  }

  /** How long each run may take from its start to its end, such as {@code 1h}. */
  public B timeout(String value) {
    return timeout(Durations.parse(value));
  }

  /**
   * How long each run may take from its start to its end, waits included; for ever by default.
   *
   * @throws IllegalArgumentException if the time is zero or negative
   */
  public B timeout(Duration value) {
    call.run().timeout(value);
    return self();
  }

  /** How long one attempt of a step may take that does not say it itself, such as {@code 5m}. */
  public B stepTimeout(String value) {
    return stepTimeout(Durations.parse(value));
  }

  /**
   * How long one attempt of a step may take that does not say it itself; by default what the server
   * says, ten minutes.
   *
   * @throws IllegalArgumentException if the time is zero or negative
   */
  public B stepTimeout(Duration value) {
    call.run().stepTimeout(value);
    return self();
  }

  /** How long a worker that has gone silent keeps a run, such as {@code 2m}. */
  public B lease(String value) {
    return lease(Durations.parse(value));
  }

  /**
   * How long a worker that has gone silent keeps a run: 15 seconds to 1 hour; the server's lease by
   * default.
   */
  public B lease(Duration value) {
    call.run().lease(value);
    return self();
  }

  /**
   * A workflow that is started on the run's own queue when a run has failed or timed out; its input
   * is a {@link dev.kagzi.sdk.WorkflowFailedEvent}. Not started when the run is cancelled.
   */
  public B onFailure(String type) {
    call.run().onFailure(Names.check("onFailure", type), "");
    return self();
  }

  /** A workflow that is started on another queue when a run has failed or timed out. */
  public B onFailure(String type, String queue) {
    call.run().onFailure(Names.check("onFailure", type), Names.check("queue", queue));
    return self();
  }

  /** Something to find the runs by. */
  public B label(String key, String value) {
    call.run().label(Names.check("label", key), value);
    return self();
  }
}
