package dev.kagzi.e2e.failover;

import static org.awaitility.Awaitility.await;

import dev.kagzi.faults.TcpProxy;
import dev.kagzi.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** A PostgreSQL and its standby, which takes over when the first is lost. */
final class DatabasePair implements AutoCloseable {
  private static final String STANDBY = "second";
  private static final String DATABASE = "failover";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final EmbeddedPostgres primary;
  private final TcpProxy link;
  private final EmbeddedPostgres standby;

  private DatabasePair(Path folder, boolean linked) {
    primary =
        EmbeddedPostgres.builder(folder.resolve("primary"))
            .setting("synchronous_commit", "remote_apply")
            .start();
    primary.createDatabase(DATABASE);
    link = TcpProxy.to("127.0.0.1", primary.port());
    standby =
        primary
            .standby(folder.resolve("standby"), STANDBY, linked ? link.port() : primary.port())
            .start();
  }

  /** No commit is acknowledged before the standby has it. */
  static DatabasePair synchronous(Path folder) throws SQLException {
    var pair = new DatabasePair(folder, false);
    pair.ask(pair.primary, "ALTER SYSTEM SET synchronous_standby_names = '" + STANDBY + "'");
    pair.ask(pair.primary, "SELECT pg_reload_conf()");
    pair.awaitStandby("sync");
    return pair;
  }

  /** The standby follows as it can, on a link that can be silenced. */
  static DatabasePair asynchronous(Path folder) {
    var pair = new DatabasePair(folder, true);
    pair.awaitStandby("async");
    return pair;
  }

  private void awaitStandby(String state) {
    await()
        .atMost(PATIENCE)
        .until(() ->
            ask(primary, "SELECT string_agg(sync_state, ' ') FROM pg_stat_replication")
                .equals(state));
  }

  /** Both, in libpq's words, for whoever wants the one that takes writes. */
  String libpqUrl() {
    return "postgres://%s@%s/%s?target_session_attrs=read-write"
        .formatted(EmbeddedPostgres.USER, hosts(), DATABASE);
  }

  /** The same in the driver's words. */
  String jdbcUrl() {
    return "jdbc:postgresql://%s/%s?user=%s&targetServerType=primary"
        .formatted(hosts(), DATABASE, EmbeddedPostgres.USER);
  }

  private String hosts() {
    return "127.0.0.1:%d,127.0.0.1:%d".formatted(primary.port(), standby.port());
  }

  /** The standby gets what there is, and from then on hears nothing more. */
  void holdStandbyBack() throws SQLException {
    String written = ask(primary, "SELECT pg_current_wal_lsn()");
    await()
        .atMost(PATIENCE)
        .until(() ->
            ask(standby, "SELECT pg_last_wal_replay_lsn() >= '%s'".formatted(written)).equals("t"));
    link.blackHole();
  }

  /** The first is gone like a machine without power; the second takes over. */
  void failOver() throws SQLException {
    primary.kill();
    ask(standby, "SELECT pg_promote()");
  }

  private String ask(EmbeddedPostgres server, String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(server.jdbcUrl("postgres"));
        var statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "";
      }
      var rows = statement.getResultSet();
      rows.next();
      return String.valueOf(rows.getString(1));
    }
  }

  @Override
  public void close() {
    link.close();
    standby.close();
    primary.close();
  }
}
