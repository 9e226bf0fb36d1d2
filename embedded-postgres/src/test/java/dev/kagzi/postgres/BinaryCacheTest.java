package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class BinaryCacheTest {
  private static final int FILES = 20;
  private static final int FILE_BYTES = 75_000;

  @TempDir private static Path archiveFolder;
  private static Path archive;

  @TempDir private Path folder;
  private Path cacheFolder;

  /** What the child JVM runs. */
  static final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
      var cache = new BinaryCache(Path.of(args[0]), "test");
      ChildJvm.done(cache.unpacked(new BinaryArchive(URI.create(args[1]).toURL())));
    }
  }

  @BeforeEach
  void chooseCache() {
    cacheFolder = folder.resolve("cache");
  }

  @BeforeAll
  static void pack() throws IOException {
    archive = archiveFolder.resolve("postgres-test.txz");
    try (var tar =
        new TarArchiveOutputStream(
            new XZOutputStream(Files.newOutputStream(archive), new LZMA2Options(0)))) {
      for (var i = 0; i < FILES; i++) {
        addFile(tar, "bin/program" + i);
      }
    }
  }

  private static void addFile(TarArchiveOutputStream tar, String name) throws IOException {
    var content = new byte[FILE_BYTES];
    new Random(name.hashCode()).nextBytes(content);
    var entry = new TarArchiveEntry(name);
    entry.setMode(0755);
    entry.setSize(content.length);
    tar.putArchiveEntry(entry);
    tar.write(content);
    tar.closeArchiveEntry();
  }

  @Test
  void unpacksOnceAndKeepsWhatMayBeExecuted() throws Exception {
    var first = cache().unpacked(archive());
    var marker = Files.createFile(first.resolve("marker"));
    var second = cache().unpacked(archive());

    assertThat(second).isEqualTo(first);
    assertThat(marker).exists();
    assertThat(first.resolve("bin/program0")).isExecutable().hasSize(FILE_BYTES);
  }

  @Test
  void threadsAtTheSameTimeAllGetTheWholeFolder() throws Exception {
    var threads = 4;
    var barrier = new CyclicBarrier(threads);
    Callable<Path> unpack =
        () -> {
          barrier.await();
          return requireComplete(cache().unpacked(archive()));
        };

    try (var executor = Executors.newFixedThreadPool(threads)) {
      var results = executor.invokeAll(IntStream.range(0, threads).mapToObj(i -> unpack).toList());

      for (var result : results) {
        assertThat(result.get()).isEqualTo(cacheFolder.resolve(archive().uniqueName()));
      }
    }
  }

  @Test
  void processesAtTheSameTimeAllGetTheWholeFolder() throws Exception {
    var location = archive.toUri().toString();
    try (var one = ChildJvm.start(Main.class, cacheFolder.toString(), location);
        var other = ChildJvm.start(Main.class, cacheFolder.toString(), location)) {

      var expected = cacheFolder.resolve(archive().uniqueName());

      assertThat(one.awaitDone()).isEqualTo(expected.toString());
      assertThat(other.awaitDone()).isEqualTo(expected.toString());
      requireComplete(expected);
    }
  }

  @Test
  void doesNotUseWhatAKilledProcessLeftUnfinished() throws Exception {
    var leftover = Files.createDirectories(cacheFolder.resolve("unfinished").resolve("bin"));
    Files.writeString(leftover.resolve("program0"), "half of it");

    requireComplete(cache().unpacked(archive()));

    assertThat(cacheFolder.resolve("unfinished")).doesNotExist();
  }

  @Test
  void leavesNothingBehindWhenTheDiskIsFull() throws Exception {
    Files.createDirectory(cacheFolder);
    try (var disk = SmallDisk.mount(cacheFolder, 1)) {

      var refusal =
          catchThrowableOfType(PostgresStartException.class, () -> cache().unpacked(archive()));

      assertThat(refusal.reason()).isEqualTo(Reason.DISK_FULL);
      assertThat(refusal).hasMessageContaining(cacheFolder.toString());
      assertThat(disk.folder()).isDirectoryNotContaining("glob:**/{unfinished,postgres-*}");
    }
  }

  @Test
  void leavesNothingBehindWhenTheArchiveIsDamaged() throws Exception {
    var bytes = Files.readAllBytes(archive);
    var damaged = folder.resolve("postgres-damaged.txz");
    Files.write(damaged, Arrays.copyOf(bytes, bytes.length / 2));
    var damagedArchive = new BinaryArchive(damaged.toUri().toURL());

    var refusal =
        catchThrowableOfType(PostgresStartException.class, () -> cache().unpacked(damagedArchive));

    assertThat(refusal).isNotNull();
    assertThat(cacheFolder).isDirectoryNotContaining("glob:**/{unfinished,postgres-*}");
  }

  private BinaryCache cache() {
    return new BinaryCache(cacheFolder, "test");
  }

  private static BinaryArchive archive() throws IOException {
    return new BinaryArchive(archive.toUri().toURL());
  }

  private static Path requireComplete(Path unpacked) {
    for (var i = 0; i < FILES; i++) {
      assertThat(unpacked.resolve("bin/program" + i)).hasSize(FILE_BYTES);
    }
    return unpacked;
  }
}
