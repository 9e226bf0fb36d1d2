package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Health;
import dev.kagzi.v1.HealthStatus;

/** How well things are, as the wire shows it. */
final class HealthMapper {

  private HealthMapper() {}

  static HealthStatus toWire(Health health) {
    return switch (health) {
      case HEALTHY -> HealthStatus.HEALTH_STATUS_HEALTHY;
      case DEGRADED -> HealthStatus.HEALTH_STATUS_DEGRADED;
      case UNHEALTHY -> HealthStatus.HEALTH_STATUS_UNHEALTHY;
    };
  }
}
