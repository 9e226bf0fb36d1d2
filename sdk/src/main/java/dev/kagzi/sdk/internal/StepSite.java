package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.StepAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where a step is executed from: the workflow's own thread, or that of a branch. */
interface StepSite {

  /** Throws if no further attempt may begin. */
  void requireGoingOn();

  /**
   * Makes a call about the run, or leaves if the run is not this worker's any more.
   *
   * @throws CallFailedException if the server refuses the request for what it says
   */
  <Q, R> R call(WorkerRpc<Q, R> rpc, Q request);

  /** Makes a call about a step whose refusal is for the workflow to know. */
  default <Q, R> R call(WorkerRpc<Q, R> rpc, Q request, StepCall step) {
    try {
      return call(rpc, request);
    } catch (CallFailedException refusal) {
      throw new RequestRefusedException(
          refusal.reason(), "'%s': %s".formatted(step.key(), refusal.getMessage()), refusal);
    }
  }

  /**
   * Has an attempt executed, which is left behind if it does not end in time.
   *
   * @param lastWords what to report then, if the run goes on elsewhere for that
   */
  @Nullable Object execute(Attempt attempt, Duration timeout, Supplier<FailStepRequest> lastWords)
      throws ExecutionException, TimeoutException;

  /** Waits until the next attempt may begin. */
  void awaitRetry(StepCall step, int attempt, Instant at);

  /** What is pointless if this step fails for good. */
  List<StepAttempt> siblings();

  /** The server has cancelled these, because this step has failed for good. */
  void takeAlong(List<StepAttempt> siblings);
}
