package dev.kagzi.sdk.internal;

import dev.kagzi.v1.BeginStepResponse;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.PublishStateResponse;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StopRequest;
import dev.kagzi.v1.SuspendResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the answers to calls about a run say of the run itself. Thread-safe. */
record RunAnswers(ClaimedRun claim) {

  private static final Logger LOG = LoggerFactory.getLogger(RunAnswers.class);

  /** Hears from an answer that the run is asked to stop. */
  void heed(Object response) {
    StopRequest request =
        switch (response) {
          case BeginStepResponse begun when begun.hasStopRequested() -> begun.getStopRequested();
          case CompleteStepResponse done when done.hasStopRequested() -> done.getStopRequested();
          case FailStepResponse failed when failed.hasStopRequested() -> failed.getStopRequested();
          case SleepResponse sleeps when sleeps.hasStopRequested() -> sleeps.getStopRequested();
          case SuspendResponse waits when waits.hasStopRequested() -> waits.getStopRequested();
          case PublishStateResponse shown when shown.hasStopRequested() -> shown.getStopRequested();
          default -> null;
        };
    if (request != null) {
      claim.held().requestStop(request);
    }
  }

  /** How the pass ends by a failed call; {@code null} if it is refused for what it says. */
  @Nullable PassEnd endBy(CallFailedException failure) {
    return isRefusal(failure) ? null : stopped(failure);
  }

  private static boolean isRefusal(CallFailedException failure) {
    return switch (failure.code()) {
      case INVALID_ARGUMENT, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED ->
          !endsTheRun(failure) && !failure.hasReason(Reasons.SAGA_OPEN);
      default -> false;
    };
  }

  private static boolean endsTheRun(CallFailedException failure) {
    return failure.hasReason(Reasons.LEASE_LOST)
        || failure.hasReason(Reasons.RUN_NOT_FOUND)
        || failure.hasReason(Reasons.RUN_CANCELLED)
        || failure.hasReason(Reasons.RUN_TERMINAL);
  }

  /** The pass ends by a failed call, whatever it says. */
  PassEnd stopped(CallFailedException failure) {
    if (endsTheRun(failure)) {
      LOG.info("Run {} stops on this worker: {}", claim.runId(), failure.getMessage());
    } else {
      LOG.warn(
          "Run {} stops on this worker until its lease runs out, because the server answered {}:"
              + " {}",
          claim.runId(),
          failure.code(),
          failure.getMessage());
    }
    return new PassEnd.Stopped(String.valueOf(failure.getMessage()));
  }
}
