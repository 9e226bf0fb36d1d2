package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.RetryOutcome;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Retries;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.RetryWorkflowResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends ended runs back to work. Thread-safe. */
final class RetryCalls {

  private static final Logger log = LoggerFactory.getLogger(RetryCalls.class);

  private final Retries retries;
  private final Workflows workflows;

  RetryCalls(Retries retries, Workflows workflows) {
    this.retries = retries;
    this.workflows = workflows;
  }

  RetryWorkflowResponse retry(RetryWorkflowRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("run_id", request.getRunId())
        .remark("reason", request.getReason())
        .atLeast(0, "expected_retries", request.getExpectedRetries())
        .done();
    String namespace = Requests.namespace(request.getNamespace());
    RunId runId = RunId.parse(request.getRunId());
    RetryOutcome outcome =
        retries.retry(
            namespace, runId, request.hasExpectedRetries() ? request.getExpectedRetries() : null);
    log.info("run {} is to be retried ({}): {}", runId, request.getReason(), outcome);
    var response =
        RetryWorkflowResponse.newBuilder()
            .setRun(
                RunMapper.toWire(workflows.get(namespace, runId), workflows.details(runId, false)))
            .setAlreadyActive(outcome instanceof RetryOutcome.AlreadyActive);
    if (outcome instanceof RetryOutcome.Retried retried) {
      response.addAllSupersededStepKeys(retried.supersededSteps());
    }
    return response.build();
  }
}
