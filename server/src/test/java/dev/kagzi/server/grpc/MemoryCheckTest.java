package dev.kagzi.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.ComponentHealth;
import dev.kagzi.engine.domain.Health;
import org.junit.jupiter.api.Test;

class MemoryCheckTest {
  private static final long MEGABYTE = 1024 * 1024;

  @Test
  void aHeapThatIsNearlyFullIsNotWell() {
    assertThat(MemoryCheck.judge(90 * MEGABYTE, 100 * MEGABYTE))
        .isEqualTo(new ComponentHealth("memory", Health.HEALTHY, "90 of 100 MB of heap in use"));
    assertThat(MemoryCheck.judge(91 * MEGABYTE, 100 * MEGABYTE))
        .isEqualTo(
            new ComponentHealth(
                "memory",
                Health.DEGRADED,
                "91 of 100 MB of heap in use; give the server more with -Xmx"));
  }

  @Test
  void looksAtTheHeapOfThisProcess() {
    assertThat(MemoryCheck.look().message()).matches("[1-9]\\d* of [1-9]\\d* MB of heap in use.*");
  }
}
