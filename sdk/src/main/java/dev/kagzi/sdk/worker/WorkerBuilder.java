package dev.kagzi.sdk.worker;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Names;
import dev.kagzi.sdk.ErrorClassifier;
import dev.kagzi.sdk.ErrorReport;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.internal.ErrorHandling;
import dev.kagzi.sdk.internal.RegisteredWorkflow;
import dev.kagzi.sdk.internal.Registrations;
import dev.kagzi.sdk.internal.ServerAddress;
import dev.kagzi.sdk.internal.WorkerBadge;
import dev.kagzi.sdk.internal.WorkerOptions;
import dev.kagzi.sdk.internal.WorkerSession;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.sdk.payload.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The settings and workflows of a {@link Worker}. Not thread-safe. */
public final class WorkerBuilder {

  /** The type that the engine starts for whatever fails in a namespace. */
  private static final String FAILURE_HANDLER = "__kagzi_failure_handler";

  private static final int DEFAULT_MAX_CONCURRENT = 100;
  private static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(30);

  private final ServerAddress address;
  private final String queue;
  private final List<RegisteredWorkflow> workflows = new ArrayList<>();
  private final Map<String, String> labels = new LinkedHashMap<>();
  private String namespace = "";
  private int maxConcurrent = DEFAULT_MAX_CONCURRENT;
  private String hostname = "";
  private String version = "";
  private Duration drainTimeout = DEFAULT_DRAIN_TIMEOUT;
  private PayloadCodec codec = new JacksonCodec();
  private ErrorHandling errors = ErrorHandling.STANDARD;
  private @Nullable Retry retry;

  WorkerBuilder(String address, String queue) {
    this.address = ServerAddress.parse(address, "Worker.builder");
    this.queue = Names.check("queue", queue);
  }

  /** The namespace to work in; {@code default} unless said otherwise. */
  public WorkerBuilder namespace(String namespace) {
    this.namespace = Names.check("namespace", namespace);
    return this;
  }

  /** How many runs the worker holds at the same time; 100 unless said otherwise. */
  public WorkerBuilder maxConcurrent(int maxConcurrent) {
    this.maxConcurrent = maxConcurrent;
    return this;
  }

  /** Where the worker runs, for people to read; the name of this machine unless said otherwise. */
  public WorkerBuilder hostname(String hostname) {
    this.hostname = Names.check("hostname", hostname);
    return this;
  }

  /**
   * The version of the application, for people to read. It has no influence on which runs the
   * worker gets; the version of a workflow is given when it is registered.
   */
  public WorkerBuilder version(String version) {
    this.version = version;
    return this;
  }

  /** Something to group workers by. */
  public WorkerBuilder label(String key, String value) {
    labels.put(Names.check("label", key), value);
    return this;
  }

  /** How long a stopping worker finishes what it holds, such as {@code 1m}; else 30 seconds. */
  public WorkerBuilder drainTimeout(String drainTimeout) {
    return drainTimeout(Durations.parse(drainTimeout));
  }

  /** How long a stopping worker finishes what it holds; 30 seconds unless said otherwise. */
  public WorkerBuilder drainTimeout(Duration drainTimeout) {
    this.drainTimeout = drainTimeout;
    return this;
  }

  /** How values become bytes; JSON by Jackson unless said otherwise. */
  public WorkerBuilder codec(PayloadCodec codec) {
    this.codec = codec;
    return this;
  }

  /**
   * How often and how patiently steps are tried again where neither they nor their runs say it;
   * what it leaves open is the server's to say.
   */
  public WorkerBuilder retry(Retry retry) {
    this.retry = retry;
    return this;
  }

  /**
   * Says of which kind errors are; the {@linkplain ErrorClassifier#standard standard} classifier is
   * asked about what this one leaves open.
   */
  public WorkerBuilder errorClassifier(ErrorClassifier classifier) {
    this.errors =
        new ErrorHandling(classifier.orElse(ErrorClassifier.standard()), errors.sanitizer());
    return this;
  }

  /**
   * Rewrites every error before it is sent or logged, such as to remove what nobody else may see.
   * {@link ErrorReport#mapText} reaches the causes too. Must be thread-safe.
   */
  public WorkerBuilder errorSanitizer(UnaryOperator<ErrorReport> sanitizer) {
    this.errors = new ErrorHandling(errors.classifier(), sanitizer);
    return this;
  }

  /**
   * Registers the failure handler of the namespace: started for each run of the namespace that
   * fails or times out, as long as a worker lives that has registered one. A handler that fails
   * itself starts no other.
   */
  public WorkerBuilder onAnyFailure(
      Workflow<WorkflowFailedEvent, ? extends @Nullable Object> handler) {
    workflows.add(
        new RegisteredWorkflow(
            FAILURE_HANDLER, "", handler, WorkflowFailedEvent.class, Object.class));
    return this;
  }

  /**
   * Registers a workflow under a typed name; also for lambdas.
   *
   * @throws IllegalArgumentException if the workflow has fields that are not final
   */
  public <I extends @Nullable Object, O extends @Nullable Object> WorkerBuilder register(
      WorkflowType<I, O> type, Workflow<I, O> workflow) {
    return register(type, "", workflow);
  }

  /**
   * Registers one version of a workflow under a typed name; also for lambdas.
   *
   * @throws IllegalArgumentException if the workflow has fields that are not final
   */
  public <I extends @Nullable Object, O extends @Nullable Object> WorkerBuilder register(
      WorkflowType<I, O> type, String version, Workflow<I, O> workflow) {
    workflows.add(
        new RegisteredWorkflow(
            type.name(), version, workflow, type.input().type(), type.output().type()));
    return this;
  }

  /**
   * Registers a workflow under a name. Input and output are those of its class, {@code class X
   * implements Workflow<In, Out>}.
   *
   * @throws IllegalArgumentException if the class does not tell them, as lambdas do not, or if it
   *     has fields that are not final
   */
  public WorkerBuilder register(String type, Workflow<?, ?> workflow) {
    return register(type, "", workflow);
  }

  /**
   * Registers one version of a workflow under a name. Input and output are those of its class.
   *
   * @throws IllegalArgumentException if the class does not tell them, as lambdas do not, or if it
   *     has fields that are not final
   */
  public WorkerBuilder register(String type, String version, Workflow<?, ?> workflow) {
    workflows.add(RegisteredWorkflow.of(type, version, workflow));
    return this;
  }

  /**
   * Makes the worker; it does nothing before it is started.
   *
   * @throws IllegalArgumentException if no workflow was registered, one was registered twice, or a
   *     setting makes no sense
   */
  public Worker build() {
    var registrations = new Registrations(workflows);
    var options = new WorkerOptions(address, namespace, queue, maxConcurrent, drainTimeout, retry);
    return new Worker(
        new WorkerSession(
            options, WorkerBadge.of(hostname, version, labels), codec, errors, registrations));
  }
}
