package dev.kagzi.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.server.config.ConfigKeys;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a server says about steps applies where nobody else says more. */
class ServerDefaultsTest {

  private static final WorkflowType<String, String> TYPE =
      WorkflowType.of("stubborn", String.class, String.class);
  private static final int OF_SERVER = 2;
  private static final int OF_WORKER = 4;
  private static final int OF_RUN = 5;
  private static final int OF_STEP = 6;

  private final HikariDataSource pool = new HikariDataSource();
  private final AtomicInteger executions = new AtomicInteger();
  private final Kagzi kagzi;

  ServerDefaultsTest() {
    pool.setJdbcUrl(SharedPostgres.freshDatabase());
    pool.setMaximumPoolSize(6);
    this.kagzi =
        Kagzi.embedded(pool)
            .with(ConfigKeys.RETRY_MAXIMUM_ATTEMPTS, OF_SERVER)
            .with(ConfigKeys.RETRY_INITIAL_INTERVAL, Duration.ofMillis(5))
            .with(ConfigKeys.STEP_TIMEOUT, Duration.ofMillis(300))
            .start();
  }

  @AfterEach
  void stop() {
    kagzi.close();
    pool.close();
  }

  private static Retry attempts(int most) {
    return Retry.fixed(most, "5ms");
  }

  private int executionsOf(@Nullable Retry ofWorker, @Nullable Retry ofRun, @Nullable Retry ofStep)
      throws Exception {
    executions.set(0);
    var building =
        Worker.builder(kagzi.address(), "stubborn")
            .register(
                TYPE,
                (ctx, in) -> {
                  var step = ctx.step("fail");
                  (ofStep == null ? step : step.retry(ofStep)).run(this::fail);
                  return in;
                });
    try (var worker = (ofWorker == null ? building : building.retry(ofWorker)).build();
        var client = KagziClient.connect(kagzi.address())) {
      worker.start();
      var start = client.start(TYPE).input("").queue("stubborn");
      var handle = (ofRun == null ? start : start.retry(ofRun)).send();
      var failure =
          catchThrowableOfType(
              WorkflowFailedException.class, () -> handle.result(Duration.ofSeconds(20)));
      assertThat(failure).isNotNull();
      return executions.get();
    }
  }

  private void fail() {
    executions.incrementAndGet();
    throw new IllegalStateException("no");
  }

  @Test
  void theNumberOfAttemptsIsTheServersUnlessWorkerRunOrStepSayOtherwise() throws Exception {
    assertThat(executionsOf(null, null, null)).isEqualTo(OF_SERVER);
    assertThat(executionsOf(attempts(OF_WORKER), null, null)).isEqualTo(OF_WORKER);
    assertThat(executionsOf(attempts(OF_WORKER), attempts(OF_RUN), null)).isEqualTo(OF_RUN);
    assertThat(executionsOf(attempts(OF_WORKER), attempts(OF_RUN), attempts(OF_STEP)))
        .isEqualTo(OF_STEP);
  }

  @Test
  void anAttemptMayTakeAsLongAsTheServerSaysUnlessTheStepSaysOtherwise() throws Exception {
    var never = new CountDownLatch(1);
    try (var worker =
            Worker.builder(kagzi.address(), "stubborn")
                .register(
                    TYPE,
                    (ctx, in) -> {
                      ctx.step("patient")
                          .timeout("10s")
                          .run(() -> never.await(600, TimeUnit.MILLISECONDS));
                      ctx.step("hasty").retry(Retry.none()).run(never::await);
                      return in;
                    })
                .build();
        var client = KagziClient.connect(kagzi.address())) {
      worker.start();
      var handle = client.start(TYPE).input("").queue("stubborn").send();

      var failure =
          catchThrowableOfType(
              WorkflowFailedException.class, () -> handle.result(Duration.ofSeconds(20)));

      assertThat(failure).isNotNull();
      assertThat(failure.failedStep()).contains("hasty");
      assertThat(failure).hasMessageContaining("timed out after 300ms");
    }
  }
}
