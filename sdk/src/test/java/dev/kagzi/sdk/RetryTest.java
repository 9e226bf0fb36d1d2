package dev.kagzi.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryTest {

  @Test
  void saysOnlyWhatWasSaid() {
    Retry retry = Retry.exponential(5, "1s");

    assertThat(retry.maximumAttempts()).hasValue(5);
    assertThat(retry.initialInterval()).contains(Duration.ofSeconds(1));
    assertThat(retry.backoffCoefficient()).hasValue(2.0);
    assertThat(retry.maximumInterval()).isEmpty();
    assertThat(retry.jitter()).isEmpty();
    assertThat(retry.retriedKinds()).isEmpty();
    assertThat(retry.nonRetryableErrors()).isEmpty();
  }

  @Test
  void keepsAWaitThatIsLongerThanTheUsualLongestOne() {
    assertThat(Retry.exponential(3, "5m").maximumInterval()).contains(Duration.ofMinutes(5));
    assertThat(Retry.fixed(3, "5m").maximumInterval()).contains(Duration.ofMinutes(5));
  }

  @Test
  void hasAFormForNeverAndForEver() {
    assertThat(Retry.none().maximumAttempts()).hasValue(1);
    assertThat(Retry.forever("2s").maximumAttempts()).hasValue(-1);
  }

  @Test
  void isNotChangedByWhatIsDerivedFromIt() {
    Retry first = Retry.fixed(3, "1s");

    Retry second =
        first
            .notOn(IOException.class)
            .notOn("CardDeclined", "NotFound")
            .notOn(ErrorKind.UNAUTHORIZED)
            .jitter(0)
            .backoff(1.5)
            .maximumInterval("1m")
            .onlyOn(ErrorKind.TIMEOUT);

    assertThat(first).isEqualTo(Retry.fixed(3, "1s"));
    assertThat(second.nonRetryableErrors())
        .containsExactly("java.io.IOException", "CardDeclined", "NotFound", "Unauthorized");
    assertThat(second.jitter()).hasValue(0);
    assertThat(second.backoffCoefficient()).hasValue(1.5);
    assertThat(second.maximumInterval()).contains(Duration.ofMinutes(1));
    assertThat(second.retriedKinds().orElseThrow()).containsExactly(ErrorKind.TIMEOUT);
    assertThat(second.maximumAttempts()).hasValue(3);
  }

  @Test
  void refusesWhatMakesNoSenseWithItsNameAndWhatIsAllowed() {
    assertThatThrownBy(() -> Retry.exponential(0, "1s"))
        .hasMessage("maximumAttempts: 0 (expected: >= 1, or -1 for unlimited)");
    assertThatThrownBy(() -> Retry.fixed(3, Duration.ofSeconds(-1)))
        .hasMessageContaining("initialInterval: PT-1S (expected: 0 to 366 days)");
    assertThatThrownBy(() -> Retry.none().backoff(0.5))
        .hasMessage("backoffCoefficient: 0.5 (expected: 1 to 1000)");
    assertThatThrownBy(() -> Retry.none().jitter(1.5)).hasMessage("jitter: 1.5 (expected: 0 to 1)");
    assertThatThrownBy(() -> Retry.none().maximumInterval("400 days"))
        .hasMessageContaining("maximumInterval");
    assertThatThrownBy(() -> Retry.none().notOn("")).hasMessageContaining("notOn");
    assertThatThrownBy(() -> new RetryAfterException("", "-1s")).hasMessageContaining("retryAfter");
  }
}
