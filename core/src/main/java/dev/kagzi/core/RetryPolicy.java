package dev.kagzi.core;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * How often and how patiently something is tried again.
 *
 * @param maximumAttempts executions in all, or {@link #UNLIMITED}
 * @param initialInterval wait before the first retry
 * @param backoffCoefficient factor from one wait to the next
 * @param maximumInterval the longest wait
 * @param nonRetryableErrors exception class names, simple names or error kinds that end it at once
 * @param jitter share by which a wait is varied at random; 0 for none
 * @param predicate which errors are retried at all
 * @param errorKinds the kinds that {@link RetryPredicate#ON_ERROR_KIND} means
 */
public record RetryPolicy(
    int maximumAttempts,
    Duration initialInterval,
    double backoffCoefficient,
    Duration maximumInterval,
    List<String> nonRetryableErrors,
    double jitter,
    RetryPredicate predicate,
    Set<ErrorKind> errorKinds) {

  public static final int UNLIMITED = -1;

  /** What applies where nobody said otherwise. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(3, Duration.ofSeconds(1), 2.0, Duration.ofSeconds(60), List.of(), 0.25);

  /** A policy that retries whatever is not listed. */
  public RetryPolicy(
      int maximumAttempts,
      Duration initialInterval,
      double backoffCoefficient,
      Duration maximumInterval,
      List<String> nonRetryableErrors,
      double jitter) {
    this(
        maximumAttempts,
        initialInterval,
        backoffCoefficient,
        maximumInterval,
        nonRetryableErrors,
        jitter,
        RetryPredicate.ON_ANY_ERROR,
        Set.of());
  }

  public RetryPolicy {
    List<String> faults =
        PartialRetryPolicy.faults(
            maximumAttempts, initialInterval, backoffCoefficient, maximumInterval, jitter);
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
    nonRetryableErrors = List.copyOf(nonRetryableErrors);
    errorKinds = Set.copyOf(errorKinds);
  }
}
