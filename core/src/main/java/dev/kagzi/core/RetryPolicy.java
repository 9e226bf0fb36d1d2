package dev.kagzi.core;

import java.time.Duration;
import java.util.List;

/**
 * How often and how patiently something is tried again.
 *
 * @param maximumAttempts executions in all, or {@link #UNLIMITED}
 * @param initialInterval wait before the first retry
 * @param backoffCoefficient factor from one wait to the next
 * @param maximumInterval the longest wait
 * @param nonRetryableErrors exception class names, simple names or error kinds that end it at once
 * @param jitter share by which a wait is varied at random; 0 for none
 */
public record RetryPolicy(
    int maximumAttempts,
    Duration initialInterval,
    double backoffCoefficient,
    Duration maximumInterval,
    List<String> nonRetryableErrors,
    double jitter) {

  public static final int UNLIMITED = -1;

  private static final Duration LONGEST = Duration.ofDays(366);

  /** What applies where nobody said otherwise. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(3, Duration.ofSeconds(1), 2.0, Duration.ofSeconds(60), List.of(), 0.25);

  public RetryPolicy {
    require(
        maximumAttempts >= 1 || maximumAttempts == UNLIMITED,
        "maximumAttempts: " + maximumAttempts + " (expected: >= 1, or -1 for unlimited)");
    requireInterval("initialInterval", initialInterval);
    requireInterval("maximumInterval", maximumInterval);
    require(
        backoffCoefficient >= 1 && backoffCoefficient <= 1000,
        "backoffCoefficient: " + backoffCoefficient + " (expected: 1 to 1000)");
    require(jitter >= 0 && jitter <= 1, "jitter: " + jitter + " (expected: 0 to 1)");
    nonRetryableErrors = List.copyOf(nonRetryableErrors);
  }

  private static void requireInterval(String name, Duration interval) {
    require(
        !interval.isNegative() && interval.compareTo(LONGEST) <= 0,
        name + ": " + interval + " (expected: 0 to 366 days)");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
