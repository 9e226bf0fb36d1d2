package dev.kagzi.engine.domain;

import dev.kagzi.core.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether and when something that failed is tried again. */
public final class RetryDecision {

  private RetryDecision() {}

  /**
   * The wait before the next attempt, or nothing if there is none.
   *
   * @param failures how often it has failed, this failure included
   * @param chance between 0 and 1, spread evenly: where in the range of the jitter the wait lies
   */
  public static Optional<Duration> delay(
      RetryPolicy policy,
      int failures,
      Failure error,
      boolean nonRetryable,
      @Nullable Duration retryAfter,
      double chance) {
    boolean exhausted =
        policy.maximumAttempts() != RetryPolicy.UNLIMITED && failures >= policy.maximumAttempts();
    if (nonRetryable || exhausted || !wants(policy, error) || isListed(policy, error)) {
      return Optional.empty();
    }
    if (retryAfter != null) {
      return Optional.of(retryAfter.isNegative() ? Duration.ZERO : retryAfter);
    }
    return Optional.of(backoff(policy, failures, chance));
  }

  private static boolean wants(RetryPolicy policy, Failure error) {
    return switch (policy.predicate()) {
      case ON_ANY_ERROR -> true;
      case ON_RETRYABLE_ERROR -> error.kind().isRetryable();
      case NEVER -> false;
      case ON_ERROR_KIND -> policy.errorKinds().contains(error.kind());
    };
  }

  private static boolean isListed(RetryPolicy policy, Failure error) {
    return policy.nonRetryableErrors().stream()
        .anyMatch(name ->
            name.equals(error.kind().text())
                || isNamed(error.type(), name)
                || error.typeHierarchy().stream().anyMatch(type -> isNamed(type, name)));
  }

  private static boolean isNamed(String type, String name) {
    if (type.equals(name)) {
      return true;
    }
    int simple = Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1;
    return type.substring(simple).equals(name);
  }

  private static Duration backoff(RetryPolicy policy, int failures, double chance) {
    double most = policy.maximumInterval().toMillis();
    double plain =
        policy.initialInterval().toMillis()
            * Math.pow(policy.backoffCoefficient(), Math.min(failures - 1, 1000));
    double capped = Math.min(most, plain);
    double jittered = capped * (1 + policy.jitter() * (2 * chance - 1));
    return Duration.ofMillis(Math.round(Math.max(0, Math.min(most, jittered))));
  }
}
