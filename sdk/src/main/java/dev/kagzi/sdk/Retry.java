package dev.kagzi.sdk;

import dev.kagzi.core.Durations;
import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.core.RetryPredicate;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How often and how patiently something that failed is tried again: {@code Retry.exponential(5,
 * "1s").notOn(CardDeclined.class)}.
 *
 * <p>What a policy leaves open is taken from the next one in line: that of the step, of the run, of
 * the worker, of the server. The server's is three attempts, one second before the second, twice as
 * long before each further one, at most a minute, each wait varied by a quarter either way.
 *
 * <p>Immutable and thread-safe. Values that make no sense are refused at once with an {@link
 * IllegalArgumentException}.
 */
public final class Retry {

  private static final double DOUBLING = 2.0;

  private final PartialRetryPolicy policy;
  private final Set<ErrorKind> kinds;

  private Retry(PartialRetryPolicy policy, Set<ErrorKind> kinds) {
    this.policy = policy;
    this.kinds = Set.copyOf(kinds);
  }

  /** Waits that double, beginning with one such as {@code 1s}; the first attempt counts. */
  public static Retry exponential(int maximumAttempts, String initialInterval) {
    return exponential(maximumAttempts, Durations.parse(initialInterval));
  }

  /** Waits that double, beginning with this one; the first attempt counts. */
  public static Retry exponential(int maximumAttempts, Duration initialInterval) {
    return of(maximumAttempts, initialInterval, DOUBLING, atLeast(initialInterval));
  }

  /** A longer first wait than the usual longest one would be cut to it without a word. */
  private static @Nullable Duration atLeast(Duration initialInterval) {
    boolean longer = initialInterval.compareTo(RetryPolicy.DEFAULT.maximumInterval()) > 0;
    return longer ? initialInterval : null;
  }

  /** Waits of the same length, such as {@code 30s}; the first attempt counts. */
  public static Retry fixed(int maximumAttempts, String interval) {
    return fixed(maximumAttempts, Durations.parse(interval));
  }

  /** Waits of the same length; the first attempt counts. */
  public static Retry fixed(int maximumAttempts, Duration interval) {
    return of(maximumAttempts, interval, 1.0, interval);
  }

  /** One attempt and no other. */
  public static Retry none() {
    return of(1, null, null, null);
  }

  /** Attempts without end, with waits that double, beginning with one such as {@code 1s}. */
  public static Retry forever(String initialInterval) {
    return forever(Durations.parse(initialInterval));
  }

  /** Attempts without end, with waits that double, beginning with this one. */
  public static Retry forever(Duration initialInterval) {
    return exponential(RetryPolicy.UNLIMITED, initialInterval);
  }

  private static Retry of(
      int attempts,
      @Nullable Duration initial,
      @Nullable Double coefficient,
      @Nullable Duration maximum) {
    return new Retry(
        new PartialRetryPolicy(
            attempts, initial, coefficient, maximum, List.of(), null, null, Set.of()),
        Set.of());
  }

  /** The longest wait, such as {@code 5m}. */
  public Retry maximumInterval(String interval) {
    return maximumInterval(Durations.parse(interval));
  }

  /** The longest wait: 0 to 366 days. */
  public Retry maximumInterval(Duration interval) {
    return with(policy.backoffCoefficient(), interval, policy.jitter());
  }

  /** The factor from one wait to the next: 1 to 1000. */
  public Retry backoff(double coefficient) {
    return with(coefficient, policy.maximumInterval(), policy.jitter());
  }

  /** The share by which a wait is varied at random, so that crowds disperse: 0 to 1. */
  public Retry jitter(double share) {
    return with(policy.backoffCoefficient(), policy.maximumInterval(), share);
  }

  private Retry with(
      @Nullable Double coefficient, @Nullable Duration maximum, @Nullable Double jitter) {
    return new Retry(
        new PartialRetryPolicy(
            policy.maximumAttempts(),
            policy.initialInterval(),
            coefficient,
            maximum,
            policy.nonRetryableErrors(),
            jitter,
            policy.predicate(),
            Set.of()),
        kinds);
  }

  /** Fails at once on these exceptions and their subclasses; adds to those named before. */
  @SafeVarargs
  public final Retry notOn(Class<? extends Throwable>... types) {
    Stream.Builder<String> names = Stream.builder();
    for (Class<? extends Throwable> type : types) {
      names.add(type.getName());
    }
    return notOn(names.build());
  }

  /** Fails at once on errors of these kinds; adds to those named before. */
  public Retry notOn(ErrorKind... errorKinds) {
    return notOn(Arrays.stream(errorKinds).map(ErrorKind::text));
  }

  /**
   * Fails at once on errors named by the class name of the exception or a superclass, in full or
   * without its package, or by kind such as {@code NotFound}; adds to those named before. The
   * message of an exception is never looked at.
   */
  public Retry notOn(String... names) {
    return notOn(Arrays.stream(names));
  }

  private Retry notOn(Stream<String> names) {
    Set<String> all = new LinkedHashSet<>(policy.nonRetryableErrors());
    names.forEach(name -> {
      if (name.isBlank()) {
        throw new IllegalArgumentException("notOn: '' (expected: a class name or an error kind)");
      }
      all.add(name);
    });
    return new Retry(
        new PartialRetryPolicy(
            policy.maximumAttempts(),
            policy.initialInterval(),
            policy.backoffCoefficient(),
            policy.maximumInterval(),
            List.copyOf(all),
            policy.jitter(),
            policy.predicate(),
            Set.of()),
        kinds);
  }

  /** Tries again only what is of one of these kinds. */
  public Retry onlyOn(ErrorKind first, ErrorKind... more) {
    return predicate(RetryPredicate.ON_ERROR_KIND, EnumSet.of(first, more));
  }

  /** Tries again only what is of a {@linkplain ErrorKind#isRetryable retryable} kind. */
  public Retry onRetryableErrors() {
    return predicate(RetryPredicate.ON_RETRYABLE_ERROR, Set.of());
  }

  /** Tries again whatever the kind; so unless another policy in line says otherwise. */
  public Retry onAnyError() {
    return predicate(RetryPredicate.ON_ANY_ERROR, Set.of());
  }

  private Retry predicate(RetryPredicate predicate, Set<ErrorKind> errorKinds) {
    return new Retry(
        new PartialRetryPolicy(
            policy.maximumAttempts(),
            policy.initialInterval(),
            policy.backoffCoefficient(),
            policy.maximumInterval(),
            policy.nonRetryableErrors(),
            policy.jitter(),
            predicate,
            Set.of()),
        errorKinds);
  }

  /** How often something is tried in all; -1 without end, empty if left open. */
  public OptionalInt maximumAttempts() {
    Integer attempts = policy.maximumAttempts();
    return attempts == null ? OptionalInt.empty() : OptionalInt.of(attempts);
  }

  /** The wait before the second attempt; empty if left open. */
  public Optional<Duration> initialInterval() {
    return Optional.ofNullable(policy.initialInterval());
  }

  /** The factor from one wait to the next; empty if left open. */
  public OptionalDouble backoffCoefficient() {
    return optional(policy.backoffCoefficient());
  }

  /** The longest wait; empty if left open. */
  public Optional<Duration> maximumInterval() {
    return Optional.ofNullable(policy.maximumInterval());
  }

  /** The share by which a wait is varied; empty if left open. */
  public OptionalDouble jitter() {
    return optional(policy.jitter());
  }

  private static OptionalDouble optional(@Nullable Double value) {
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /** What is not tried again: class names and error kinds; empty if left open. */
  public List<String> nonRetryableErrors() {
    return policy.nonRetryableErrors();
  }

  /** Which errors are tried again at all; empty if left open. */
  public Optional<Set<ErrorKind>> retriedKinds() {
    RetryPredicate predicate = policy.predicate();
    if (predicate == null) {
      return Optional.empty();
    }
    return Optional.of(
        switch (predicate) {
          case ON_ANY_ERROR -> Set.of(ErrorKind.values());
          case ON_RETRYABLE_ERROR -> Set.copyOf(retryableKinds());
          case NEVER -> Set.of();
          case ON_ERROR_KIND -> kinds;
        });
  }

  private static List<ErrorKind> retryableKinds() {
    return Arrays.stream(ErrorKind.values()).filter(ErrorKind::isRetryable).toList();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Retry that && policy.equals(that.policy) && kinds.equals(that.kinds);
  }

  @Override
  public int hashCode() {
    return policy.hashCode() * 31 + kinds.hashCode();
  }

  @Override
  public String toString() {
    return "Retry" + policy.toString().substring(policy.getClass().getSimpleName().length());
  }
}
