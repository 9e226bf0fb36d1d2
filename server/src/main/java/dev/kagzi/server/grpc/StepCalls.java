package dev.kagzi.server.grpc;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepRetry;
import java.time.Duration;
import java.time.InstantSource;

/** What a worker reports about steps. Blocks until the commit. Thread-safe. */
final class StepCalls {

  private final Tasks tasks;
  private final InstantSource clock;

  StepCalls(Tasks tasks, InstantSource clock) {
    this.tasks = tasks;
    this.clock = clock;
  }

  BeginStepResponse begin(BeginStepRequest request) {
    StepAttempt step = request.getStep();
    var held = Requests.Held.of(request);
    held.check().step("step", step).duration("timeout", request.getTimeout()).done();
    NotOfferedException.refuse(step.getAtMostOnce(), "step.at_most_once");
    Duration timeout = request.hasTimeout() ? TimeMapper.toDuration(request.getTimeout()) : null;
    tasks.beginStep(
        new Beginning(
            held.fence(),
            held.worker(),
            step.getStepKey(),
            step.getAttempt(),
            step.getSeq(),
            StepMapper.toKind(step.getKind()),
            step.getAtMostOnce(),
            timeout));
    var response = BeginStepResponse.newBuilder().setShouldExecute(true);
    if (timeout != null) {
      response.setTimeoutAt(TimeMapper.toWire(clock.instant().plus(timeout)));
    }
    return response.build();
  }

  CompleteStepResponse complete(CompleteStepRequest request) {
    var held = Requests.Held.of(request);
    held.check()
        .step("step", request.getStep())
        .payload("output", request.getOutput())
        .optionalKnown("saga_marker", request.getSagaMarker())
        .done();
    NotOfferedException.refuse(
        request.getSagaMarker() != SagaMarker.SAGA_MARKER_UNSPECIFIED, "saga_marker");
    NotOfferedException.refuse(request.getCancelledCount() > 0, "cancelled");
    WorkerId worker = held.worker();
    Payload output = PayloadMapper.fromWire(request.getOutput());
    StepOutcome outcome =
        tasks.completeStep(held.fence(), worker, StepMapper.toResult(request.getStep(), output));
    var response = CompleteStepResponse.newBuilder();
    return switch (outcome) {
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
        .done();
    NotOfferedException.refuse(request.getCancelledCount() > 0, "cancelled");
    RetryPolicyMapper.refuseWhatIsMissing(request.getRetryPolicy());
    StepFailure failure = StepMapper.toFailure(request);
    FailOutcome outcome = tasks.failStep(held.fence(), held.worker(), failure);
    var response = FailStepResponse.newBuilder();
    return switch (outcome) {
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
