package dev.kagzi.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What somebody said about retries; what is null or empty was left to the next in line: step, run,
 * worker default, server default.
 *
 * @param errorKinds belongs to the predicate
 */
public record PartialRetryPolicy(
    @Nullable Integer maximumAttempts,
    @Nullable Duration initialInterval,
    @Nullable Double backoffCoefficient,
    @Nullable Duration maximumInterval,
    List<String> nonRetryableErrors,
    @Nullable Double jitter,
    @Nullable RetryPredicate predicate,
    Set<ErrorKind> errorKinds) {

  /** Everything left to others. */
  public static final PartialRetryPolicy NONE =
      new PartialRetryPolicy(null, null, null, null, List.of(), null, null, Set.of());

  private static final Duration LONGEST = Duration.ofDays(366);
  private static final double MOST_BACKOFF = 1000;

  public PartialRetryPolicy {
    nonRetryableErrors = List.copyOf(nonRetryableErrors);
    errorKinds = Set.copyOf(errorKinds);
    List<String> faults =
        faults(maximumAttempts, initialInterval, backoffCoefficient, maximumInterval, jitter);
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
  }

  /** Fills what was left open from a policy that is complete. */
  public RetryPolicy over(RetryPolicy otherwise) {
    return new RetryPolicy(
        maximumAttempts == null ? otherwise.maximumAttempts() : maximumAttempts,
        initialInterval == null ? otherwise.initialInterval() : initialInterval,
        backoffCoefficient == null ? otherwise.backoffCoefficient() : backoffCoefficient,
        maximumInterval == null ? otherwise.maximumInterval() : maximumInterval,
        nonRetryableErrors.isEmpty() ? otherwise.nonRetryableErrors() : nonRetryableErrors,
        jitter == null ? otherwise.jitter() : jitter,
        predicate == null ? otherwise.predicate() : predicate,
        predicate == null ? otherwise.errorKinds() : errorKinds);
  }

  /** Everything that is wrong with these values, each with its name and what is allowed. */
  public static List<String> faults(
      @Nullable Integer maximumAttempts,
      @Nullable Duration initialInterval,
      @Nullable Double backoffCoefficient,
      @Nullable Duration maximumInterval,
      @Nullable Double jitter) {
    List<String> faults = new ArrayList<>();
    if (maximumAttempts != null
        && maximumAttempts < 1
        && maximumAttempts != RetryPolicy.UNLIMITED) {
      faults.add("maximumAttempts: " + maximumAttempts + " (expected: >= 1, or -1 for unlimited)");
    }
    checkInterval("initialInterval", initialInterval, faults);
    checkRange("backoffCoefficient", backoffCoefficient, 1, MOST_BACKOFF, faults);
    checkInterval("maximumInterval", maximumInterval, faults);
    checkRange("jitter", jitter, 0, 1, faults);
    return faults;
  }

  private static void checkInterval(String name, @Nullable Duration value, List<String> faults) {
    if (value != null && (value.isNegative() || value.compareTo(LONGEST) > 0)) {
      faults.add(name + ": " + value + " (expected: 0 to 366 days)");
    }
  }

  /** NaN is in no range. */
  private static void checkRange(
      String name, @Nullable Double value, double least, double most, List<String> faults) {
    if (value != null && !(value >= least && value <= most)) {
      faults.add("%s: %s (expected: %.0f to %.0f)".formatted(name, value, least, most));
    }
  }
}
