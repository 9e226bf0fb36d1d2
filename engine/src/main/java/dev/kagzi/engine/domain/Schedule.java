package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A template that starts runs at cron times.
 *
 * @param status SCHEDULED or PAUSED
 * @param nextFireAt null while it is paused
 * @param firedUpTo up to where ticks have been fired or skipped
 * @param lastRunId the run of the newest tick that started one
 * @param error why it cannot fire
 */
public record Schedule(
    RunId scheduleId,
    RunStatus status,
    Definition definition,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant nextFireAt,
    Instant firedUpTo,
    @Nullable RunId lastRunId,
    @Nullable String pauseReason,
    @Nullable String error) {

  /** What its creator asked for. */
  public record Definition(
      String namespace,
      @Nullable String name,
      String cron,
      String timezone,
      int maxCatchup,
      OverlapPolicy overlap,
      String description,
      Template run) {}

  /**
   * What each tick starts.
   *
   * @param taskQueue null for the type's home queue at the time of the tick
   * @param version null for the type's default at the time of the tick
   */
  public record Template(
      String workflowType,
      @Nullable String taskQueue,
      @Nullable String version,
      Payload input,
      RunPolicies policies,
      Map<String, String> labels) {

    public Template {
      labels = Map.copyOf(labels);
    }
  }

  /** The start of a run for a tick. */
  public StartRequest startAt(Instant fireAt) {
    Template run = definition.run();
    return StartRequest.of(definition.namespace(), run.workflowType())
        .taskQueue(run.taskQueue())
        .version(run.version())
        .input(run.input())
        .policies(run.policies())
        .labels(run.labels())
        .externalId("schedule:%s:%s".formatted(scheduleId, fireAt))
        .firing(new StartRequest.Firing(scheduleId, fireAt))
        .build();
  }
}
