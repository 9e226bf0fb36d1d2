package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedPostgresTest {
  private static final Instant BASE = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void givesEveryTestAnEmptyDatabaseOfItsOwn() throws Exception {
    var first = SharedPostgres.freshDatabase();
    var second = SharedPostgres.freshDatabase();

    Sql.execute(first, "CREATE TABLE t (id INT)");

    assertThat(Sql.query(second, "SELECT to_regclass('t')")).isNull();
  }

  @Test
  void copiesWhatIsFilledOnceForAll() throws Exception {
    var fillings = new AtomicInteger();
    Consumer<String> filling =
        url -> {
          fillings.incrementAndGet();
          assertThatCode(() -> Sql.execute(url, "CREATE TABLE t AS SELECT 7 AS id"))
              .doesNotThrowAnyException();
        };
    var first = SharedPostgres.freshDatabase("seven", filling);
    var second = SharedPostgres.freshDatabase("seven", filling);

    Sql.execute(first, "UPDATE t SET id = 8");

    assertThat(fillings).hasValue(1);
    assertThat(Sql.query(first, "SELECT id FROM t")).isEqualTo("8");
    assertThat(Sql.query(second, "SELECT id FROM t")).isEqualTo("7");
  }

  @Test
  void isAsDurableAsInProduction() throws Exception {
    var url = SharedPostgres.freshDatabase();

    assertThat(Sql.query(url, "SHOW fsync")).isEqualTo("on");
    assertThat(Sql.query(url, "SHOW max_connections")).isEqualTo("300");
    assertThat(Sql.query(url, "SHOW deadlock_timeout")).isEqualTo("200ms");
  }

  @Test
  void countsDeadlocksAndRefusesToGoOnAfterOne(@TempDir Path temp) throws Exception {
    try (var server =
        EmbeddedPostgres.builder(temp.resolve("pg")).setting("deadlock_timeout", "50ms").start()) {
      server.createDatabase("circle");
      var url = server.jdbcUrl("circle");
      Sql.execute(url, "CREATE TABLE t AS SELECT i FROM generate_series(1, 2) AS i");
      assertThat(Databases.deadlocks(url)).isZero();

      assertThatThrownBy(() -> waitInACircle(url)).hasMessageContaining("deadlock");

      await().until(() -> Databases.deadlocks(url) == 1);
    }
    SharedPostgres.refuseAfter(0);
    assertThatThrownBy(() -> SharedPostgres.refuseAfter(1)).hasMessageContaining("1 deadlock");
  }

  private static void waitInACircle(String url) throws Exception {
    try (var one = DriverManager.getConnection(url);
        var other = DriverManager.getConnection(url)) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      update(one, 1);
      update(other, 2);
      var waiting =
          CompletableFuture.runAsync(() -> {
            try {
              update(one, 2);
              one.commit();
            } catch (SQLException e) {
              throw new CompletionException(e);
            }
          });
      update(other, 1);
      other.commit();
      waiting.join();
    }
  }

  private static void update(Connection connection, int row) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE t SET i = i WHERE i = " + row);
    }
  }

  @Test
  void removesWhatKilledJvmsLeftBehind(@TempDir Path temp) throws Exception {
    var own = folder(temp, "own", 0);
    var young = folder(temp, "young", 1);
    var abandoned = folder(temp, "abandoned", 10);
    var inUse = folder(temp, "in-use", 10);
    try (var lock = FolderLock.acquire(inUse)) {

      SharedPostgres.deleteAbandoned(own);

      assertThat(lock).isNotNull();
    }
    assertThat(List.of(own, young, inUse)).allMatch(Files::exists);
    assertThat(abandoned).doesNotExist();
  }

  private static Path folder(Path parent, String name, int minutesOld) throws IOException {
    var folder = Files.createDirectory(parent.resolve(SharedPostgres.FOLDER_PREFIX + name));
    Files.createFile(folder.resolve("lock"));
    Files.setLastModifiedTime(folder, FileTime.from(BASE.minus(Duration.ofMinutes(minutesOld))));
    return folder;
  }
}
