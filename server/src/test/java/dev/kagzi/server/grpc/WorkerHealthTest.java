package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aWorker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.v1.ComponentHealth;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.HealthCheckRequest;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.Worker;
import dev.kagzi.v1.WorkerStatus;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What the server is told about its patience decides how well silent workers are shown to be. */
class WorkerHealthTest {

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofHours(1);

  @Test
  void aWorkerIsDegradedOnceItWasSilentForLongerThanTheWarning() {
    try (TestServer server = serverWith(SHORT, LONG)) {
      String id = register(server);

      await().until(() -> show(server, id).getHealth(), is(HealthStatus.HEALTH_STATUS_DEGRADED));

      assertThat(show(server, id).getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_ONLINE);
      ComponentHealth workers = workersOf(server);
      assertThat(workers.getStatus()).isEqualTo(HealthStatus.HEALTH_STATUS_DEGRADED);
      assertThat(workers.getMessage()).endsWith("1 silent for more than 200ms");
    }
  }

  @Test
  void aWorkerIsUnhealthyOnceItWasSilentForLongerThanTheTimeout() {
    try (TestServer server = serverWith(Duration.ofMillis(100), SHORT)) {
      String id = register(server);

      await().until(() -> show(server, id).getHealth(), is(HealthStatus.HEALTH_STATUS_UNHEALTHY));

      assertThat(show(server, id).getStatus()).isEqualTo(WorkerStatus.WORKER_STATUS_ONLINE);
      assertThat(server.admin().listWorkers(ListWorkersRequest.getDefaultInstance()).getWorkers(0))
          .extracting(Worker::getHealth)
          .isEqualTo(HealthStatus.HEALTH_STATUS_UNHEALTHY);
    }
  }

  private static TestServer serverWith(Duration warning, Duration timeout) {
    return TestServer.start(settings ->
        settings
            .set(ConfigKeys.WORKER_HEALTH_WARNING, warning)
            .set(ConfigKeys.WORKER_HEALTH_TIMEOUT, timeout));
  }

  private static String register(TestServer server) {
    return server.workers().register(aWorker().build()).getWorkerId();
  }

  private static Predicate<HealthStatus> is(HealthStatus wanted) {
    return wanted::equals;
  }

  private static Worker show(TestServer server, String id) {
    return server
        .admin()
        .getWorker(GetWorkerRequest.newBuilder().setWorkerId(id).build())
        .getWorker();
  }

  private static ComponentHealth workersOf(TestServer server) {
    return server
        .admin()
        .healthCheck(HealthCheckRequest.getDefaultInstance())
        .getComponentsList()
        .stream()
        .filter(part -> part.getName().equals("workers"))
        .findFirst()
        .orElseThrow();
  }
}
