package dev.kagzi.engine.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.jdbc.Database;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PartitionStoreTest {

  private static final LocalDate DAY = LocalDate.of(2026, 2, 28);

  private final HikariDataSource dataSource = TestEngine.freshDatabase();
  private final Database database = new Database(dataSource);
  private final PartitionStore store = new PartitionStore();

  @BeforeAll
  void migrate() {
    new Schema(dataSource).migrate();
  }

  @AfterAll
  void close() {
    dataSource.close();
  }

  @Test
  void makesEachDayOnceAndKeepsItsNeighboursApart() {
    create(DAY);
    create(DAY);
    create(DAY.plusDays(1));

    assertThat(partitionOf("2026-02-28T00:00:00Z")).isEqualTo("workflow_payloads_20260228");
    assertThat(partitionOf("2026-02-28T23:59:59.999Z")).isEqualTo("workflow_payloads_20260228");
    assertThat(partitionOf("2026-03-01T00:00:00Z")).isEqualTo("workflow_payloads_20260301");
  }

  @Test
  void givesEachPartitionTheIndexesOfItsParent() {
    create(DAY.plusDays(7));

    long attached =
        count(
            """
            SELECT count(*) AS n
            FROM pg_inherits h
            JOIN pg_class c ON c.oid = h.inhrelid
            WHERE c.relkind = 'i' AND c.relname LIKE 'finished_runs_20260307%'
            """);
    long wanted =
        count(
            "SELECT count(*) AS n FROM pg_index WHERE indrelid = 'kagzi.finished_runs'::regclass");
    assertThat(attached).isEqualTo(wanted).isGreaterThan(1);
  }

  private long count(String query) {
    return database.inTransaction(tx -> tx.query(query).only(row -> row.bigint("n")));
  }

  private void create(LocalDate day) {
    database.inTransaction(tx -> {
      store.createDay(tx, day);
      return true;
    });
  }

  private String partitionOf(String moment) {
    UUID id = new TimeOrderedIds(() -> Instant.parse(moment)).next();
    return database.inTransaction(tx ->
        tx.query(
                """
                INSERT INTO kagzi.workflow_payloads (run_id, input) VALUES (:id, '')
                RETURNING tableoid::regclass::text AS partition
                """)
            .set("id", id)
            .only(row -> row.text("partition").replace("kagzi.", "")));
  }
}
