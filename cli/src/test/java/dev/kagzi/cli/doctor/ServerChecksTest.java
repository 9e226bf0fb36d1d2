package dev.kagzi.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.client.Setting;
import dev.kagzi.cli.output.Paint;
import dev.kagzi.v1.ComponentHealth;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.Node;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code doctor} makes of what a server says of itself. */
class ServerChecksTest {
  private static List<String> lines(List<Finding> findings) {
    return findings.stream().map(finding -> finding.line(Paint.PLAIN)).toList();
  }

  private static ComponentHealth part(String name, HealthStatus status) {
    return ComponentHealth.newBuilder().setName(name).setStatus(status).setMessage("so-so").build();
  }

  private static Node node(String version, boolean alive) {
    return Node.newBuilder().setVersion(version).setAlive(alive).build();
  }

  @Test
  void aServerThatDoesNotServeIsAProblem() {
    var address = new Setting("db.internal:50051", "KAGZI_ADDRESS");

    assertThat(ServerChecks.serving(ServingStatus.NOT_SERVING, "1.0", address).line(Paint.PLAIN))
        .isEqualTo(
            "✗ server 1.0 at db.internal:50051 from KAGZI_ADDRESS, gRPC health NOT_SERVING:"
                + " it takes no work; the lines below say why");
    assertThat(ServerChecks.serving(ServingStatus.SERVING, "1.0", address).line(Paint.PLAIN))
        .startsWith("✔ ")
        .endsWith("SERVING");
  }

  @Test
  void commitsThatAreNotDurableAndADatabaseThatIsReadOnlyAreProblems() {
    assertThat(lines(ServerChecks.durability(List.of("durable-commits", "writable"))))
        .containsExactly("✔ commits are durable, and the database takes them");
    assertThat(lines(ServerChecks.durability(List.of("writable"))))
        .singleElement()
        .asString()
        .startsWith("✗ commits are not durable: fsync or synchronous_commit is off");
    assertThat(lines(ServerChecks.durability(List.of("durable-commits"))))
        .singleElement()
        .asString()
        .startsWith("✗ the database is read only, perhaps a standby");
  }

  @Test
  void whoHearsNoNewsIsToldOfPoolers() {
    var deaf = part("listen", HealthStatus.HEALTH_STATUS_DEGRADED);
    var hearing = part("listen", HealthStatus.HEALTH_STATUS_HEALTHY);

    assertThat(lines(ServerChecks.parts(List.of(deaf))))
        .containsExactly(
            "! listen: so-so; behind a pooler, set database.direct_url to the database's own"
                + " address",
            "✔ 0 background loops at work");
    assertThat(lines(ServerChecks.parts(List.of(hearing)))).contains("✔ listen: so-so");
  }

  @Test
  void loopsAreCountedUnlessTheyAreIll() {
    var well = part("lease-sweeper", HealthStatus.HEALTH_STATUS_HEALTHY);
    var ill = part("schedule-firer", HealthStatus.HEALTH_STATUS_UNHEALTHY);

    assertThat(lines(ServerChecks.parts(List.of(well, ill))))
        .containsExactly("✗ schedule-firer: so-so", "✔ 1 background loop at work");
  }

  @Test
  void serversOfSeveralVersionsAreAnUpgradeThatIsNotFinished() {
    var old = node("1.0", true);
    var young = node("1.1", true);
    var gone = node("0.9", false);

    assertThat(ServerChecks.nodes(List.of(old, young, gone)).line(Paint.PLAIN))
        .isEqualTo(
            "! 2 server processes on this database, of versions 1.0 and 1.1; finish the upgrade");
    assertThat(ServerChecks.nodes(List.of(old, gone)).line(Paint.PLAIN))
        .isEqualTo("✔ 1 server process on this database");
  }
}
