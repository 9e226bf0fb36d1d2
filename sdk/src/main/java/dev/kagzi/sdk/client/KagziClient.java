package dev.kagzi.sdk.client;

import dev.kagzi.core.Names;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.TypeVersions;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.internal.EventCall;
import dev.kagzi.sdk.internal.WorkflowCalls;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.util.Optional;
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
    return new WorkflowHandle<>(calls, codec, runId, false, reading(output));
  }

  /** A run that exists already, with a generic result. */
  public <O extends @Nullable Object> WorkflowHandle<O> handle(String runId, TypeRef<O> output) {
    return new WorkflowHandle<>(calls, codec, runId, false, reading(output.type()));
  }

  /** A run that exists already, whose result may be anything. */
  public WorkflowHandle<WorkflowResult> handle(String runId) {
    return new WorkflowHandle<>(
        calls, codec, runId, false, payload -> new WorkflowResult(codec, payload));
  }

  /**
   * The run that was started with an {@linkplain StartBuilder#id id} of your own: the live one,
   * else the newest that has ended.
   *
   * @return empty if no run has the id
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public <O extends @Nullable Object> Optional<WorkflowHandle<O>> find(String id, Class<O> output) {
    return calls.find(Names.check("id", id)).map(runId -> handle(runId, output));
  }

  /**
   * The run that was started with an id of your own, whose result may be anything.
   *
   * @see #find(String, Class)
   */
  public Optional<WorkflowHandle<WorkflowResult>> find(String id) {
    return calls.find(Names.check("id", id)).map(this::handle);
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

  /**
   * Sends an event to a live run with a key by which the sender knows it: a second one with the
   * same key is not delivered to the same run again.
   *
   * @return whether it is new; false if one with this key was there before
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.RequestRefusedException if the run has ended or keeps too many events
   * @see #send(String, EventType, Object)
   */
  public <T> boolean send(String runId, EventType<T> event, T payload, String idempotencyKey) {
    return calls.send(runId, EventCall.of(event, payload, codec, idempotencyKey));
  }

  /**
   * Sends an event to the live run with an {@linkplain StartBuilder#id id} of the starter's own.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if no run has the id
   * @throws dev.kagzi.sdk.RequestRefusedException if the run has ended or keeps too many events
   * @see #send(String, EventType, Object)
   */
  public <T> void sendToId(String id, EventType<T> event, T payload) {
    calls.sendToId(id, EventCall.of(event, payload, codec));
  }

  /**
   * The same with a key by which the sender knows the event.
   *
   * @return whether it is new; false if one with this key was there before
   * @see #send(String, EventType, Object, String)
   */
  public <T> boolean sendToId(String id, EventType<T> event, T payload, String idempotencyKey) {
    return calls.sendToId(id, EventCall.of(event, payload, codec, idempotencyKey));
  }

  /**
   * What a run shows under the name {@code state}, live or ended; empty if it shows nothing.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public <T> Optional<T> state(String runId, Class<T> type) {
    return handle(runId).state(type);
  }

  /**
   * What a run shows under a name, live or ended; empty if it shows nothing.
   *
   * @throws dev.kagzi.sdk.WorkflowNotFoundException if there is no such run
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public <T> Optional<T> state(String runId, String name, TypeRef<T> type) {
    return handle(runId).state(name, type);
  }

  /**
   * Makes a version the one that new runs of a type get which ask for none. Runs that exist stay on
   * theirs, so workers must serve the old version until its last run has ended; {@link #versions}
   * tells. Setting the old version again is the way back. The version may be one that no worker
   * serves yet: then new runs wait for the first that does.
   *
   * @param version empty for the unversioned code
   * @return the default before
   * @throws dev.kagzi.sdk.RequestRefusedException if no worker has ever registered the type
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public String setDefaultVersion(String type, String version) {
    return calls.admin().setDefaultVersion(Names.check("workflow type", type), version);
  }

  /**
   * Makes a version the one that new runs of a type get which ask for none.
   *
   * @see #setDefaultVersion(String, String)
   */
  public String setDefaultVersion(WorkflowType<?, ?> type, String version) {
    return setDefaultVersion(type.name(), version);
  }

  /**
   * The versions of a type: which is the default, which are served, and which have live runs.
   *
   * @return empty if no worker has registered the type and no live run is of it
   * @throws dev.kagzi.sdk.ServerUnavailableException if no server answers
   */
  public Optional<TypeVersions> versions(String type) {
    return calls.admin().versions(Names.check("workflow type", type));
  }

  /**
   * The versions of a type.
   *
   * @see #versions(String)
   */
  public Optional<TypeVersions> versions(WorkflowType<?, ?> type) {
    return versions(type.name());
  }

  /** The schedules of the namespace. */
  public Schedules schedules() {
    return new Schedules(calls.schedules(), codec);
  }

  /** The workers of the namespace: who is there, what they do, and how to send them home. */
  public Workers workers() {
    return new Workers(calls.admin().fleet());
  }

  /** The task queues of the namespace: what waits there and who serves it. */
  public Queues queues() {
    return new Queues(calls.admin().fleet());
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
