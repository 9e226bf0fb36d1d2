package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a caller asks for when it starts a run. Immutable; built with {@link #of}. */
public final class StartRequest {

  private final String namespace;
  private final String workflowType;
  private final Payload input;
  private final @Nullable RunId requestId;
  private final @Nullable String externalId;
  private final ReusePolicy reusePolicy;
  private final @Nullable String taskQueue;
  private final @Nullable String version;
  private final Duration startDelay;
  private final @Nullable Instant deadline;
  private final RunPolicies policies;
  private final Map<String, String> labels;
  private final @Nullable String traceparent;
  private final @Nullable RunId handlerFor;
  private final @Nullable EventMessage firstEvent;
  private final @Nullable Parent parent;
  private final @Nullable Firing firing;

  private StartRequest(Builder builder) {
    this.namespace = builder.namespace;
    this.workflowType = builder.workflowType;
    this.input = builder.input;
    this.requestId = builder.requestId;
    this.externalId = builder.externalId;
    this.reusePolicy = builder.reusePolicy;
    this.taskQueue = builder.taskQueue;
    this.version = builder.version;
    this.startDelay = builder.startDelay;
    this.deadline = builder.deadline;
    this.policies = builder.policies;
    this.labels = builder.labels;
    this.traceparent = builder.traceparent;
    this.handlerFor = builder.handlerFor;
    this.firstEvent = builder.firstEvent;
    this.parent = builder.parent;
    this.firing = builder.firing;
  }

  public static Builder of(String namespace, String workflowType) {
    return new Builder(namespace, workflowType);
  }

  public String namespace() {
    return namespace;
  }

  public String workflowType() {
    return workflowType;
  }

  public Payload input() {
    return input;
  }

  /** The run id the caller minted, which makes the start safe to repeat. */
  public @Nullable RunId requestId() {
    return requestId;
  }

  public @Nullable String externalId() {
    return externalId;
  }

  public ReusePolicy reusePolicy() {
    return reusePolicy;
  }

  /** Null for the type's home queue. */
  public @Nullable String taskQueue() {
    return taskQueue;
  }

  /** Null for the type's default version. */
  public @Nullable String version() {
    return version;
  }

  public Duration startDelay() {
    return startDelay;
  }

  public @Nullable Instant deadline() {
    return deadline;
  }

  public RunPolicies policies() {
    return policies;
  }

  public Map<String, String> labels() {
    return labels;
  }

  public @Nullable String traceparent() {
    return traceparent;
  }

  /** The run whose failure this one handles; its own failure then is handled by nobody. */
  public @Nullable RunId handlerFor() {
    return handlerFor;
  }

  /** What the run is sent with its start, or the one that is found instead. */
  public @Nullable EventMessage firstEvent() {
    return firstEvent;
  }

  /** The run that starts this one as its child. */
  public @Nullable Parent parent() {
    return parent;
  }

  /** The tick of a schedule that starts this run. */
  public record Firing(RunId scheduleId, Instant fireAt) {}

  public @Nullable Firing firing() {
    return firing;
  }

  /** Collects what a start may carry; everything but namespace and type is optional. */
  public static final class Builder {
    private final String namespace;
    private final String workflowType;
    private Payload input = Payload.EMPTY;
    private @Nullable RunId requestId;
    private @Nullable String externalId;
    private ReusePolicy reusePolicy = ReusePolicy.ALLOW;
    private @Nullable String taskQueue;
    private @Nullable String version;
    private Duration startDelay = Duration.ZERO;
    private @Nullable Instant deadline;
    private RunPolicies policies = RunPolicies.NONE;
    private Map<String, String> labels = Map.of();
    private @Nullable String traceparent;
    private @Nullable RunId handlerFor;
    private @Nullable EventMessage firstEvent;
    private @Nullable Parent parent;
    private @Nullable Firing firing;

    private Builder(String namespace, String workflowType) {
      this.namespace = namespace;
      this.workflowType = workflowType;
    }

    public Builder input(Payload value) {
      input = value;
      return this;
    }

    public Builder requestId(@Nullable RunId value) {
      requestId = value;
      return this;
    }

    public Builder externalId(@Nullable String value) {
      externalId = value;
      return this;
    }

    public Builder reusePolicy(ReusePolicy value) {
      reusePolicy = value;
      return this;
    }

    public Builder taskQueue(@Nullable String value) {
      taskQueue = value;
      return this;
    }

    public Builder version(@Nullable String value) {
      version = value;
      return this;
    }

    public Builder startDelay(Duration value) {
      startDelay = value;
      return this;
    }

    public Builder deadline(@Nullable Instant value) {
      deadline = value;
      return this;
    }

    public Builder policies(RunPolicies value) {
      policies = value;
      return this;
    }

    public Builder labels(Map<String, String> value) {
      labels = Map.copyOf(value);
      return this;
    }

    public Builder traceparent(@Nullable String value) {
      traceparent = value;
      return this;
    }

    public Builder handlerFor(RunId value) {
      handlerFor = value;
      return this;
    }

    public Builder firstEvent(@Nullable EventMessage value) {
      firstEvent = value;
      return this;
    }

    public Builder parent(Parent value) {
      parent = value;
      return this;
    }

    public Builder firing(Firing value) {
      firing = value;
      return this;
    }

    public StartRequest build() {
      return new StartRequest(this);
    }
  }
}
