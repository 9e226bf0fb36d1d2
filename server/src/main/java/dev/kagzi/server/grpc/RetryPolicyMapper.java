package dev.kagzi.server.grpc;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.core.RetryPredicate;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Retry policies between the wire and the engine. */
final class RetryPolicyMapper {

  private RetryPolicyMapper() {}

  /** A policy as its author gave it. */
  static PartialRetryPolicy partial(dev.kagzi.v1.RetryPolicy wire) {
    return new PartialRetryPolicy(
        wire.hasMaximumAttempts() ? wire.getMaximumAttempts() : null,
        wire.hasInitialInterval() ? TimeMapper.toDuration(wire.getInitialInterval()) : null,
        wire.hasBackoffCoefficient() ? wire.getBackoffCoefficient() : null,
        wire.hasMaximumInterval() ? TimeMapper.toDuration(wire.getMaximumInterval()) : null,
        wire.getNonRetryableErrorsList(),
        wire.hasJitter() ? wire.getJitter() : null,
        predicate(wire.getPredicate()),
        wire.getErrorKindsList().stream().map(FailureMapper::kind).collect(Collectors.toSet()));
  }

  private static @Nullable RetryPredicate predicate(dev.kagzi.v1.RetryPredicate wire) {
    return switch (wire) {
      case RETRY_PREDICATE_ON_ANY_ERROR -> RetryPredicate.ON_ANY_ERROR;
      case RETRY_PREDICATE_ON_RETRYABLE_ERROR -> RetryPredicate.ON_RETRYABLE_ERROR;
      case RETRY_PREDICATE_NEVER -> RetryPredicate.NEVER;
      case RETRY_PREDICATE_ON_ERROR_KIND -> RetryPredicate.ON_ERROR_KIND;
      case RETRY_PREDICATE_UNSPECIFIED, UNRECOGNIZED -> null;
    };
  }

  private static dev.kagzi.v1.RetryPredicate toWire(RetryPredicate predicate) {
    return switch (predicate) {
      case ON_ANY_ERROR -> dev.kagzi.v1.RetryPredicate.RETRY_PREDICATE_ON_ANY_ERROR;
      case ON_RETRYABLE_ERROR -> dev.kagzi.v1.RetryPredicate.RETRY_PREDICATE_ON_RETRYABLE_ERROR;
      case NEVER -> dev.kagzi.v1.RetryPredicate.RETRY_PREDICATE_NEVER;
      case ON_ERROR_KIND -> dev.kagzi.v1.RetryPredicate.RETRY_PREDICATE_ON_ERROR_KIND;
    };
  }

  /** What its author left open stays absent, so that the worker can fill it. */
  static dev.kagzi.v1.RetryPolicy toWire(PartialRetryPolicy policy) {
    var wire =
        dev.kagzi.v1.RetryPolicy.newBuilder()
            .addAllNonRetryableErrors(policy.nonRetryableErrors())
            .addAllErrorKinds(policy.errorKinds().stream().map(FailureMapper::kind).toList());
    Integer attempts = policy.maximumAttempts();
    if (attempts != null) {
      wire.setMaximumAttempts(attempts);
    }
    Duration initial = policy.initialInterval();
    if (initial != null) {
      wire.setInitialInterval(TimeMapper.toWire(initial));
    }
    Double backoff = policy.backoffCoefficient();
    if (backoff != null) {
      wire.setBackoffCoefficient(backoff);
    }
    Duration maximum = policy.maximumInterval();
    if (maximum != null) {
      wire.setMaximumInterval(TimeMapper.toWire(maximum));
    }
    Double jitter = policy.jitter();
    if (jitter != null) {
      wire.setJitter(jitter);
    }
    RetryPredicate predicate = policy.predicate();
    return predicate == null ? wire.build() : wire.setPredicate(toWire(predicate)).build();
  }

  static dev.kagzi.v1.RetryPolicy toWire(RetryPolicy policy) {
    return dev.kagzi.v1.RetryPolicy.newBuilder()
        .setMaximumAttempts(policy.maximumAttempts())
        .setInitialInterval(TimeMapper.toWire(policy.initialInterval()))
        .setBackoffCoefficient(policy.backoffCoefficient())
        .setMaximumInterval(TimeMapper.toWire(policy.maximumInterval()))
        .addAllNonRetryableErrors(policy.nonRetryableErrors())
        .setJitter(policy.jitter())
        .setPredicate(toWire(policy.predicate()))
        .addAllErrorKinds(policy.errorKinds().stream().map(FailureMapper::kind).toList())
        .build();
  }
}
