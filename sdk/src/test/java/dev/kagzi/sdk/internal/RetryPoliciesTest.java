package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.v1.RetryPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryPoliciesTest {

  @Test
  void takesEachFieldFromTheNearestPolicy() {
    var ofRun =
        RetryPolicy.newBuilder()
            .setMaximumAttempts(-1)
            .setInitialInterval(WireTimes.fromDuration(Duration.ofSeconds(2)))
            .setJitter(0)
            .addNonRetryableErrors("CardDeclined")
            .build();
    var ofServer =
        RetryPolicies.defaults().toBuilder()
            .setInitialInterval(WireTimes.fromDuration(Duration.ofMillis(1500)))
            .addNonRetryableErrors("NotFound")
            .build();

    RetryPolicy effective = RetryPolicies.over(ofRun, ofServer);

    assertThat(effective.getMaximumAttempts()).isEqualTo(-1);
    assertThat(WireTimes.toDuration(effective.getInitialInterval()))
        .isEqualTo(Duration.ofSeconds(2));
    assertThat(effective.getJitter()).isZero();
    assertThat(effective.getNonRetryableErrorsList()).containsExactly("CardDeclined");
    assertThat(effective.getBackoffCoefficient()).isEqualTo(2.0);
    assertThat(WireTimes.toDuration(effective.getMaximumInterval()))
        .isEqualTo(Duration.ofMinutes(1));
  }
}
