package dev.kagzi.server.config;

import dev.kagzi.core.RetryPolicy;
import java.time.Duration;
import java.util.List;

/**
 * What applies to steps where nobody says otherwise. Immutable.
 *
 * @param retry how often and how patiently a step is tried again
 * @param timeout how long one attempt may take
 */
public record StepConfig(RetryPolicy retry, Duration timeout) {

  static StepConfig from(Settings settings) {
    return new StepConfig(
        new RetryPolicy(
            settings.get(ConfigKeys.RETRY_MAXIMUM_ATTEMPTS),
            settings.get(ConfigKeys.RETRY_INITIAL_INTERVAL),
            settings.get(ConfigKeys.RETRY_BACKOFF_COEFFICIENT),
            settings.get(ConfigKeys.RETRY_MAXIMUM_INTERVAL),
            List.of(),
            settings.get(ConfigKeys.RETRY_JITTER)),
        settings.get(ConfigKeys.STEP_TIMEOUT));
  }
}
