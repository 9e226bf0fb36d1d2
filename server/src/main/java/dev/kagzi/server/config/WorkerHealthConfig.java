package dev.kagzi.server.config;

import java.time.Duration;

/**
 * How long a worker may be silent and still be shown as well. Immutable.
 *
 * @param warning from this silence on it is shown as degraded
 * @param timeout from this silence on it is shown as unhealthy
 */
public record WorkerHealthConfig(Duration warning, Duration timeout) {

  static WorkerHealthConfig from(Settings settings) {
    return new WorkerHealthConfig(
        settings.get(ConfigKeys.WORKER_HEALTH_WARNING),
        settings.get(ConfigKeys.WORKER_HEALTH_TIMEOUT));
  }
}
