package dev.kagzi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

  @Test
  void triesThreeTimesUnlessToldOtherwise() {
    assertThat(RetryPolicy.DEFAULT.maximumAttempts()).isEqualTo(3);
    assertThat(RetryPolicy.DEFAULT.initialInterval()).isEqualTo(Duration.ofSeconds(1));
    assertThat(RetryPolicy.DEFAULT.maximumInterval()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void refusesNumbersThatCannotMeanAnything() {
    assertThatThrownBy(() -> policy(0, 1, 2)).hasMessageContaining("maximumAttempts: 0");
    assertThatThrownBy(() -> policy(1, -1, 2)).hasMessageContaining("initialInterval");
    assertThatThrownBy(() -> policy(1, 1, Double.NaN)).hasMessageContaining("backoffCoefficient");
    assertThatThrownBy(() -> policy(1, 1, 0.5)).hasMessageContaining("backoffCoefficient: 0.5");
    assertThat(policy(RetryPolicy.UNLIMITED, 1, 1).maximumAttempts()).isEqualTo(-1);
  }

  private static RetryPolicy policy(int attempts, int initialSeconds, double coefficient) {
    return new RetryPolicy(
        attempts,
        Duration.ofSeconds(initialSeconds),
        coefficient,
        Duration.ofSeconds(60),
        List.of(),
        0);
  }
}
