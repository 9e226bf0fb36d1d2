package dev.kagzi.engine.wakeup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.jdbc.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresListenerTest {

  private static final QueueKey QUEUE = new QueueKey("default", "a queue: with signs?");

  private final HikariDataSource pool = TestEngine.freshDatabase();
  private final Database database = new Database(pool);
  private final NotifyCoalescer notifier = new NotifyCoalescer(database);
  private final Queue<Instant> heard = new ConcurrentLinkedQueue<>();
  private final AtomicInteger gaps = new AtomicInteger();
  private final WorkSignals signals = new WorkSignals((queue, at) -> {});
  private final PostgresListener listener =
      new PostgresListener(
          pool,
          database,
          new Signals(
              signals,
              new DoneSignals(runId -> {}),
              new NewsSignals(news -> {}),
              new OrphanSignals(),
              Telemetry.NONE),
          gaps::incrementAndGet);

  @AfterEach
  void close() {
    listener.close();
    notifier.close();
    pool.close();
  }

  @Test
  void hearsWhatOthersSay() {
    signals.listen(QUEUE, new Recorder());
    notifier.speakIf(true);
    await().until(listener::isUp);
    Instant due = Instant.parse("2026-01-01T12:00:00.123456Z");

    notifier.workDueAt(QUEUE, due);

    await().until(() -> heard.contains(due));
  }

  @Test
  void isSilentWhenThereIsNobodyToTalkTo() {
    signals.listen(QUEUE, new Recorder());
    await().until(listener::isUp);
    notifier.workDueAt(QUEUE, Instant.EPOCH);
    notifier.speakIf(true);

    notifier.workDueAt(QUEUE, Instant.EPOCH.plusSeconds(1));

    await().until(() -> !heard.isEmpty());
    assertThat(heard).containsExactly(Instant.EPOCH.plusSeconds(1));
  }

  @Test
  void comesBackWhenItsConnectionIsKilledAndSaysThatNewsMayBeMissing() {
    await().until(listener::isUp);
    int before = gaps.get();

    database.inTransaction(tx ->
        tx.query(
                """
                SELECT pg_terminate_backend(pid) AS killed FROM pg_stat_activity
                WHERE pid <> pg_backend_pid() AND datname = current_database()
                  AND (query LIKE 'LISTEN%' OR query LIKE 'NOTIFY%')
                """)
            .list(row -> row.bool("killed")));

    await().atMost(Duration.ofSeconds(15)).until(() -> gaps.get() > before && listener.isUp());
  }

  private final class Recorder implements WorkSignals.Listener {
    @Override
    public void workReady() {}

    @Override
    public void workDueAt(Instant at) {
      heard.add(at);
    }
  }
}
