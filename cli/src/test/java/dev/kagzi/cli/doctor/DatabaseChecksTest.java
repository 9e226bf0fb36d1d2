package dev.kagzi.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.output.Paint;
import dev.kagzi.engine.store.DiagnosisStore.HotTable;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code doctor} makes of what a database says of itself. */
class DatabaseChecksTest {
  private static final long GB = 1L << 30;

  @Test
  void anIndexThatIsMissingOrNotValidIsAProblem() {
    assertThat(DatabaseChecks.claimIndex(false, 0).line(Paint.PLAIN))
        .startsWith("✗ the index workflow_runs_ready is missing");
    assertThat(DatabaseChecks.claimIndex(true, 2).line(Paint.PLAIN))
        .isEqualTo("✗ indexes of schema kagzi that are not valid: 2; REINDEX SCHEMA kagzi");
    assertThat(DatabaseChecks.claimIndex(true, 0).line(Paint.PLAIN)).startsWith("✔ ");
  }

  @ParameterizedTest
  @CsvSource({"5000, 10000, ✔", "5000, 10001, !", "20000, 10001, ✔"})
  void deadRowsAreAWarningWhereTheyAreManyAndMoreThanTheLiving(long live, long dead, String mark) {
    var table = new HotTable(live, dead, Optional.of(Duration.ofMinutes(3)), 0);

    assertThat(DatabaseChecks.hotTable(table).line(Paint.PLAIN))
        .startsWith(
            "%s workflow_runs has %d live and %d dead rows, last vacuumed 3m ago"
                .formatted(mark, live, dead));
  }

  @Test
  void aTransactionOfManyMinutesIsAWarning() {
    assertThat(DatabaseChecks.transactions(Duration.ofMinutes(5)).line(Paint.PLAIN))
        .isEqualTo("✔ the oldest transaction is under way for 5m");
    assertThat(DatabaseChecks.transactions(Duration.ofSeconds(301)).line(Paint.PLAIN))
        .isEqualTo(
            "! the oldest transaction is under way for 5m 1s, and nothing that died since can be"
                + " vacuumed; pg_stat_activity names it");
  }

  @Test
  void anotherIsolationIsAWarning() {
    assertThat(DatabaseChecks.isolation("read committed").line(Paint.PLAIN)).startsWith("✔ ");
    assertThat(DatabaseChecks.isolation("serializable").line(Paint.PLAIN))
        .startsWith("! default_transaction_isolation is serializable; an application that embeds");
  }

  @Test
  void aDiskThatIsNearlyFullIsAWarning() {
    assertThat(
            DatabaseChecks.disk(GB, Optional.of(new DataDisk(GB - 1, 10 * GB))).line(Paint.PLAIN))
        .isEqualTo(
            "! the database takes 1.0 GB of disk, and 1024.0 MB of 10.0 GB are free; make room, or"
                + " nothing can be committed");
    assertThat(
            DatabaseChecks.disk(GB, Optional.of(new DataDisk(4 * GB, 100 * GB))).line(Paint.PLAIN))
        .startsWith("! the database takes 1.0 GB of disk, and 4.0 GB of 100.0 GB are free");
    assertThat(
            DatabaseChecks.disk(GB, Optional.of(new DataDisk(5 * GB, 100 * GB))).line(Paint.PLAIN))
        .isEqualTo("✔ the database takes 1.0 GB of disk, and 5.0 GB of 100.0 GB are free");
    assertThat(DatabaseChecks.disk(GB, Optional.empty()).line(Paint.PLAIN)).startsWith("– ");
  }
}
