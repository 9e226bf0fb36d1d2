package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.Retry;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.RetryPredicate;
import java.util.Set;

/** Retry policies on the wire, where each field may be absent. */
final class RetryPolicies {

  private RetryPolicies() {}

  /** What applies when the server has not said what its default is. */
  static RetryPolicy defaults() {
    var policy = dev.kagzi.core.RetryPolicy.DEFAULT;
    return RetryPolicy.newBuilder()
        .setMaximumAttempts(policy.maximumAttempts())
        .setInitialInterval(WireTimes.fromDuration(policy.initialInterval()))
        .setBackoffCoefficient(policy.backoffCoefficient())
        .setMaximumInterval(WireTimes.fromDuration(policy.maximumInterval()))
        .addAllNonRetryableErrors(policy.nonRetryableErrors())
        .setJitter(policy.jitter())
        .setPredicate(RetryPredicate.RETRY_PREDICATE_ON_ANY_ERROR)
        .build();
  }

  /** What a user said, with what was left open left out. */
  static RetryPolicy toWire(Retry retry) {
    var policy = RetryPolicy.newBuilder().addAllNonRetryableErrors(retry.nonRetryableErrors());
    retry.maximumAttempts().ifPresent(policy::setMaximumAttempts);
    retry.initialInterval().map(WireTimes::fromDuration).ifPresent(policy::setInitialInterval);
    retry.backoffCoefficient().ifPresent(policy::setBackoffCoefficient);
    retry.maximumInterval().map(WireTimes::fromDuration).ifPresent(policy::setMaximumInterval);
    retry.jitter().ifPresent(policy::setJitter);
    retry.retriedKinds().ifPresent(kinds -> writeKinds(kinds, policy));
    return policy.build();
  }

  private static void writeKinds(Set<ErrorKind> kinds, RetryPolicy.Builder policy) {
    if (kinds.size() == ErrorKind.values().length) {
      policy.setPredicate(RetryPredicate.RETRY_PREDICATE_ON_ANY_ERROR);
    } else {
      policy.setPredicate(RetryPredicate.RETRY_PREDICATE_ON_ERROR_KIND);
      kinds.stream().sorted().map(ErrorKinds::toWire).forEach(policy::addErrorKinds);
    }
  }

  /** Takes each field from the first policy where it is there, else from the second. */
  static RetryPolicy over(RetryPolicy first, RetryPolicy second) {
    var merged = second.toBuilder();
    if (first.hasMaximumAttempts()) {
      merged.setMaximumAttempts(first.getMaximumAttempts());
    }
    if (first.hasInitialInterval()) {
      merged.setInitialInterval(first.getInitialInterval());
    }
    if (first.hasBackoffCoefficient()) {
      merged.setBackoffCoefficient(first.getBackoffCoefficient());
    }
    if (first.hasMaximumInterval()) {
      merged.setMaximumInterval(first.getMaximumInterval());
    }
    if (first.hasJitter()) {
      merged.setJitter(first.getJitter());
    }
    if (first.getNonRetryableErrorsCount() > 0) {
      merged.clearNonRetryableErrors().addAllNonRetryableErrors(first.getNonRetryableErrorsList());
    }
    if (first.getPredicate() != RetryPredicate.RETRY_PREDICATE_UNSPECIFIED) {
      merged.setPredicate(first.getPredicate());
      merged.clearErrorKinds().addAllErrorKinds(first.getErrorKindsList());
    }
    return merged.build();
  }
}
