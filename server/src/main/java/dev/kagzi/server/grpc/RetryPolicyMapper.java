package dev.kagzi.server.grpc;

import dev.kagzi.core.RetryPolicy;
import dev.kagzi.v1.RetryPredicate;

/** Retry policies between the wire and the engine. */
final class RetryPolicyMapper {

  private RetryPolicyMapper() {}

  /** What is absent on the wire has the server's default. */
  static RetryPolicy fromWire(dev.kagzi.v1.RetryPolicy wire) {
    RetryPolicy otherwise = RetryPolicy.DEFAULT;
    return new RetryPolicy(
        wire.hasMaximumAttempts() ? wire.getMaximumAttempts() : otherwise.maximumAttempts(),
        wire.hasInitialInterval()
            ? TimeMapper.toDuration(wire.getInitialInterval())
            : otherwise.initialInterval(),
        wire.hasBackoffCoefficient()
            ? wire.getBackoffCoefficient()
            : otherwise.backoffCoefficient(),
        wire.hasMaximumInterval()
            ? TimeMapper.toDuration(wire.getMaximumInterval())
            : otherwise.maximumInterval(),
        wire.getNonRetryableErrorsList(),
        wire.hasJitter() ? wire.getJitter() : otherwise.jitter());
  }

  /** Refuses what the engine would not heed. */
  static void refuseWhatIsMissing(dev.kagzi.v1.RetryPolicy wire) {
    RetryPredicate predicate = wire.getPredicate();
    NotOfferedException.refuse(
        predicate != RetryPredicate.RETRY_PREDICATE_UNSPECIFIED
            && predicate != RetryPredicate.RETRY_PREDICATE_ON_ANY_ERROR,
        "retry_policy.predicate other than ON_ANY_ERROR");
  }

  static dev.kagzi.v1.RetryPolicy toWire(RetryPolicy policy) {
    return dev.kagzi.v1.RetryPolicy.newBuilder()
        .setMaximumAttempts(policy.maximumAttempts())
        .setInitialInterval(TimeMapper.toWire(policy.initialInterval()))
        .setBackoffCoefficient(policy.backoffCoefficient())
        .setMaximumInterval(TimeMapper.toWire(policy.maximumInterval()))
        .addAllNonRetryableErrors(policy.nonRetryableErrors())
        .setJitter(policy.jitter())
        .build();
  }
}
