package dev.kagzi.server.grpc;

import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.BeginOutcome;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepRetry;
import dev.kagzi.v1.StopRequest;
import java.time.Instant;
import java.util.function.Consumer;

/** What a worker reports about steps. Blocks until the commit. Thread-safe. */
final class StepCalls {

  private final Tasks tasks;
  private final RetryPolicy defaultRetry;

  /**
   * Makes them.
   *
   * @param defaultRetry fills what a worker leaves open in a policy
   */
  StepCalls(Tasks tasks, RetryPolicy defaultRetry) {
    this.tasks = tasks;
    this.defaultRetry = defaultRetry;
  }

  BeginStepResponse begin(BeginStepRequest request) {
    StepAttempt step = request.getStep();
    var held = Requests.Held.of(request);
    held.check()
        .step("step", step)
        .duration("timeout", request.getTimeout())
        .retryPolicy("retry_policy", request.getRetryPolicy())
        .done();
    Heard<BeginOutcome> heard =
        tasks.beginStep(
            new Beginning(
                held.fence(),
                held.worker(),
                step.getStepKey(),
                step.getAttempt(),
                step.getSeq(),
                StepMapper.toKind(step.getKind()),
                step.getAtMostOnce(),
                request.hasTimeout() ? TimeMapper.toDuration(request.getTimeout()) : null,
                request.hasRetryPolicy()
                    ? RetryPolicyMapper.partial(request.getRetryPolicy()).over(defaultRetry)
                    : null,
                StepMapper.traits(step)));
    RecordedStep recorded = heard.outcome().recorded();
    var response = BeginStepResponse.newBuilder().setShouldExecute(recorded == null);
    if (recorded != null) {
      response.setRecorded(StepMapper.toWire(recorded));
    }
    Instant timeoutAt = heard.outcome().timeoutAt();
    if (timeoutAt != null) {
      response.setTimeoutAt(TimeMapper.toWire(timeoutAt));
    }
    ifStopped(heard, response::setStopRequested);
    return response.build();
  }

  /** Passes on that the run has been asked to end. */
  static void ifStopped(Heard<?> heard, Consumer<StopRequest> listener) {
    var stop = heard.stop();
    if (stop != null) {
      listener.accept(StepMapper.toWire(stop));
    }
  }

  CompleteStepResponse complete(CompleteStepRequest request) {
    var held = checked(request);
    return completed(
        tasks.completeStep(
            held.fence(),
            held.worker(),
            StepMapper.toResult(request),
            StepMapper.toCancelled(request.getCancelledList())));
  }

  /** The same without waiting for the commit. */
  void complete(CompleteStepRequest request, CommitReply<CompleteStepResponse> reply) {
    var held = checked(request);
    tasks.completeStep(
        held.fence(),
        held.worker(),
        StepMapper.toResult(request),
        StepMapper.toCancelled(request.getCancelledList()),
        reply.mapping(StepCalls::completed));
  }

  private static Requests.Held checked(CompleteStepRequest request) {
    var held = Requests.Held.of(request);
    held.check()
        .step("step", request.getStep())
        .payload("output", request.getOutput())
        .optionalKnown("saga_marker", request.getSagaMarker())
        .steps("cancelled", request.getCancelledList())
        .done();
    return held;
  }

  private static CompleteStepResponse completed(Heard<StepOutcome> heard) {
    var response = CompleteStepResponse.newBuilder();
    ifStopped(heard, response::setStopRequested);
    return switch (heard.outcome()) {
      case StepOutcome.Recorded recorded ->
          response.setOutcome(dev.kagzi.v1.StepOutcome.STEP_OUTCOME_RECORDED).build();
      case StepOutcome.AlreadySettled settled ->
          response
              .setOutcome(dev.kagzi.v1.StepOutcome.STEP_OUTCOME_ALREADY_SETTLED)
              .setRecorded(StepMapper.toWire(settled.recorded()))
              .build();
    };
  }

  FailStepResponse fail(FailStepRequest request) {
    var held = Requests.Held.of(request);
    held.check()
        .step("step", request.getStep())
        .optionalKnown("error.kind", request.getError().getKind())
        .duration("retry_after", request.getRetryAfter())
        .retryPolicy("retry_policy", request.getRetryPolicy())
        .steps("cancelled", request.getCancelledList())
        .done();
    StepFailure failure = StepMapper.toFailure(request, defaultRetry);
    Heard<FailOutcome> heard =
        tasks.failStep(
            held.fence(),
            held.worker(),
            failure,
            StepMapper.toCancelled(request.getCancelledList()));
    var response = FailStepResponse.newBuilder();
    ifStopped(heard, response::setStopRequested);
    return switch (heard.outcome()) {
      case FailOutcome.Retry retry -> response.setRetry(toWire(retry)).build();
      case FailOutcome.Settled settled ->
          response.setSettled(StepMapper.settledBy(failure)).build();
      case FailOutcome.AlreadySettled settled ->
          response.setAlreadySettled(StepMapper.toWire(settled.recorded())).build();
    };
  }

  private static StepRetry toWire(FailOutcome.Retry retry) {
    return StepRetry.newBuilder()
        .setAt(TimeMapper.toWire(retry.at()))
        .setDelay(TimeMapper.toWire(retry.delay()))
        .setNextAttempt(retry.nextAttempt())
        .build();
  }
}
