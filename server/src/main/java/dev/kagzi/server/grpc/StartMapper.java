package dev.kagzi.server.grpc;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.ReusePolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.v1.IdReusePolicy;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.TimeoutConfig;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts between the wire and the engine. */
final class StartMapper {

  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(15);
  private static final Duration LONGEST_LEASE = Duration.ofHours(1);

  /** Larger inputs are taken with a warning. */
  private static final int WARN_BYTES = Payload.MAX_BYTES / 2;

  private StartMapper() {}

  static StartRequest fromWire(StartWorkflowRequest wire) {
    check(wire);
    return StartRequest.of(Requests.namespace(wire.getNamespace()), wire.getWorkflowType())
        .input(PayloadMapper.fromWire(wire.getInput()))
        .requestId(wire.getRequestId().isEmpty() ? null : RunId.parse(wire.getRequestId()))
        .externalId(orNull(wire.getExternalId()))
        .reusePolicy(reusePolicy(wire.getIdReusePolicy()))
        .taskQueue(orNull(wire.getTaskQueue()))
        .version(orNull(wire.getVersion()))
        .startDelay(TimeMapper.toDuration(wire.getStartDelay()))
        .deadline(wire.hasDeadlineAt() ? TimeMapper.toInstant(wire.getDeadlineAt()) : null)
        .policies(
            policies(
                wire.getTimeouts(),
                wire.hasRetryPolicy() ? RetryPolicyMapper.partial(wire.getRetryPolicy()) : null,
                wire.getOnFailureWorkflow(),
                wire.getOnFailureTaskQueue()))
        .labels(wire.getLabelsMap())
        .traceparent(orNull(wire.getTraceparent()))
        .firstEvent(wire.hasFirstEvent() ? firstEvent(wire) : null)
        .build();
  }

  /** The repetition of a start must not be another event. */
  private static EventMessage firstEvent(StartWorkflowRequest wire) {
    String id = wire.getRequestId();
    String own = id.isEmpty() ? UUID.randomUUID().toString() : id;
    return EventCalls.fromWire(wire.getFirstEvent(), "start-" + own);
  }

  private static void check(StartWorkflowRequest wire) {
    var check =
        new Validation()
            .optionalName("namespace", wire.getNamespace())
            .name("workflow_type", wire.getWorkflowType())
            .optionalName("task_queue", wire.getTaskQueue())
            .optionalName("external_id", wire.getExternalId())
            .optionalName("version", wire.getVersion())
            .optionalId("request_id", wire.getRequestId())
            .optionalKnown("id_reuse_policy", wire.getIdReusePolicy())
            .duration("start_delay", wire.getStartDelay())
            .moment("deadline_at", wire.getDeadlineAt())
            .payload("input", wire.getInput())
            .labels("labels", wire.getLabelsMap())
            .optionalName("traceparent", wire.getTraceparent())
            .optionalName("on_failure_workflow", wire.getOnFailureWorkflow())
            .optionalName("on_failure_task_queue", wire.getOnFailureTaskQueue());
    checkTimeouts(check, wire.getTimeouts());
    if (wire.hasFirstEvent()) {
      EventCalls.check(wire.getFirstEvent(), "first_event", check);
    }
    check.retryPolicy("retry_policy", wire.getRetryPolicy()).done();
  }

  static void checkTimeouts(Validation check, TimeoutConfig timeouts) {
    checkTimeouts(check, "timeouts", timeouts);
  }

  static void checkTimeouts(Validation check, String field, TimeoutConfig timeouts) {
    check
        .duration(field + ".start_to_close_timeout", timeouts.getStartToCloseTimeout())
        .duration(field + ".execution_timeout", timeouts.getExecutionTimeout());
    if (timeouts.hasHeartbeatTimeout()) {
      // Compared by its seconds: an absurd value does not even fit into a duration.
      long seconds = timeouts.getHeartbeatTimeout().getSeconds();
      check.require(
          seconds >= SHORTEST_LEASE.toSeconds() && seconds <= LONGEST_LEASE.toSeconds(),
          field + ".heartbeat_timeout",
          "is %d s (expected: 15 seconds to 1 hour)".formatted(seconds));
    }
  }

  private static ReusePolicy reusePolicy(IdReusePolicy wire) {
    return switch (wire) {
      case ID_REUSE_POLICY_UNSPECIFIED, ID_REUSE_POLICY_ALLOW -> ReusePolicy.ALLOW;
      case ID_REUSE_POLICY_ALLOW_IF_FAILED -> ReusePolicy.ALLOW_IF_FAILED;
      case ID_REUSE_POLICY_REJECT -> ReusePolicy.REJECT;
      case UNRECOGNIZED ->
          throw new IllegalArgumentException("id_reuse_policy: (expected: a known one)");
    };
  }

  static RunPolicies policies(
      TimeoutConfig timeouts,
      @Nullable PartialRetryPolicy retry,
      String onFailureWorkflow,
      String onFailureQueue) {
    return new RunPolicies(
        retry,
        timeouts.hasStartToCloseTimeout()
            ? TimeMapper.toDuration(timeouts.getStartToCloseTimeout())
            : null,
        timeouts.hasHeartbeatTimeout()
            ? TimeMapper.toDuration(timeouts.getHeartbeatTimeout())
            : null,
        executionTimeout(timeouts),
        orNull(onFailureWorkflow),
        orNull(onFailureQueue));
  }

  /** Zero means for ever, as if it were absent. */
  private static @Nullable Duration executionTimeout(TimeoutConfig timeouts) {
    Duration given = TimeMapper.toDuration(timeouts.getExecutionTimeout());
    return given.isZero() ? null : given;
  }

  static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  static StartWorkflowResponse toWire(StartOutcome outcome, Payload input) {
    var wire =
        StartWorkflowResponse.newBuilder()
            .setRunId(outcome.runId().toString())
            .setAlreadyExists(outcome instanceof StartOutcome.AlreadyExists)
            .setStatus(RunMapper.toWire(outcome.status()))
            .setTaskQueue(outcome.target().taskQueue())
            .setVersion(outcome.target().version());
    if (input.size() > WARN_BYTES) {
      wire.addWarnings(
          "input has %d bytes; the limit is %d".formatted(input.size(), Payload.MAX_BYTES));
    }
    return wire.build();
  }
}
