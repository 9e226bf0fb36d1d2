package dev.kagzi.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.server.TestServer;
import dev.kagzi.v1.ComponentHealth;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.GetServerInfoResponse;
import dev.kagzi.v1.HealthCheckRequest;
import dev.kagzi.v1.HealthCheckResponse;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.Node;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServerCallsTest {

  private TestServer server;

  @BeforeAll
  void start() {
    server = TestServer.start();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void healthIsThatOfTheWorstPartAndEachIsNamed() {
    await().until(() -> check().getStatus(), HealthStatus.HEALTH_STATUS_HEALTHY::equals);

    assertThat(check().getComponentsList())
        .extracting(ComponentHealth::getName)
        .contains("database", "clock", "listen", "memory", "migrations", "workers", "node-beat");
    assertThat(check().getComponentsList())
        .allSatisfy(part -> {
          assertThat(part.hasCheckedAt()).isTrue();
          assertThat(part.getMessage()).isNotEmpty();
        });
  }

  @Test
  void describesItselfItsDatabaseAndItsFellows() {
    await().until(() -> describe().getDatabase().getListenWorks());
    // The first beat writes the node down.
    await().until(() -> describe().getNodesCount() == 1);

    GetServerInfoResponse described = describe();

    assertThat(described.getApiVersion()).isEqualTo("kagzi.v1");
    assertThat(described.getServerVersion()).isNotEmpty();
    assertThat(described.getRuntime()).startsWith("Java ");
    assertThat(described.getFeaturesList()).contains("namespaces", "schedules").isSorted();
    assertThat(described.getDatabase().getVersion()).matches("\\d+\\.\\d+");
    assertThat(described.getDatabase().getSchemaVersion()).isEqualTo("1");
    assertThat(described.getDatabase().getCapabilitiesList()).contains("listen", "writable");
    assertThat(Math.abs(described.getDatabase().getClockSkew().getSeconds())).isLessThan(5);
    Node node = described.getNodes(0);
    assertThat(node.getNodeId()).isEqualTo(described.getNodeId());
    assertThat(node.getAlive()).isTrue();
    assertThat(node.getEmbedded()).isFalse();
    assertThat(described.getLimits().getMaxPageSize()).isEqualTo(1000);
    assertThat(described.getDefaultRetryPolicy().getMaximumAttempts()).isEqualTo(3);
    assertThat(described.getDefaultTimeouts().getStartToCloseTimeout().getSeconds()).isEqualTo(600);
    assertThat(described.getLeaseDuration().getSeconds()).isEqualTo(30);
    assertThat(described.getHeartbeatInterval().getSeconds()).isEqualTo(10);
  }

  private HealthCheckResponse check() {
    return server.admin().healthCheck(HealthCheckRequest.getDefaultInstance());
  }

  private GetServerInfoResponse describe() {
    return server.admin().getServerInfo(GetServerInfoRequest.getDefaultInstance());
  }
}
