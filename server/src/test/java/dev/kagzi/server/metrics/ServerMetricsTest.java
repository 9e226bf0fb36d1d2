package dev.kagzi.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.LoopPulse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is read off the engine. */
class ServerMetricsTest {

  @Test
  void showsWhichLoopHasStalled() {
    var second = Duration.ofSeconds(1);
    var pulses =
        List.of(
            new LoopPulse("beat", second, Duration.ofMinutes(1), 0, null),
            new LoopPulse("sweep", second, second, 3, "no"));

    assertThat(ServerMetrics.stalled(pulses, "beat")).isEqualTo(1);
    assertThat(ServerMetrics.stalled(pulses, "sweep")).isZero();
  }
}
