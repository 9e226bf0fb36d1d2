package dev.kagzi.server.config;

import java.time.Duration;

/** How long a poll waits, and how often the database is asked unprompted. Immutable. */
public record PollConfig(Duration timeout, Duration fallbackInterval) {

  static PollConfig from(Settings settings) {
    return new PollConfig(
        settings.get(ConfigKeys.POLL_TIMEOUT), settings.get(ConfigKeys.POLL_FALLBACK_INTERVAL));
  }
}
