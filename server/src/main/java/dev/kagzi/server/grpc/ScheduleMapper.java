package dev.kagzi.server.grpc;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.ScheduleChange;
import dev.kagzi.engine.domain.Tick;
import dev.kagzi.engine.operation.CronReader;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.FiringOutcome;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.ScheduleFiring;
import dev.kagzi.v1.SkipReason;
import dev.kagzi.v1.UpdateScheduleRequest;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Schedules between the wire and the engine. */
final class ScheduleMapper {

  private static final int DEFAULT_CATCHUP = 100;

  private ScheduleMapper() {}

  static Schedule.Definition definition(CreateScheduleRequest wire, String timezone) {
    return new Schedule.Definition(
        Requests.namespace(wire.getNamespace()),
        orNull(wire.getName()),
        wire.getCronExpr(),
        timezone,
        wire.hasMaxCatchup() ? wire.getMaxCatchup() : DEFAULT_CATCHUP,
        overlap(wire.getOverlapPolicy()),
        wire.getDescription(),
        template(wire.getRun()));
  }

  static ScheduleChange change(UpdateScheduleRequest wire) {
    return new ScheduleChange(
        wire.hasName() ? wire.getName() : null,
        wire.hasCronExpr() ? wire.getCronExpr() : null,
        wire.hasTimezone() ? ScheduleCalls.zoneOf(wire.getTimezone()) : null,
        wire.hasMaxCatchup() ? wire.getMaxCatchup() : null,
        wire.hasOverlapPolicy() ? overlap(wire.getOverlapPolicy()) : null,
        wire.hasDescription() ? wire.getDescription() : null,
        wire.hasRun() ? template(wire.getRun()) : null);
  }

  private static Schedule.Template template(RunTemplate wire) {
    return new Schedule.Template(
        wire.getWorkflowType(),
        orNull(wire.getTaskQueue()),
        orNull(wire.getVersion()),
        PayloadMapper.fromWire(wire.getInput()),
        StartMapper.policies(
            wire.getTimeouts(),
            wire.hasRetryPolicy() ? RetryPolicyMapper.partial(wire.getRetryPolicy()) : null,
            wire.getOnFailureWorkflow(),
            wire.getOnFailureTaskQueue()),
        wire.getLabelsMap());
  }

  private static OverlapPolicy overlap(dev.kagzi.v1.OverlapPolicy wire) {
    return Objects.requireNonNullElse(overlapOrNull(wire), OverlapPolicy.ALLOW);
  }

  static @Nullable OverlapPolicy overlapOrNull(dev.kagzi.v1.OverlapPolicy wire) {
    return switch (wire) {
      case OVERLAP_POLICY_ALLOW -> OverlapPolicy.ALLOW;
      case OVERLAP_POLICY_SKIP -> OverlapPolicy.SKIP;
      case OVERLAP_POLICY_CANCEL_OTHER -> OverlapPolicy.CANCEL_OTHER;
      case OVERLAP_POLICY_UNSPECIFIED, UNRECOGNIZED -> null;
    };
  }

  static dev.kagzi.v1.Schedule toWire(Schedule schedule) {
    var wire = toRow(schedule).toBuilder();
    wire.getRunBuilder().setInput(PayloadMapper.toWire(schedule.definition().run().input()));
    return wire.build();
  }

  /** A schedule in a list, without its input. */
  static dev.kagzi.v1.Schedule toRow(Schedule schedule) {
    Schedule.Definition definition = schedule.definition();
    var wire =
        dev.kagzi.v1.Schedule.newBuilder()
            .setScheduleId(schedule.scheduleId().toString())
            .setNamespace(definition.namespace())
            .setName(orEmpty(definition.name()))
            .setStatus(RunMapper.toWire(schedule.status()))
            .setCronExpr(definition.cron())
            .setTimezone(definition.timezone())
            .setMaxCatchup(definition.maxCatchup())
            .setOverlapPolicy(toWire(definition.overlap()))
            .setRun(toWire(definition.run()))
            .setDescription(definition.description())
            .setCreatedAt(TimeMapper.toWire(schedule.createdAt()))
            .setUpdatedAt(TimeMapper.toWire(schedule.updatedAt()))
            .setLastFiredAt(TimeMapper.toWire(schedule.firedUpTo()))
            .setPauseReason(orEmpty(schedule.pauseReason()))
            .setCronInWords(inWords(definition))
            .setError(orEmpty(schedule.error()));
    Instant next = schedule.nextFireAt();
    if (next != null) {
      wire.setNextFireAt(TimeMapper.toWire(next));
    }
    RunId last = schedule.lastRunId();
    if (last != null) {
      wire.setLastRunId(last.toString());
    }
    return wire.build();
  }

  private static String inWords(Schedule.Definition definition) {
    try {
      return CronReader.read(definition.cron(), definition.timezone()).inWords();
    } catch (EngineException unreadable) {
      return "";
    }
  }

  private static RunTemplate toWire(Schedule.Template run) {
    RunPolicies policies = run.policies();
    var wire =
        RunTemplate.newBuilder()
            .setWorkflowType(run.workflowType())
            .setTaskQueue(orEmpty(run.taskQueue()))
            .setVersion(orEmpty(run.version()))
            .putAllLabels(run.labels())
            .setTimeouts(RunMapper.timeouts(policies))
            .setOnFailureWorkflow(orEmpty(policies.onFailureWorkflow()))
            .setOnFailureTaskQueue(orEmpty(policies.onFailureQueue()));
    PartialRetryPolicy retry = policies.retry();
    if (retry != null) {
      wire.setRetryPolicy(RetryPolicyMapper.toWire(retry));
    }
    return wire.build();
  }

  private static dev.kagzi.v1.OverlapPolicy toWire(OverlapPolicy overlap) {
    return switch (overlap) {
      case ALLOW -> dev.kagzi.v1.OverlapPolicy.OVERLAP_POLICY_ALLOW;
      case SKIP -> dev.kagzi.v1.OverlapPolicy.OVERLAP_POLICY_SKIP;
      case CANCEL_OTHER -> dev.kagzi.v1.OverlapPolicy.OVERLAP_POLICY_CANCEL_OTHER;
    };
  }

  static ScheduleFiring toWire(Firing firing, @Nullable Run run) {
    var wire =
        ScheduleFiring.newBuilder()
            .setFireAt(TimeMapper.toWire(firing.tick().fireAt()))
            .setOutcome(
                firing.tick().fires()
                    ? FiringOutcome.FIRING_OUTCOME_FIRED
                    : FiringOutcome.FIRING_OUTCOME_SKIPPED)
            .setSkipReason(toWire(firing.tick().skipped()))
            .setFiredAt(TimeMapper.toWire(firing.recordedAt()))
            .setManual(firing.manual());
    RunId runId = firing.runId();
    if (runId != null) {
      wire.setRunId(runId.toString());
    }
    if (run != null) {
      wire.setRun(RunMapper.toRow(run, RunPayloads.NONE));
    }
    return wire.build();
  }

  private static SkipReason toWire(Tick.@Nullable SkipReason reason) {
    return switch (reason) {
      case null -> SkipReason.SKIP_REASON_UNSPECIFIED;
      case CATCHUP -> SkipReason.SKIP_REASON_CATCHUP;
      case OVERLAP -> SkipReason.SKIP_REASON_OVERLAP;
    };
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
