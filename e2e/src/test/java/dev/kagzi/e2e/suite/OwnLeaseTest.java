package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run with a shorter lease than the server's, which is kept by beats that suit it. */
class OwnLeaseTest {

  private static final Duration OWN_LEASE = Duration.ofSeconds(15);
  private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(20);
  private static final WorkflowType<String, String> TYPE =
      WorkflowType.of("short-lease", String.class, String.class);

  @Test
  @Tag("soak")
  void keepsARunWhoseLeaseIsShorterThanTheServersHeartbeatInterval() throws Exception {
    var executions = new AtomicInteger();
    try (Home home = Deployment.remote(HEARTBEAT_INTERVAL, HEARTBEAT_INTERVAL.multipliedBy(3));
        KagziClient client = KagziClient.connect(home.address());
        Worker worker =
            Worker.builder(home.address(), "leases")
                .register(
                    TYPE,
                    (ctx, in) -> {
                      ctx.step(
                          "longer than the lease",
                          () -> {
                            executions.incrementAndGet();
                            Thread.sleep(OWN_LEASE.plusSeconds(5));
                          });
                      return in;
                    })
                .build()) {
      worker.start();

      var handle = client.start(TYPE).queue("leases").lease(OWN_LEASE).input("kept").send();

      assertThat(handle.result(OWN_LEASE.multipliedBy(4))).isEqualTo("kept");
      assertThat(executions).hasValue(1);
    }
  }
}
