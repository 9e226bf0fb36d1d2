package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Explanation;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Explanations;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.v1.Evidence;
import dev.kagzi.v1.ExplainReason;
import dev.kagzi.v1.ExplainWorkflowRequest;
import dev.kagzi.v1.ExplainWorkflowResponse;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.Suggestion;
import java.time.Instant;

/** Says why runs are where they are. Thread-safe. */
final class ExplainCalls {

  private final Explanations explanations;
  private final Workflows workflows;

  ExplainCalls(Explanations explanations, Workflows workflows) {
    this.explanations = explanations;
    this.workflows = workflows;
  }

  ExplainWorkflowResponse explain(ExplainWorkflowRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("run_id", request.getRunId())
        .done();
    RunId runId = RunId.parse(request.getRunId());
    var explained = explanations.explain(Requests.namespace(request.getNamespace()), runId);
    Explanation explanation = explained.explanation();
    var response =
        ExplainWorkflowResponse.newBuilder()
            .setSentence(explanation.sentence())
            .setReason(toWire(explanation.reason()))
            .setVerdict(toWire(explanation.verdict()))
            .addAllEvidence(explanation.evidence().stream().map(ExplainCalls::toWire).toList())
            .addAllStepKeys(explanation.stepKeys())
            .setRun(RunMapper.toRow(explained.run(), workflows.payloads(runId, false)));
    explanation
        .suggestions()
        .forEach(text -> response.addSuggestions(Suggestion.newBuilder().setText(text)));
    Instant since = explanation.since();
    if (since != null) {
      response.setSince(TimeMapper.toWire(since));
    }
    Instant expectedAt = explanation.expectedAt();
    if (expectedAt != null) {
      response.setExpectedAt(TimeMapper.toWire(expectedAt));
    }
    return response.build();
  }

  private static Evidence toWire(Explanation.Evidence evidence) {
    return Evidence.newBuilder()
        .setSubject(evidence.subject())
        .setFinding(evidence.finding())
        .setStatus(toWire(evidence.verdict()))
        .build();
  }

  private static HealthStatus toWire(Explanation.Verdict verdict) {
    return switch (verdict) {
      case HEALTHY -> HealthStatus.HEALTH_STATUS_HEALTHY;
      case DEGRADED -> HealthStatus.HEALTH_STATUS_DEGRADED;
      case UNHEALTHY -> HealthStatus.HEALTH_STATUS_UNHEALTHY;
    };
  }

  private static ExplainReason toWire(Explanation.Reason reason) {
    return switch (reason) {
      case FINISHED -> ExplainReason.EXPLAIN_REASON_FINISHED;
      case NAMESPACE_DISABLED -> ExplainReason.EXPLAIN_REASON_NAMESPACE_DISABLED;
      case SLEEPING -> ExplainReason.EXPLAIN_REASON_SLEEPING;
      case RETRYING -> ExplainReason.EXPLAIN_REASON_RETRYING;
      case DELAYED_START -> ExplainReason.EXPLAIN_REASON_DELAYED_START;
      case WAITING_FOR_EVENT -> ExplainReason.EXPLAIN_REASON_WAITING_FOR_EVENT;
      case WAITING_FOR_CHILD -> ExplainReason.EXPLAIN_REASON_WAITING_FOR_CHILD;
      case NON_DETERMINISM -> ExplainReason.EXPLAIN_REASON_NON_DETERMINISM;
      case NO_WORKER_ON_QUEUE -> ExplainReason.EXPLAIN_REASON_NO_WORKER_ON_QUEUE;
      case NO_WORKER_FOR_TYPE -> ExplainReason.EXPLAIN_REASON_NO_WORKER_FOR_TYPE;
      case NO_WORKER_FOR_VERSION -> ExplainReason.EXPLAIN_REASON_NO_WORKER_FOR_VERSION;
      case ALL_SLOTS_BUSY -> ExplainReason.EXPLAIN_REASON_ALL_SLOTS_BUSY;
      case READY -> ExplainReason.EXPLAIN_REASON_READY;
      case RUNNING -> ExplainReason.EXPLAIN_REASON_RUNNING;
      case COMPENSATING -> ExplainReason.EXPLAIN_REASON_COMPENSATING;
      case LEASE_EXPIRED -> ExplainReason.EXPLAIN_REASON_LEASE_EXPIRED;
    };
  }
}
