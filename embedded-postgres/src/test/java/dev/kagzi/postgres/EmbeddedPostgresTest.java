package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPostgresTest {
  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    postgres =
        EmbeddedPostgres.builder(ClusterTemplate.copyInto(folder))
            .setting("work_mem", "7MB")
            .setting("listen_addresses", "*")
            .start();
  }

  @BeforeEach
  void startAgainWhereATestLeftItStopped() {
    if (!postgres.isRunning()) {
      postgres.restart();
    }
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Test
  void keepsPortAndDataOverARestart() throws Exception {
    var url = postgres.jdbcUrl("postgres");
    Sql.execute(url, "CREATE TABLE kept AS SELECT 42 AS answer");

    postgres.stop();
    assertThat(postgres.isRunning()).isFalse();
    postgres.restart();

    assertThat(Sql.query(url, "SELECT answer FROM kept")).isEqualTo("42");
    assertThat(postgres.isRunning()).isTrue();
  }

  @Test
  void keepsCommittedDataWhenKilled() throws Exception {
    var url = postgres.jdbcUrl("postgres");
    var postmaster = ProcessHandle.of(postgres.pid()).orElseThrow();
    var processes = postmaster.descendants().toList();
    Sql.execute(url, "CREATE TABLE recovered AS SELECT 42 AS answer");

    postgres.kill();
    assertThat(postmaster.isAlive()).isFalse();
    assertThat(processes).isNotEmpty().noneMatch(process -> new OtherProcess(process).isRunning());
    postgres.restart();

    assertThat(Sql.query(url, "SELECT answer FROM recovered")).isEqualTo("42");
  }

  @Test
  void noticesThatItEndedByItselfAndStartsAgain() {
    ProcessHandle.of(postgres.pid()).orElseThrow().destroyForcibly();

    await().until(() -> !postgres.isRunning());
    postgres.restart();
    assertThat(postgres.isRunning()).isTrue();
  }

  @Test
  void createsADatabaseOnce() throws Exception {
    var name = "odd \"name\" & more";

    postgres.createDatabase(name);
    postgres.createDatabase(name);

    assertThat(Sql.query(postgres.jdbcUrl(name), "SELECT current_database()")).isEqualTo(name);
  }

  @Test
  void takesSettingsButStaysDurableAndLocal() throws Exception {
    var url = postgres.jdbcUrl("postgres");

    assertThat(Sql.query(url, "SHOW work_mem")).isEqualTo("7MB");
    assertThat(Sql.query(url, "SHOW fsync")).isEqualTo("on");
    assertThat(Sql.query(url, "SHOW synchronous_commit")).isEqualTo("on");
    assertThat(Sql.query(url, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
    assertThat(Sql.query(url, "SHOW server_version")).isEqualTo(postgres.version());
  }

  @Test
  void keepsItsLogBesideTheData() {
    assertThat(postgres.dataDirectory().resolve("postgres.log"))
        .content()
        .contains("ready to accept connections");
  }

  @Test
  void stoppingTwiceIsFine() {
    postgres.stop();
    postgres.stop();

    assertThatIllegalStateException().isThrownBy(postgres::pid).withMessageContaining("stopped");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void isOutOfReachOfCtrlC() throws Exception {
    assumeTrue(!Launcher.detect().equals(Launcher.PLAIN));
    var stat = Files.readString(Path.of("/proc", Long.toString(postgres.pid()), "stat"));

    var fieldsAfterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    var processGroup = Long.parseLong(fieldsAfterName[2]);

    assertThat(processGroup).isEqualTo(postgres.pid());
  }
}
