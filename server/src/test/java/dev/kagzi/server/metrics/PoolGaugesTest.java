package dev.kagzi.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.server.Scrape;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who runs out of connections can see it. */
class PoolGaugesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final HikariDataSource pool = new HikariDataSource();

  @BeforeEach
  void open() {
    pool.setJdbcUrl(SharedPostgres.freshDatabase());
    pool.setMaximumPoolSize(1);
    pool.setConnectionTimeout(PATIENCE.toMillis());
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void showsConnectionsInUseAndWhoWaitsForOne() throws Exception {
    CompletableFuture<Void> waiting;
    try (Connection only = pool.getConnection()) {
      new PoolGauges(registry, pool).register();
      waiting = CompletableFuture.runAsync(this::useAConnection, Thread.ofVirtual()::start);

      await().atMost(PATIENCE).until(() -> seen("kagzi_db_pool_pending") == 1);
      assertThat(only.isValid(1)).isTrue();
      assertThat(connections("active")).isEqualTo(1);
      assertThat(connections("idle")).isZero();
      assertThat(seen("kagzi_db_pool_limit")).isEqualTo(1);
    }
    waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

    assertThat(seen("kagzi_db_pool_pending")).isZero();
    assertThat(connections("active")).isZero();
    assertThat(connections("idle")).isEqualTo(1);
  }

  private void useAConnection() {
    try {
      pool.getConnection().close();
    } catch (SQLException failure) {
      throw new CompletionException(failure);
    }
  }

  private double connections(String state) {
    return seen("kagzi_db_pool_connections{state=\"%s\"}".formatted(state));
  }

  private double seen(String series) {
    return Scrape.parse(registry.scrape()).series().getOrDefault(series, -1.0);
  }
}
