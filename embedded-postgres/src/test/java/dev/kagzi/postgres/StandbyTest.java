package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandbyTest {

  @Test
  void aStandbyFollowsAndTakesOverWithEverythingThatWasCommitted(@TempDir Path folder)
      throws Exception {
    try (var primary =
        EmbeddedPostgres.builder(
                ClusterTemplate.copyInto(Files.createDirectory(folder.resolve("primary"))))
            .start()) {
      Sql.execute(primary.jdbcUrl("postgres"), "CREATE TABLE told AS SELECT 1 AS number");
      try (var standby = primary.standby(folder.resolve("standby"), "second").start()) {
        follow(primary);
        Sql.execute(primary.jdbcUrl("postgres"), "INSERT INTO told VALUES (2)");
        assertThat(sum(standby)).isEqualTo("3");

        primary.kill();
        Sql.query(standby.jdbcUrl("postgres"), "SELECT pg_promote()");

        Sql.execute(standby.jdbcUrl("postgres"), "INSERT INTO told VALUES (3)");
        assertThat(sum(standby)).isEqualTo("6");
      }
    }
  }

  /** From now on a commit returns when the standby shows it. */
  private static void follow(EmbeddedPostgres primary) throws Exception {
    var url = primary.jdbcUrl("postgres");
    Sql.execute(url, "ALTER SYSTEM SET synchronous_standby_names = 'second'");
    Sql.execute(url, "ALTER DATABASE postgres SET synchronous_commit = 'remote_apply'");
    Sql.query(url, "SELECT pg_reload_conf()");
    await()
        .until(() ->
            Sql.query(url, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                .equals("1"));
  }

  private static String sum(EmbeddedPostgres server) throws Exception {
    return Sql.query(server.jdbcUrl("postgres"), "SELECT sum(number) FROM told");
  }
}
