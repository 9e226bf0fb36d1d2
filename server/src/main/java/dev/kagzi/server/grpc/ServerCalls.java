package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.domain.ComponentHealth;
import dev.kagzi.engine.domain.Health;
import dev.kagzi.engine.operation.Surroundings;
import dev.kagzi.engine.store.HealthStore;
import dev.kagzi.v1.Database;
import dev.kagzi.v1.GetServerInfoResponse;
import dev.kagzi.v1.HealthCheckResponse;
import dev.kagzi.v1.Node;
import dev.kagzi.v1.TimeoutConfig;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** What a server says about itself. Thread-safe. */
final class ServerCalls {

  private static final String API_VERSION = "kagzi.v1";

  /** What a client may rely on. */
  private static final List<String> FEATURES =
      List.of(
          "ask-streams",
          "batches",
          "children",
          "events",
          "forks",
          "grpc-health",
          "grpc-reflection",
          "namespaces",
          "sagas",
          "schedules",
          "versions",
          "work-streams");

  private final Engine engine;

  /** This machine's own clock, which is shown to people and used for nothing else. */
  private final InstantSource wallClock = InstantSource.system();

  ServerCalls(Engine engine) {
    this.engine = engine;
  }

  HealthCheckResponse health() {
    List<ComponentHealth> parts = new ArrayList<>(engine.checkUp());
    parts.add(MemoryCheck.look());
    Instant now = engine.clock().instant();
    var response = HealthCheckResponse.newBuilder();
    Health worst = Health.HEALTHY;
    for (ComponentHealth part : parts) {
      worst = worst.worse(part.health());
      response.addComponents(toWire(part, now));
    }
    return response.setStatus(HealthMapper.toWire(worst)).build();
  }

  private static dev.kagzi.v1.ComponentHealth toWire(ComponentHealth part, Instant now) {
    var wire =
        dev.kagzi.v1.ComponentHealth.newBuilder()
            .setName(part.name())
            .setStatus(HealthMapper.toWire(part.health()))
            .setMessage(part.message())
            .setCheckedAt(TimeMapper.toWire(now));
    Duration latency = part.latency();
    return latency == null ? wire.build() : wire.setLatency(TimeMapper.toWire(latency)).build();
  }

  GetServerInfoResponse describe() {
    Surroundings.Seen seen = engine.surroundings().look();
    EngineConfig config = engine.config();
    EngineConfig.Leases leases = config.leases();
    EngineConfig.Steps steps = config.steps();
    return GetServerInfoResponse.newBuilder()
        .setServerVersion(config.node().version())
        .setApiVersion(API_VERSION)
        .setNodeId(engine.nodeId().toString())
        .setRuntime("Java " + Runtime.version())
        .setStartedAt(TimeMapper.toWire(engine.startedAt()))
        .setEngineTime(TimeMapper.toWire(engine.clock().instant()))
        .addAllFeatures(FEATURES)
        .setDatabase(database(seen))
        .addAllNodes(seen.nodes().stream().map(node -> toWire(node, seen)).toList())
        .setLimits(WorkerMapper.limits(steps))
        .setDefaultRetryPolicy(RetryPolicyMapper.toWire(steps.retry()))
        .setDefaultTimeouts(
            TimeoutConfig.newBuilder()
                .setStartToCloseTimeout(TimeMapper.toWire(steps.timeout()))
                .setHeartbeatTimeout(TimeMapper.toWire(leases.lease())))
        .setLeaseDuration(TimeMapper.toWire(leases.lease()))
        .setHeartbeatInterval(TimeMapper.toWire(leases.heartbeatInterval()))
        .setDefaultRetention(TimeMapper.toWire(Duration.ofDays(config.retentionDays())))
        .build();
  }

  private Database database(Surroundings.Seen seen) {
    Duration ahead = Duration.between(wallClock.instant(), seen.databaseTime());
    var database =
        Database.newBuilder()
            .setProduct("PostgreSQL")
            .setVersion(seen.database().version())
            .setSchemaVersion(String.valueOf(seen.schemaVersion()))
            .setListenWorks(engine.isListening())
            .setClockSkew(TimeMapper.toWire(ahead))
            .addAllCapabilities(seen.database().capabilities());
    return engine.isListening() ? database.addCapabilities("listen").build() : database.build();
  }

  private static Node toWire(HealthStore.NodeRow node, Surroundings.Seen seen) {
    return Node.newBuilder()
        .setNodeId(node.nodeId().toString())
        .setHostname(node.hostname())
        .setVersion(node.version())
        .setStartedAt(TimeMapper.toWire(node.startedAt()))
        .setLastBeatAt(TimeMapper.toWire(node.lastBeatAt()))
        .setAlive(seen.isAlive(node))
        .setEmbedded(node.embedded())
        .build();
  }
}
