package dev.kagzi.sdk.client;

import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.internal.EventCall;
import dev.kagzi.sdk.internal.WorkflowCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs and reads their results. Keep one for the life of the application: it holds the
 * connection. Thread-safe.
 */
public final class KagziClient implements AutoCloseable {

  private final WorkflowCalls calls;
  private final PayloadCodec codec;

  KagziClient(WorkflowCalls calls, PayloadCodec codec) {
    this.calls = calls;
    this.codec = codec;
  }

  /**
   * A client for the default namespace. Connects when it is used first.
   *
   * @param address {@code host:port}, or several of them separated by commas
   * @throws IllegalArgumentException if the address cannot be read
   */
  public static KagziClient connect(String address) {
    return builder(address).connect();
  }

  /**
   * A client that needs more than an address.
   *
   * @param address {@code host:port}, or several of them separated by commas
   */
  public static ClientBuilder builder(String address) {
    return new ClientBuilder(address);
  }

  /** Describes the start of a run, checked by the compiler. */
  public <I extends @Nullable Object, O extends @Nullable Object> StartBuilder<I, O> start(
      WorkflowType<I, O> type) {
    return new StartBuilder<>(
        calls, codec, type.name(), type.input().type(), reading(type.output().type()));
  }

  /** Describes the start of a run by the name of its workflow. */
  public StartBuilder<@Nullable Object, WorkflowResult> start(String type) {
    return new StartBuilder<>(
        calls, codec, type, Object.class, payload -> new WorkflowResult(codec, payload));
  }

  /** A run that exists already, by its id. Asks nobody before one of its methods is called. */
  public <O extends @Nullable Object> WorkflowHandle<O> handle(String runId, Class<O> output) {
    return new WorkflowHandle<>(calls, runId, false, reading(output));
  }

  /** A run that exists already, with a generic result. */
  public <O extends @Nullable Object> WorkflowHandle<O> handle(String runId, TypeRef<O> output) {
    return new WorkflowHandle<>(calls, runId, false, reading(output.type()));
  }

  /** A run that exists already, whose result may be anything. */
  public WorkflowHandle<WorkflowResult> handle(String runId) {
    return new WorkflowHandle<>(calls, runId, false, payload -> new WorkflowResult(codec, payload));
  }

  /**
   * Sends an event to a live run, whether or not it waits for it yet. When this returns the event
   * is stored, and will be given to one wait. Repetitions on the wire are delivered once.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.RequestRefusedException if the run has ended ({@code RUN_TERMINAL}), or
   *     keeps too many events that it has not asked for ({@code TOO_MANY_EVENTS})
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public <T> void send(String runId, EventType<T> event, T payload) {
    calls.send(runId, EventCall.of(event, payload, codec));
  }

  private <O extends @Nullable Object> ResultReader<O> reading(Type type) {
    return payload -> new WorkflowResult(codec, payload).read(type);
  }

  /** Breaks off calls that are under way and closes the connection. */
  @Override
  public void close() {
    calls.close();
  }
}
