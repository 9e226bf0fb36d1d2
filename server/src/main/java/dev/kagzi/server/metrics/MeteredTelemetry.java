package dev.kagzi.server.metrics;

import dev.kagzi.core.StepKey;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.Telemetry;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Counts what the engine does. An event costs one lookup and one addition; no label is ever made
 * from a run id. Thread-safe.
 */
final class MeteredTelemetry implements Telemetry {

  static final int MAX_NAMES = 1000;
  static final int MAX_STEPS = 200;
  static final String OTHER = "other";

  private static final String NAMESPACE = "namespace";
  private static final String TASK_QUEUE = "task_queue";
  private static final String WORKFLOW_TYPE = "workflow_type";

  private record RunLabels(String namespace, String taskQueue, String workflowType) {
    static final RunLabels NONE_OF_THEM = new RunLabels(OTHER, OTHER, OTHER);

    static RunLabels of(RunTarget run) {
      return new RunLabels(run.namespace(), run.taskQueue(), run.workflowType());
    }
  }

  private record RunMeters(Counter started, Map<RunStatus, Counter> finished) {}

  private record EndLabels(String workflowType, RunStatus status) {}

  private record StepLabels(String workflowType, String step) {
    static final StepLabels NONE_OF_THEM = new StepLabels(OTHER, OTHER);
  }

  private record StepMeters(Timer completed, Timer failed, Counter retries) {}

  private final MeterRegistry registry;
  private final Capped<RunLabels, RunMeters> runs =
      new Capped<>(MAX_NAMES, RunLabels.NONE_OF_THEM, this::meterRuns);
  private final Map<RunStatus, Capped<String, Timer>> durations = new EnumMap<>(RunStatus.class);
  private final Capped<String, Timer> waits = new Capped<>(MAX_NAMES, OTHER, this::meterWaits);
  private final Capped<String, DistributionSummary> replays =
      new Capped<>(MAX_NAMES, OTHER, this::meterReplays);
  private final Capped<StepLabels, StepMeters> steps =
      new Capped<>(MAX_STEPS, StepLabels.NONE_OF_THEM, this::meterSteps);
  private final Capped<String, Counter> leases = new Capped<>(MAX_NAMES, OTHER, this::meterLeases);
  private final Timer hits;
  private final Timer misses;
  private final Counter received;
  private final Counter missed;

  MeteredTelemetry(MeterRegistry registry) {
    this.registry = registry;
    for (RunStatus status : RunStatus.values()) {
      if (status.isTerminal()) {
        durations.put(
            status,
            new Capped<>(MAX_NAMES, OTHER, type -> meterDuration(new EndLabels(type, status))));
      }
    }
    this.hits = meterClaims("hit");
    this.misses = meterClaims("empty");
    this.received = meterNews("received");
    this.missed = meterNews("missed");
  }

  @Override
  public void runStarted(RunTarget run) {
    runs.of(RunLabels.of(run)).started().increment();
  }

  @Override
  public void runFinished(RunTarget run, RunStatus status, Duration took) {
    Counter finished = runs.of(RunLabels.of(run)).finished().get(status);
    Capped<String, Timer> byType = durations.get(status);
    if (finished != null && byType != null) {
      finished.increment();
      byType.of(run.workflowType()).record(took);
    }
  }

  @Override
  public void claimed(QueueKey queue, Duration waited) {
    waits.of(queue.taskQueue()).record(waited);
  }

  @Override
  public void askedForWork(boolean found, Duration took) {
    (found ? hits : misses).record(took);
  }

  @Override
  public void replayed(String workflowType, int settled) {
    replays.of(workflowType).record(settled);
  }

  @Override
  public void attemptEnded(String workflowType, String stepKey, StepStatus status, Duration took) {
    StepMeters meters = steps.of(labels(workflowType, stepKey));
    (status == StepStatus.COMPLETED ? meters.completed() : meters.failed()).record(took);
  }

  @Override
  public void stepRetried(String workflowType, String stepKey) {
    steps.of(labels(workflowType, stepKey)).retries().increment();
  }

  private static StepLabels labels(String workflowType, String stepKey) {
    return new StepLabels(workflowType, new StepKey(stepKey).name());
  }

  @Override
  public void leaseExpired(QueueKey queue) {
    leases.of(queue.taskQueue()).increment();
  }

  @Override
  public void newsReceived() {
    received.increment();
  }

  @Override
  public void newsMissed() {
    missed.increment();
  }

  /** All ends at once, so that a ratio has a denominator before the first of them. */
  private RunMeters meterRuns(RunLabels labels) {
    Map<RunStatus, Counter> finished = new EnumMap<>(RunStatus.class);
    for (RunStatus status : durations.keySet()) {
      finished.put(
          status,
          Counter.builder("kagzi.runs.finished")
              .description("Runs that have ended")
              .tag(NAMESPACE, labels.namespace())
              .tag(TASK_QUEUE, labels.taskQueue())
              .tag(WORKFLOW_TYPE, labels.workflowType())
              .tag("status", label(status))
              .register(registry));
    }
    Counter started =
        Counter.builder("kagzi.runs.started")
            .description("Runs that were started")
            .tag(NAMESPACE, labels.namespace())
            .tag(TASK_QUEUE, labels.taskQueue())
            .tag(WORKFLOW_TYPE, labels.workflowType())
            .register(registry);
    return new RunMeters(started, finished);
  }

  private Timer meterDuration(EndLabels labels) {
    return Buckets.RUN
        .timer("kagzi.run.duration", "From the creation of a run to its end")
        .tag(WORKFLOW_TYPE, labels.workflowType())
        .tag("status", label(labels.status()))
        .register(registry);
  }

  private Timer meterWaits(String taskQueue) {
    return Buckets.SCHEDULE_TO_START
        .timer("kagzi.schedule.to.start", "How long due runs waited for a worker")
        .tag(TASK_QUEUE, taskQueue)
        .register(registry);
  }

  private DistributionSummary meterReplays(String workflowType) {
    return DistributionSummary.builder("kagzi.replay.steps")
        .description("Steps of history that went to a worker with a run")
        .tag(WORKFLOW_TYPE, workflowType)
        .register(registry);
  }

  private StepMeters meterSteps(StepLabels labels) {
    return new StepMeters(
        meterAttempts(labels, StepStatus.COMPLETED),
        meterAttempts(labels, StepStatus.FAILED),
        Counter.builder("kagzi.step.retries")
            .description("Failed attempts at steps that are followed by another")
            .tag(WORKFLOW_TYPE, labels.workflowType())
            .tag("step", labels.step())
            .register(registry));
  }

  private Timer meterAttempts(StepLabels labels, StepStatus outcome) {
    return Buckets.STEP
        .timer("kagzi.step.duration", "Attempts at steps")
        .tag(WORKFLOW_TYPE, labels.workflowType())
        .tag("step", labels.step())
        .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private Counter meterLeases(String taskQueue) {
    return Counter.builder("kagzi.lease.expired")
        .description("Runs taken back from workers that died or did not keep their lease")
        .tag(TASK_QUEUE, taskQueue)
        .register(registry);
  }

  private Timer meterClaims(String result) {
    return Buckets.CLAIM
        .timer("kagzi.claim", "The statement that claims runs")
        .tag("result", result)
        .register(registry);
  }

  private Counter meterNews(String kind) {
    return Counter.builder("kagzi.notifications")
        .description("News of other servers that arrived, and work found without any")
        .tag("kind", kind)
        .register(registry);
  }

  private static String label(RunStatus status) {
    return status.name().toLowerCase(Locale.ROOT);
  }
}
