package dev.kagzi.server.config;

import java.time.Duration;

/**
 * How long a worker may be silent. Immutable.
 *
 * @param duration the lease on a claimed run
 * @param heartbeatInterval how often workers are told to beat
 * @param suspectGrace time a worker has to come back after its connection broke
 * @param maxRecoveryAttempts leases a run may lose without progress before it fails
 */
public record LeaseConfig(
    Duration duration, Duration heartbeatInterval, Duration suspectGrace, int maxRecoveryAttempts) {

  static LeaseConfig from(Settings settings) {
    return new LeaseConfig(
        settings.get(ConfigKeys.WORKER_VISIBILITY_TIMEOUT),
        settings.get(ConfigKeys.WORKER_HEARTBEAT_INTERVAL),
        settings.get(ConfigKeys.WORKER_SUSPECT_GRACE),
        settings.get(ConfigKeys.MAX_RECOVERY_ATTEMPTS));
  }
}
