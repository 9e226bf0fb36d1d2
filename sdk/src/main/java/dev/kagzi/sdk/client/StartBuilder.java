package dev.kagzi.sdk.client;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Names;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.ReusePolicy;
import dev.kagzi.sdk.internal.EventCall;
import dev.kagzi.sdk.internal.StartCall;
import dev.kagzi.sdk.internal.WorkflowCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A start that is being described; {@link #send} makes it happen. Not thread-safe.
 *
 * @param <I> the input
 * @param <O> what {@link WorkflowHandle#result()} returns
 */
public final class StartBuilder<I extends @Nullable Object, O extends @Nullable Object> {

  private final WorkflowCalls calls;
  private final PayloadCodec codec;
  private final Type inputType;
  private final ResultReader<O> reader;
  private final StartCall start;

  StartBuilder(
      WorkflowCalls calls,
      PayloadCodec codec,
      String type,
      Type inputType,
      ResultReader<O> reader) {
    this.calls = calls;
    this.codec = codec;
    this.inputType = inputType;
    this.reader = reader;
    this.start = calls.start(Names.check("workflow type", type));
  }

  /**
   * What the workflow gets; nothing unless said otherwise.
   *
   * @throws dev.kagzi.sdk.payload.PayloadException if the value cannot be written
   */
  public StartBuilder<I, O> input(I input) {
    start.input(codec.encode(input, inputType));
    return this;
  }

  /**
   * An id of your own, unique among the live runs of the namespace: a second start with the same id
   * gives the first one's run, and its handle says so ({@link WorkflowHandle#alreadyExisted}).
   */
  public StartBuilder<I, O> id(String id) {
    start.externalId(Names.check("id", id));
    return this;
  }

  /**
   * What happens when a run with this {@linkplain #id id} has ended; {@link ReusePolicy#ALLOW}
   * unless said otherwise. Without an id it has no effect.
   */
  public StartBuilder<I, O> reusePolicy(ReusePolicy policy) {
    start.reusePolicy(policy);
    return this;
  }

  /** The task queue; the home queue of the workflow type unless said otherwise. */
  public StartBuilder<I, O> queue(String queue) {
    start.queue(Names.check("queue", queue));
    return this;
  }

  /** The version of the workflow; the server's default for the type unless said otherwise. */
  public StartBuilder<I, O> version(String version) {
    start.version(version);
    return this;
  }

  /** How long the run waits before it begins, such as {@code 10m}. */
  public StartBuilder<I, O> delay(String delay) {
    return delay(Durations.parse(delay));
  }

  /** How long the run waits before it begins. */
  public StartBuilder<I, O> delay(Duration delay) {
    start.delay(delay);
    return this;
  }

  /**
   * How long a worker that has gone silent keeps the run, such as {@code 2m}; the server's lease
   * unless said otherwise.
   */
  public StartBuilder<I, O> lease(String lease) {
    return lease(Durations.parse(lease));
  }

  /**
   * How long a worker that has gone silent keeps the run: 15 seconds to 1 hour; the server's lease
   * unless said otherwise. A short one goes on elsewhere sooner when a host is lost; a long one
   * survives long pauses of its worker.
   */
  public StartBuilder<I, O> lease(Duration lease) {
    start.lease(lease);
    return this;
  }

  /**
   * How often and how patiently the steps of this run are tried again that do not say it
   * themselves, and the run as a whole when it fails outside its steps. Without it, an error
   * outside a step ends the run.
   */
  public StartBuilder<I, O> retry(Retry retry) {
    start.retry(retry);
    return this;
  }

  /** How long the run may take from its start to its end, such as {@code 1h}. */
  public StartBuilder<I, O> timeout(String timeout) {
    return timeout(Durations.parse(timeout));
  }

  /**
   * How long the run may take from its start to its end, waits included; for ever unless said
   * otherwise. A run that takes longer is ended as timed out.
   *
   * @throws IllegalArgumentException if the time is zero or negative
   */
  public StartBuilder<I, O> timeout(Duration timeout) {
    start.timeout(timeout);
    return this;
  }

  /**
   * When the run is ended as timed out at the latest; the earlier of this and the {@linkplain
   * #timeout(Duration) timeout} counts.
   */
  public StartBuilder<I, O> deadline(Instant deadline) {
    start.deadline(deadline);
    return this;
  }

  /** How long one attempt of a step may take that does not say it itself, such as {@code 5m}. */
  public StartBuilder<I, O> stepTimeout(String timeout) {
    return stepTimeout(Durations.parse(timeout));
  }

  /**
   * How long one attempt of a step may take that does not say it itself; the server's default, ten
   * minutes, unless said otherwise.
   *
   * @throws IllegalArgumentException if the time is zero or negative
   */
  public StartBuilder<I, O> stepTimeout(Duration timeout) {
    start.stepTimeout(timeout);
    return this;
  }

  /**
   * A workflow that is started on the run's own queue when the run has failed or timed out; its
   * input is a {@link dev.kagzi.sdk.WorkflowFailedEvent}. Not started when the run is cancelled.
   */
  public StartBuilder<I, O> onFailure(String type) {
    start.onFailure(Names.check("onFailure", type), "");
    return this;
  }

  /** A workflow that is started on another queue when the run has failed or timed out. */
  public StartBuilder<I, O> onFailure(String type, String queue) {
    start.onFailure(Names.check("onFailure", type), Names.check("queue", queue));
    return this;
  }

  /** Something to find the run by. */
  public StartBuilder<I, O> label(String key, String value) {
    start.label(Names.check("label", key), value);
    return this;
  }

  /**
   * Sends an event with the start: the run has it from the beginning. Where a live run has the same
   * {@linkplain #id id}, that one is sent the event instead.
   */
  public <T> StartBuilder<I, O> firstEvent(EventType<T> event, T payload) {
    start.firstEvent(EventCall.of(event, payload, codec));
    return this;
  }

  /**
   * Starts the run. When this returns the run is stored and will be executed. Each call starts a
   * run of its own, unless an {@linkplain #id id} says that it is the same one.
   *
   * @return the run that was started, or the one that was there before, as {@link
   *     WorkflowHandle#alreadyExisted} tells
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers; the run may exist
   *     nevertheless
   * @throws dev.kagzi.sdk.RequestRefusedException if the server refuses the start
   */
  public WorkflowHandle<O> send() {
    var started = calls.send(start);
    return new WorkflowHandle<>(calls, codec, started.runId(), started.alreadyExisted(), reader);
  }
}
