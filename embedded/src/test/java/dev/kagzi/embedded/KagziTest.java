package dev.kagzi.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.server.config.ConfigException;
import dev.kagzi.server.config.ConfigKeys;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KagziTest {

  private static final WorkflowType<Integer, String> ORDER =
      WorkflowType.of("order", Integer.class, String.class);

  private static HikariDataSource pool(int size) {
    var pool = new HikariDataSource();
    pool.setJdbcUrl(SharedPostgres.freshDatabase());
    pool.setMaximumPoolSize(size);
    return pool;
  }

  @Test
  void runsAWorkflowInsideTheApplication() throws Exception {
    var executions = new AtomicInteger();
    try (var dataSource = pool(6);
        var kagzi = Kagzi.embedded(dataSource).start();
        var worker =
            Worker.builder(kagzi.address(), "orders")
                .register(
                    ORDER,
                    (ctx, id) -> {
                      String charge =
                          ctx.step(
                              "charge",
                              String.class,
                              () -> "c" + id + executions.getAndIncrement());
                      ctx.sleep("cool down", Duration.ofMillis(100));
                      return ctx.step("ship", String.class, () -> charge + " shipped");
                    })
                .build();
        var client = KagziClient.connect(kagzi.address())) {
      worker.start();

      String result =
          client.start(ORDER).input(7).queue("orders").send().result(Duration.ofSeconds(20));

      assertThat(result).isEqualTo("c70 shipped");
      assertThat(executions).hasValue(1);
      assertThat(kagzi.isReady()).isTrue();
      assertThat(kagzi.databaseVersion()).startsWith("PostgreSQL ");
    }
  }

  @Test
  void aSecondServerOnTheSameDatabaseSharesTheWork() throws Exception {
    try (var dataSource = pool(10);
        var first = Kagzi.embedded(dataSource).start();
        var second = Kagzi.embedded(dataSource).start();
        var worker =
            Worker.builder(first.address(), "orders")
                .register(ORDER, (ctx, id) -> "#" + id)
                .build();
        var client = KagziClient.connect(second.address())) {
      worker.start();

      assertThat(first.address()).isNotEqualTo(second.address());
      assertThat(client.start(ORDER).input(8).queue("orders").send().result(Duration.ofSeconds(20)))
          .isEqualTo("#8");
    }
  }

  @Test
  void leavesTheDataSourceOpenAndNoThreadBehind() throws Exception {
    try (var dataSource = pool(4)) {
      var kagzi = Kagzi.embedded(dataSource).start();

      kagzi.close();
      kagzi.close();

      assertThat(dataSource.isClosed()).isFalse();
      // They are told to end, and end when they are given a processor.
      await().untilAsserted(() -> assertThat(ownThreads()).isEmpty());
    }
  }

  private static List<String> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("kagzi-") && !name.startsWith("kagzi-postgres"))
        .toList();
  }

  @Test
  void refusesAPoolThatIsTooSmall() {
    try (var dataSource = pool(3)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Kagzi.embedded(dataSource).start())
          .withMessageContaining("at most 3 connections (expected: at least 4)");
    }
  }

  @Test
  void refusesSettingsThatMeanNothingHereOrCannotWork() {
    try (var dataSource = pool(4)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Kagzi.embedded(dataSource).with(ConfigKeys.GRPC_PORT, 50_051))
          .withMessageContaining("grpc.port");
      assertThatThrownBy(() ->
              Kagzi.embedded(dataSource)
                  .with(ConfigKeys.WORKER_VISIBILITY_TIMEOUT, Duration.ofSeconds(3))
                  .start())
          .isInstanceOf(ConfigException.class);
    }
  }
}
