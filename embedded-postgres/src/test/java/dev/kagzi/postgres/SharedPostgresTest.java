package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
  void isAsDurableAsInProduction() throws Exception {
    var url = SharedPostgres.freshDatabase();

    assertThat(Sql.query(url, "SHOW fsync")).isEqualTo("on");
    assertThat(Sql.query(url, "SHOW max_connections")).isEqualTo("300");
    assertThat(Sql.query(url, "SHOW deadlock_timeout")).isEqualTo("200ms");
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
