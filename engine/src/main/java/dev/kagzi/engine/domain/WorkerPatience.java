package dev.kagzi.engine.domain;

import java.time.Duration;

/**
 * How long a worker may be silent and still be called well. It only decides what people are shown:
 * when a worker loses its runs is decided by its lease and by when it is declared offline.
 *
 * @param warning from this silence on it is degraded; one heartbeat may come late
 * @param timeout from this silence on it is unhealthy
 */
public record WorkerPatience(Duration warning, Duration timeout) {

  /** Half a lease and a whole one, as they usually are. */
  public static final WorkerPatience USUAL =
      new WorkerPatience(Duration.ofSeconds(15), Duration.ofSeconds(30));

  public WorkerPatience {
    if (!warning.isPositive() || warning.compareTo(timeout) >= 0) {
      throw new IllegalArgumentException(
          "warning: %s, timeout: %s (expected: 0 < warning < timeout)".formatted(warning, timeout));
    }
  }
}
