package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class KilledJvmTest {
  @TempDir private Path folder;

  /** What the child JVM runs. */
  static final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
      var launcher = Boolean.parseBoolean(args[1]) ? Launcher.detect() : unbound();
      try (var postgres = EmbeddedPostgres.builder(Path.of(args[0])).launcher(launcher).start()) {
        Sql.execute(postgres.jdbcUrl("postgres"), "CREATE TABLE t AS SELECT 42 AS answer");
        ChildJvm.done(postgres.pid());
      }
    }

    /** As on systems where nothing binds PostgreSQL to our life. */
    private static Launcher unbound() {
      return Launcher.isRoot() ? new Launcher(List.of("unshare", "-U"), false) : Launcher.PLAIN;
    }
  }

  @BeforeEach
  void prepare() throws Exception {
    ClusterTemplate.copyInto(folder);
  }

  @Test
  void takesPostgresWithIt() throws Exception {
    try (var child = childJvm(true)) {
      var postmaster = ProcessHandle.of(Long.parseLong(child.awaitDone())).orElseThrow();
      var recorded = Files.readAllLines(folder.resolve("data").resolve("postmaster.pid"));
      assertThat(recorded).startsWith(Long.toString(postmaster.pid()));
      var refusal =
          catchThrowableOfType(
              PostgresStartException.class, () -> EmbeddedPostgres.builder(folder).start());
      assertThat(refusal.reason()).isEqualTo(Reason.DATA_IN_USE);
      assertThat(refusal).hasMessageContaining("process " + child.pid());

      child.kill();

      await().until(() -> !new OtherProcess(postmaster).isRunning());
    }
  }

  @Test
  void leavesADirectoryThatCanBeUsedAtOnce() throws Exception {
    try (var child = childJvm(true)) {
      child.awaitDone();

      child.kill();
      try (var postgres = EmbeddedPostgres.builder(folder).start()) {

        assertThat(Sql.query(postgres.jdbcUrl("postgres"), "SELECT answer FROM t")).isEqualTo("42");
      }
    }
  }

  @Test
  void leavesNothingInTheWayWhenPostgresWasKilledToo() throws Exception {
    try (var child = childJvm(true)) {
      var postmaster = ProcessHandle.of(Long.parseLong(child.awaitDone())).orElseThrow();

      postmaster.destroyForcibly();
      child.kill();
      try (var postgres = EmbeddedPostgres.builder(folder).start()) {

        assertThat(Sql.query(postgres.jdbcUrl("postgres"), "SELECT answer FROM t")).isEqualTo("42");
      }
    }
  }

  @Test
  void leavesAnOrphanToTheNextStartWhereNothingBindsIt() throws Exception {
    assumeTrue(Launcher.detect().equals(Launcher.HIDDEN) || !Launcher.isRoot());
    try (var child = childJvm(false)) {
      var orphan = ProcessHandle.of(Long.parseLong(child.awaitDone())).orElseThrow();
      child.kill();
      assertThat(orphan.isAlive()).isTrue();

      try (var postgres = EmbeddedPostgres.builder(folder).start()) {

        assertThat(new OtherProcess(orphan).isRunning()).isFalse();
        assertThat(Sql.query(postgres.jdbcUrl("postgres"), "SELECT answer FROM t")).isEqualTo("42");
      }
    }
  }

  @Test
  void mayLeaveAPidFileWhoseNumberNowBelongsToAnotherProgram() throws Exception {
    var other = ProcessHandle.current().parent().orElseThrow().pid();
    var cluster = folder.resolve("data");
    Files.write(
        cluster.resolve("postmaster.pid"),
        List.of(Long.toString(other), cluster.toString(), "1700000000", "5432", "", "127.0.0.1"));

    try (var postgres = EmbeddedPostgres.builder(folder).start()) {
      assertThat(postgres.isRunning()).isTrue();
    }
  }

  private ChildJvm childJvm(boolean bound) throws IOException {
    return ChildJvm.start(Main.class, folder.toString(), Boolean.toString(bound));
  }
}
