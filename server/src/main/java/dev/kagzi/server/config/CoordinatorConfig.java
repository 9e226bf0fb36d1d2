package dev.kagzi.server.config;

import java.time.Duration;

/**
 * The pace of the background loops. Immutable.
 *
 * @param interval longest pause between two looks at the schedules
 * @param batchSize schedules handled in one transaction
 * @param maxWorkflowsPerTick most runs that schedules start in one look
 * @param workerStaleThreshold silence after which a worker is offline
 */
public record CoordinatorConfig(
    Duration interval, int batchSize, int maxWorkflowsPerTick, Duration workerStaleThreshold) {

  static CoordinatorConfig from(Settings settings) {
    return new CoordinatorConfig(
        settings.get(ConfigKeys.COORDINATOR_INTERVAL),
        settings.get(ConfigKeys.COORDINATOR_BATCH_SIZE),
        settings.get(ConfigKeys.COORDINATOR_MAX_WORKFLOWS_PER_TICK),
        settings.get(ConfigKeys.COORDINATOR_WORKER_STALE_THRESHOLD));
  }
}
