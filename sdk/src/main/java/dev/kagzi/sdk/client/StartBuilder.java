package dev.kagzi.sdk.client;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Names;
import dev.kagzi.sdk.ReusePolicy;
import dev.kagzi.sdk.internal.StartCall;
import dev.kagzi.sdk.internal.WorkflowCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.time.Duration;
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

  /** Something to find the run by. */
  public StartBuilder<I, O> label(String key, String value) {
    start.label(Names.check("label", key), value);
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
    return new WorkflowHandle<>(calls, started.runId(), started.alreadyExisted(), reader);
  }
}
