package dev.kagzi.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.domain.Backlog;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.server.Scrape;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.Wire;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseUrl;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database is asked seldom, and its absence is shown and nothing else. */
class BacklogGaugesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String READY =
      "kagzi_queue_ready{namespace=\"default\",task_queue=\"orders\"}";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();
  private volatile boolean broken;

  private final BacklogGauges gauges =
      new BacklogGauges(registry, this::look, () -> true, nanos::get);

  private Backlog look() {
    if (broken) {
      throw new IllegalStateException("the database is gone");
    }
    var orders = new QueueKey("default", "orders");
    int look = looks.incrementAndGet();
    return new Backlog(List.of(new Backlog.Queue(orders, look, Duration.ofMillis(1500), 3)), 2);
  }

  private Scrape scrape() {
    gauges.refresh();
    return Scrape.parse(registry.scrape());
  }

  @Test
  void looksAgainWhenTenSecondsHavePassed() {
    for (int i = 0; i < 5; i++) {
      assertThat(scrape().value(READY)).isEqualTo(1);
    }
    nanos.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(scrape().value(READY)).isEqualTo(1);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    Scrape later = scrape();

    assertThat(later.value(READY)).isEqualTo(2);
    assertThat(later.sum("kagzi_queue_oldest_age_seconds")).isEqualTo(1.5);
    assertThat(later.sum("kagzi_queue_workers")).isEqualTo(3);
    assertThat(later.value("kagzi_schedules_late")).isEqualTo(2);
  }

  @Test
  void showsNothingAfterALookThatFailedAndLooksAtOnceAfterIt() {
    scrape();
    broken = true;
    nanos.addAndGet(Duration.ofSeconds(10).toNanos());

    Scrape without = scrape();

    assertThat(without.count("kagzi_queue_ready")).isZero();
    assertThat(without.value("kagzi_schedules_late")).isNaN();
    assertThat(without.series()).containsEntry("kagzi_database_up", 0.0);
    broken = false;
    Scrape again = scrape();
    assertThat(again.value(READY)).isEqualTo(2);
    assertThat(again.value("kagzi_database_up")).isEqualTo(1);
  }

  @Test
  void doesNotWaitForALookThatHangsAndStartsNoSecond() throws InterruptedException {
    var hanging = new CountDownLatch(1);
    var begun = new AtomicInteger();
    var slow =
        new BacklogGauges(
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            () -> {
              begun.incrementAndGet();
              try {
                hanging.await();
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
              return look();
            },
            () -> true,
            nanos::get);

    slow.refresh();
    slow.refresh();

    assertThat(begun).hasValue(1);
    hanging.countDown();
    await().atMost(PATIENCE).untilAtomic(looks, count -> assertThat(count).isEqualTo(1));
  }

  @Test
  void aServerWithoutItsDatabaseIsScrapedAllTheSame(@TempDir Path folder) {
    try (var postgres = EmbeddedPostgres.builder(folder).start()) {
      postgres.createDatabase("kagzi");
      try (var server =
          TestServer.start(settings ->
              settings
                  .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(postgres.jdbcUrl("kagzi")))
                  .set(ConfigKeys.NODE_BEAT_INTERVAL, Duration.ofMillis(100)))) {
        server.workflows().startWorkflow(Wire.aStart().build());
        assertThat(Scrape.of(server).series())
            .containsEntry(READY, 1.0)
            .containsEntry("kagzi_database_up", 1.0);

        postgres.stop();

        await()
            .atMost(PATIENCE)
            .untilAsserted(() ->
                assertThat(Scrape.of(server).series())
                    .containsEntry("kagzi_database_up", 0.0)
                    .doesNotContainKey(READY));
        assertThat(Scrape.of(server).sum("kagzi_runs_started_total")).isEqualTo(1);

        postgres.restart();

        await()
            .atMost(PATIENCE)
            .untilAsserted(() ->
                assertThat(Scrape.of(server).series())
                    .containsEntry("kagzi_database_up", 1.0)
                    .containsEntry(READY, 1.0));
      }
    }
  }
}
