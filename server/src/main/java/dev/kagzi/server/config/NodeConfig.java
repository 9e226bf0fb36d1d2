package dev.kagzi.server.config;

import java.time.Duration;

/** How often a server writes that it is alive, and when others take it for dead. Immutable. */
public record NodeConfig(Duration beatInterval, Duration deadAfter) {

  static NodeConfig from(Settings settings) {
    return new NodeConfig(
        settings.get(ConfigKeys.NODE_BEAT_INTERVAL), settings.get(ConfigKeys.NODE_DEAD_AFTER));
  }
}
