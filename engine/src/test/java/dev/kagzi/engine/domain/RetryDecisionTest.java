package dev.kagzi.engine.domain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryDecisionTest {

  private static final Failure FAILURE =
      new Failure(
          ErrorKind.NETWORK_ERROR,
          "shop.Errors$Unreachable",
          List.of("java.io.IOException", "java.lang.Exception"),
          "unreachable",
          "",
          null);

  @ParameterizedTest
  @CsvSource({"1, 1000", "2, 2000", "3, 4000", "6, 32000", "7, 60000", "2000000000, 60000"})
  void waitsLongerEachTimeUpToTheMaximum(int failures, long expectedMillis) {
    assertThat(delay(policy(RetryPolicy.UNLIMITED, 0), failures, 0.5))
        .contains(Duration.ofMillis(expectedMillis));
  }

  @Test
  void stopsWhenTheBudgetIsUsedUp() {
    assertThat(delay(policy(3, 0), 2, 0.5)).isPresent();
    assertThat(delay(policy(3, 0), 3, 0.5)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "shop.Errors$Unreachable",
        "Unreachable",
        "java.io.IOException",
        "IOException",
        "NetworkError"
      })
  void stopsAtErrorsListedByClassSimpleNameSuperclassOrKind(String listed) {
    RetryPolicy policy =
        new RetryPolicy(5, Duration.ofSeconds(1), 2, Duration.ofSeconds(60), List.of(listed), 0);

    assertThat(delay(policy, 1, 0.5)).isEmpty();
  }

  @Test
  void neverLooksAtTheMessage() {
    RetryPolicy policy =
        new RetryPolicy(
            5, Duration.ofSeconds(1), 2, Duration.ofSeconds(60), List.of("unreachable"), 0);

    assertThat(delay(policy, 1, 0.5)).isPresent();
  }

  @Test
  void obeysTheCode() {
    RetryPolicy policy = policy(5, 0.25);

    assertThat(RetryDecision.delay(policy, 1, FAILURE, true, null, 0.5)).isEmpty();
    assertThat(RetryDecision.delay(policy, 1, FAILURE, false, Duration.ofMinutes(7), 0.5))
        .contains(Duration.ofMinutes(7));
  }

  @Test
  void staysBetweenZeroAndTheMaximumWhateverTheNumbers() {
    long seed = 20260101;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 100_000; i++) {
      Duration maximum = Duration.ofMillis(random.nextLong(0, 366L * 24 * 3600 * 1000));
      RetryPolicy policy =
          new RetryPolicy(
              RetryPolicy.UNLIMITED,
              Duration.ofMillis(random.nextLong(0, 366L * 24 * 3600 * 1000)),
              random.nextDouble(1, 1000),
              maximum,
              List.of(),
              random.nextDouble(0, 1));
      int failures = random.nextInt(1, Integer.MAX_VALUE);

      assertThat(delay(policy, failures, random.nextDouble()))
          .as("seed %d, round %d", seed, i)
          .hasValueSatisfying(delay -> assertThat(delay).isBetween(Duration.ZERO, maximum));
    }
  }

  private static Optional<Duration> delay(RetryPolicy policy, int failures, double chance) {
    return RetryDecision.delay(policy, failures, FAILURE, false, null, chance);
  }

  private static RetryPolicy policy(int attempts, double jitter) {
    return new RetryPolicy(
        attempts, Duration.ofSeconds(1), 2, Duration.ofSeconds(60), List.of(), jitter);
  }
}
