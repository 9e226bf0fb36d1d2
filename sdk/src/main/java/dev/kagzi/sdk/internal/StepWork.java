package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.v1.RetryPolicy;
import java.lang.reflect.Type;
import java.time.Duration;

/**
 * A step with all that was settled about how to execute it.
 *
 * @param call the step that the workflow asked for
 * @param type what its result is read as
 * @param fn its work
 * @param options what the workflow said about it
 * @param policy its retry policy, complete
 * @param timeout how long one attempt may take
 * @param input what it was called with
 */
record StepWork(
    StepCall call,
    Type type,
    StepFn<?> fn,
    StepOptions options,
    RetryPolicy policy,
    Duration timeout,
    StepInput input) {

  static StepWork of(
      ClaimedRun claim,
      StepCall call,
      Type type,
      StepFn<?> fn,
      StepOptions options,
      StepInput input) {
    Retry own = options.ownRetry();
    Duration timeout = options.timeout();
    return new StepWork(
        call,
        type,
        fn,
        options,
        own == null
            ? claim.retryPolicy()
            : RetryPolicies.over(RetryPolicies.toWire(own), claim.retryPolicy()),
        timeout == null ? claim.stepTimeout() : timeout,
        input);
  }
}
