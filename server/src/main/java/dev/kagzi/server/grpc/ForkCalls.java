package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.ForkOutcome;
import dev.kagzi.engine.domain.ForkRequest;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Forks;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.ForkWorkflowResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes new runs from old ones. Thread-safe. */
final class ForkCalls {

  private static final Logger log = LoggerFactory.getLogger(ForkCalls.class);

  private final Forks forks;

  ForkCalls(Forks forks) {
    this.forks = forks;
  }

  ForkWorkflowResponse fork(ForkWorkflowRequest request) {
    check(request);
    ForkOutcome fork =
        forks.fork(
            new ForkRequest(
                Requests.namespace(request.getNamespace()),
                RunId.parse(request.getRunId()),
                request.getRequestId().isEmpty() ? null : RunId.parse(request.getRequestId()),
                orNull(request.getFromStepKey()),
                new ForkRequest.Changes(
                    orNull(request.getExternalId()),
                    orNull(request.getTaskQueue()),
                    request.hasVersion() ? request.getVersion() : null,
                    request.hasInput() ? PayloadMapper.fromWire(request.getInput()) : null)));
    log.info("run {} was forked as {} ({})", request.getRunId(), fork.runId(), request.getReason());
    return ForkWorkflowResponse.newBuilder()
        .setRunId(fork.runId().toString())
        .setStatus(RunMapper.toWire(fork.status()))
        .setCopiedSteps(fork.copiedSteps())
        .build();
  }

  private static void check(ForkWorkflowRequest request) {
    String fromStep = request.getFromStepKey();
    var check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .id("run_id", request.getRunId())
            .optionalId("request_id", request.getRequestId())
            .optionalName("external_id", request.getExternalId())
            .optionalName("version", request.getVersion())
            .optionalName("task_queue", request.getTaskQueue())
            .remark("reason", request.getReason())
            .payload("input", request.getInput())
            .require(
                !request.hasInput() || fromStep.isEmpty(),
                "input",
                "is given together with from_step_key (expected: one of them, because recorded"
                    + " results belong to the recorded input)");
    if (!fromStep.isEmpty()) {
      check.stepKey("from_step_key", fromStep);
    }
    check.done();
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
