package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.RetryAfterException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.FailWorkflowResponse;
import dev.kagzi.v1.StopKind;
import dev.kagzi.v1.StopRequest;
import dev.kagzi.v1.WorkflowStatus;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the runs that ended without a result: by an error, or as they were asked to. */
final class RunReporter {

  private static final Logger LOG = LoggerFactory.getLogger(RunReporter.class);

  private final ErrorDetails errors;
  private final RunCounters counters;

  RunReporter(ErrorDetails errors, RunCounters counters) {
    this.errors = errors;
    this.counters = counters;
  }

  /** The body of the run threw. Whoever asked the run to stop gets the end that was asked for. */
  void failed(RunPass pass, Throwable error) {
    Optional<String> failedStep = failedStep(pass, error);
    ErrorDetail detail = detail(pass, error);
    errors.log(
        LOG, error, detail, "Run {} of {} failed", pass.claim().runId(), pass.claim().type());
    StopRequest stop = pass.claim().held().stopRequest();
    var request =
        pass.claim()
            .requests()
            .failWorkflow()
            .setError(detail)
            .setNonRetryable(detail.getNonRetryable() || failedStep.isPresent() || pass.hasUndone())
            .setStop(stop == null ? StopKind.STOP_KIND_UNSPECIFIED : stop.getKind());
    failedStep.ifPresent(request::setFailedStepKey);
    if (error instanceof RetryAfterException later) {
      request.setRetryAfter(WireTimes.fromDuration(later.retryAfter()));
    }
    send(pass, request.build());
  }

  /** The run was asked to stop, and has undone its work as far as it could. */
  void stopped(RunPass pass, StopRequest stop) {
    LOG.info("Run {} of {} stops as it was asked to", pass.claim().runId(), pass.claim().type());
    ErrorKind kind =
        stop.getKind() == StopKind.STOP_KIND_TIMEOUT ? ErrorKind.TIMEOUT : ErrorKind.CANCELLED;
    String left = pass.notUndone().isEmpty() ? "" : " (failed: %s)".formatted(pass.notUndone());
    send(
        pass,
        pass.claim()
            .requests()
            .failWorkflow()
            .setError(
                ErrorDetail.newBuilder()
                    .setKind(ErrorKinds.toWire(kind))
                    .setType(kind.text())
                    .setMessage(stop.getReason() + left))
            .setNonRetryable(true)
            .setStop(stop.getKind())
            .build());
  }

  private void send(RunPass pass, FailWorkflowRequest request) {
    FailWorkflowResponse response = pass.call(WorkerRpc.FAIL_WORKFLOW, request);
    if (response.getStatus() == WorkflowStatus.WORKFLOW_STATUS_PENDING) {
      LOG.info(
          "Run {} is tried again at {}",
          pass.claim().runId(),
          WireTimes.toInstant(response.getRetryAt()));
    } else {
      counters.countFailed();
    }
  }

  /** A step's failure that nobody caught is the run's; anything else is described as it is. */
  private ErrorDetail detail(RunPass pass, Throwable error) {
    ErrorDetail ofStep =
        error instanceof StepFailedException failed ? pass.failureOf(failed.step()) : null;
    return ofStep == null ? errors.of(error) : ofStep;
  }

  /** The step of this run whose failure ended it, if it did, be it wrapped or not. */
  private static Optional<String> failedStep(RunPass pass, Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof StepFailedException failed && pass.failureOf(failed.step()) != null) {
        return Optional.of(failed.step());
      }
    }
    return Optional.empty();
  }
}
