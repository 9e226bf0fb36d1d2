package dev.kagzi.server;

import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.WorkerPatience;
import dev.kagzi.server.config.LeaseConfig;
import dev.kagzi.server.config.ServerConfig;

/** The engine's part of a server's configuration. */
final class EngineConfigs {

  private EngineConfigs() {}

  static EngineConfig of(ServerConfig config, String version, boolean embedded) {
    LeaseConfig lease = config.lease();
    return new EngineConfig(
        new EngineConfig.Leases(
            lease.duration(),
            lease.heartbeatInterval(),
            lease.suspectGrace(),
            config.coordinator().workerStaleThreshold(),
            lease.maxRecoveryAttempts()),
        new EngineConfig.Intervals(
            config.node().beatInterval(),
            config.coordinator().interval(),
            config.poll().fallbackInterval(),
            config.poll().timeout()),
        new GroupCommit.Size(config.commit().lanes(), config.commit().maxBatch()),
        new EngineConfig.Node(version, config.node().deadAfter(), embedded),
        config.retention().days(),
        new EngineConfig.Firing(
            config.coordinator().batchSize(), config.coordinator().maxWorkflowsPerTick()),
        new EngineConfig.Steps(config.step().retry(), config.step().timeout()),
        new WorkerPatience(config.health().warning(), config.health().timeout()));
  }
}
