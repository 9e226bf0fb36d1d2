package dev.kagzi.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.CountingDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.EngineClock;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeBeaterTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private final HikariDataSource pool = TestEngine.migratedDatabase();
  private final CountingDataSource counting = new CountingDataSource(pool);
  private final Database database = new Database(counting.dataSource());
  private final EngineClock clock = NodeBeater.startClock(database);
  private final NodeStore.Node node =
      new NodeStore.Node(UUID.randomUUID(), "host", 1, "test", false);
  private final List<NodeStore.Look> seen = new ArrayList<>();

  @AfterEach
  void close() {
    pool.close();
  }

  private NodeBeater beater(Duration workerLook) {
    var terms = new NodeBeater.Terms(Duration.ofSeconds(6), Duration.ofSeconds(30), workerLook);
    return new NodeBeater(database, clock, node, terms, (look, steadyFor) -> seen.add(look));
  }

  @Test
  void takesALookAlongInTheTransactionOfTheBeat() {
    var reads = new AtomicInteger();
    NodeBeater beater = beater(Duration.ofHours(1));
    long before = counting.commits();

    boolean taken =
        beater.takeAlong(
            tx -> {
              assertThat(beats(tx)).isEqualTo(1);
              reads.incrementAndGet();
            },
            () -> {
              beater.runOnce(NOW);
              return true;
            });

    assertThat(taken).isTrue();
    assertThat(counting.commits()).isEqualTo(before + 1);
    assertThat(reads).hasValue(1);
    assertThat(seen).hasSize(1);
  }

  @Test
  void whoIsNotTakenAlongNowIsNotTakenAlongLater() {
    NodeBeater beater = beater(Duration.ofHours(1));
    var reads = new AtomicInteger();
    NodeBeater.Passenger passenger = tx -> reads.incrementAndGet();

    assertThat(beater.takeAlong(passenger, () -> false)).isFalse();
    beater.runOnce(NOW);

    assertThat(reads).hasValue(0);
  }

  @Test
  void beatsAllTheSameWhenWhoItTookAlongFails() {
    NodeBeater beater = beater(Duration.ofHours(1));

    var unused =
        beater.takeAlong(
            tx -> tx.query("SELECT 1 / 0 AS broken").list(row -> row.bigint("broken")),
            () -> {
              beater.runOnce(NOW);
              return true;
            });

    assertThat(database.<Integer>inTransaction(NodeBeaterTest::beats)).isEqualTo(1);
    assertThat(seen).hasSize(1);
  }

  @Test
  void looksAtTheWorkersEverySoOftenOnly() {
    database.inTransaction(tx ->
        tx.query(
                """
                INSERT INTO kagzi.workers (worker_id, namespace_id, task_queue, hostname, pid,
                  instance_id, status, workflow_types, versions, max_concurrent, registered_at,
                  last_heartbeat_at)
                VALUES (:worker, 'default', 'orders', 'host', 1, 'one', 'ONLINE', '{a}', '{""}', 1,
                  :then, :then)
                """)
            .set("worker", UUID.randomUUID())
            .set("then", NOW.minusSeconds(31))
            .update());

    beater(Duration.ofHours(1)).runOnce(NOW);
    beater(Duration.ZERO).runOnce(NOW);
    beater(Duration.ZERO).runOnce(NOW.minusSeconds(2));

    assertThat(seen).extracting(NodeStore.Look::workersSilent).containsExactly(false, true, false);
  }

  private static int beats(Transaction tx) {
    return tx.query("SELECT count(*)::int4 AS beats FROM kagzi.nodes")
        .only(row -> row.integer("beats"));
  }
}
