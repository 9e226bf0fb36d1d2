package dev.kagzi.server.config;

import java.time.Duration;

/** How long finished runs are kept; zero days keep them for ever. Immutable. */
public record RetentionConfig(int days) {

  static RetentionConfig from(Settings settings) {
    return new RetentionConfig(settings.get(ConfigKeys.RETENTION_DAYS));
  }

  public boolean keepsForever() {
    return days == 0;
  }

  /** The age at which a finished run may go; ask {@link #keepsForever()} first. */
  public Duration age() {
    return Duration.ofDays(days);
  }
}
