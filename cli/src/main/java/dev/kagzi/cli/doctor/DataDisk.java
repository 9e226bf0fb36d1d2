package dev.kagzi.cli.doctor;

import dev.kagzi.engine.store.DiagnosisStore.Postmaster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The disk with a database's files, or the fuller one if its log has one of its own. Immutable. */
record DataDisk(long freeBytes, long totalBytes) {
  private static final long FEW_BYTES = 1L << 30;
  private static final int FEW_PERCENT = 5;

  private static final String LOG = "pg_wal";
  private static final String PROCESS = "postmaster.pid";
  private static final int START_LINE = 2;
  private static final int PORT_LINE = 3;

  /** PostgreSQL notes whole seconds, a moment before the time that it tells. */
  private static final Duration TOLERANCE = Duration.ofSeconds(5);

  /** Nothing unless the files of this very PostgreSQL can be seen from here. */
  static Optional<DataDisk> of(Optional<Postmaster> postmaster) {
    try {
      return postmaster.isPresent() ? seen(postmaster.get()) : Optional.empty();
    } catch (IOException | SecurityException hidden) {
      return Optional.empty();
    }
  }

  /** A folder of that name may also be another PostgreSQL's, as behind a tunnel. */
  private static Optional<DataDisk> seen(Postmaster postmaster) throws IOException {
    var folder = Path.of(postmaster.dataDirectory());
    var notes = Files.readAllLines(folder.resolve(PROCESS));
    if (notes.size() <= PORT_LINE
        || !notes.get(PORT_LINE).strip().equals(String.valueOf(postmaster.port()))
        || !isNear(notes.get(START_LINE).strip(), postmaster.startedAt())) {
      return Optional.empty();
    }
    var data = at(folder);
    var log = at(folder.resolve(LOG));
    return Optional.of(data.freeBytes < log.freeBytes ? data : log);
  }

  private static boolean isNear(String epochSecond, Instant time) {
    if (!epochSecond.matches("\\d{1,18}")) {
      return false;
    }
    var noted = Instant.ofEpochSecond(Long.parseLong(epochSecond));
    return Duration.between(noted, time).abs().compareTo(TOLERANCE) < 0;
  }

  private static DataDisk at(Path folder) throws IOException {
    var store = Files.getFileStore(folder.toRealPath());
    return new DataDisk(store.getUsableSpace(), store.getTotalSpace());
  }

  boolean isNearlyFull() {
    return freeBytes < FEW_BYTES || freeBytes * 100.0 / totalBytes < FEW_PERCENT;
  }

  String words() {
    return "%s of %s".formatted(Sizes.words(freeBytes), Sizes.words(totalBytes));
  }
}
