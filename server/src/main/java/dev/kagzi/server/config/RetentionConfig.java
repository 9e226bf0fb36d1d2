package dev.kagzi.server.config;

/** How long finished runs are kept; zero days keep them for ever. Immutable. */
public record RetentionConfig(int days) {

  static RetentionConfig from(Settings settings) {
    return new RetentionConfig(settings.get(ConfigKeys.RETENTION_DAYS));
  }
}
