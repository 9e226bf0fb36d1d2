package dev.kagzi.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogScanTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "22:39:30.960 ERROR Lane  a commit lane survived an unexpected failure",
        "22:39:30.960 INFO  Workflows  started with \"" + Job.CANARY + "-17\"",
        "2026-11-17 22:39:29.687 UTC [6969] ERROR:  deadlock detected",
        "2026-11-17 22:39:29.687 UTC [6969] PANIC:  could not write",
        "java.lang.OutOfMemoryError: Java heap space",
        "22:39:30.960 WARN  Pool  SOFT-ASSERT: a count is negative",
        "22:39:30.960 WARN  ResourceLeakDetector  LEAK: ByteBuf.release() was not called",
        "Exception in thread \"kagzi-lane-1\" java.lang.IllegalStateException: x",
      })
  void findsWhatMustNotBeLogged(String line) {
    assertThat(LogScan.fault(line)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "22:39:30.960 WARN  Loop  leases failed and will go on trying: ERROR: lock timeout",
        "Caused by: org.postgresql.util.PSQLException: ERROR: canceling statement",
        "2026-11-17 22:39:29.687 UTC [6969] ERROR:  canceling statement due to lock timeout",
        "22:39:30.960 ERROR TransactionalExecutionTemplate  Unable to rollback transaction",
        "22:39:30.960 INFO  WorkerSession  The worker drains: 8 run(s) have 3s to end",
      })
  void passesOverWhatFaultsBringAlong(String line) {
    assertThat(LogScan.fault(line)).isEmpty();
  }

  @Test
  void readsAllLogsBelowAFolder(@TempDir Path folder) throws Exception {
    Files.createDirectories(folder.resolve("logs"));
    Files.writeString(folder.resolve("logs/worker0-1.log"), "fine\n12:00:00.000 ERROR X  bad\n");
    Files.writeString(folder.resolve("postgres.log"), "deadlock detected\n");

    assertThat(LogScan.findings(folder)).hasSize(2);
    assertThat(LogScan.count(folder.resolve("logs"), "worker", "fine")).isEqualTo(1);
  }
}
