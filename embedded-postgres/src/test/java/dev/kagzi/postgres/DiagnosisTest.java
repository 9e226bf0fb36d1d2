package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiagnosisTest {
  private static final Path FOLDER = Path.of("/var/pg");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DISK_FULL     | PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device
          PORT_IN_USE   | LOG:  could not bind IPv4 address "127.0.0.1": Address already in use
          DATA_IN_USE   | FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use
          DATA_IN_USE   | FATAL:  lock file "postmaster.pid" already exists
          WRONG_VERSION | FATAL:  database files are incompatible with server
          NOT_WRITABLE  | FATAL:  data directory "/var/pg/data" has wrong ownership
          NOT_WRITABLE  | FATAL:  could not open file "PG_VERSION": Permission denied
          START_FAILED  | FATAL:  could not load locale "xx"
          """)
  void understandsWhatPostgresSays(Reason reason, String line) {
    var diagnosis = Diagnosis.ofOutput("PostgreSQL", FOLDER, 5432, line);

    assertThat(diagnosis.reason()).isEqualTo(reason);
    assertThat(diagnosis.getMessage()).containsAnyOf(FOLDER.toString(), "5432");
  }

  @Test
  void understandsWhatTheFileSystemSays() {
    var full = Diagnosis.ofFolder(FOLDER, "test", new IOException("No space left on device"));
    var closed = Diagnosis.ofFolder(FOLDER, "test", new AccessDeniedException("/var/pg"));

    assertThat(full.reason()).isEqualTo(Reason.DISK_FULL);
    assertThat(closed.reason()).isEqualTo(Reason.NOT_WRITABLE);
    assertThat(closed).hasMessageContaining("AccessDenied").hasMessageContaining("test");
  }
}
