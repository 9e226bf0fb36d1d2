package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The right to run PostgreSQL on a folder: a lock on the file {@code lock} in it, which the
 * operating system releases when the process ends, however it ends. The file holds the owner's
 * process id, for the message to whoever comes second.
 */
final class FolderLock implements AutoCloseable {
  /**
   * Folders locked by this JVM. A file lock belongs to the whole process, and closing any other
   * channel on the same file would silently drop it, so a second attempt must not open the file.
   */
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  /** A byte nobody reads: on Windows a locked byte cannot be read, and the pid must be. */
  private static final long LOCKED_BYTE = 1 << 20;

  private final Path folder;
  private final FileChannel channel;

  private FolderLock(Path folder, FileChannel channel) {
    this.folder = folder;
    this.channel = channel;
  }

  static FolderLock acquire(Path folder) throws IOException {
    return tryAcquire(folder).orElseThrow(() -> inUse(folder, owner(folder)));
  }

  /** Empty when somebody else has it. */
  static Optional<FolderLock> tryAcquire(Path folder) throws IOException {
    var realFolder = folder.toRealPath();
    if (!HELD_HERE.add(realFolder)) {
      return Optional.empty();
    }
    var acquired = Optional.<FolderLock>empty();
    try {
      acquired = lockFile(realFolder);
      return acquired;
    } finally {
      if (acquired.isEmpty()) {
        HELD_HERE.remove(realFolder);
      }
    }
  }

  static PostgresStartException inUse(Path folder, String owner) {
    return new PostgresStartException(
        Reason.DATA_IN_USE,
        "The data directory %s is in use by %s. Stop it first, or work in another folder."
            .formatted(folder, owner));
  }

  private static Optional<FolderLock> lockFile(Path folder) throws IOException {
    var channel =
        FileChannel.open(
            folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock(LOCKED_BYTE, 1, false) != null) {
        writeOwner(channel);
        return Optional.of(new FolderLock(folder, channel));
      }
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    return Optional.empty();
  }

  private static void writeOwner(FileChannel channel) throws IOException {
    var pid = ProcessHandle.current().pid() + "\n";
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
  }

  private static String owner(Path folder) {
    try {
      if (HELD_HERE.contains(folder.toRealPath())) {
        return "this process (" + ProcessHandle.current().pid() + ")";
      }
      var pid = Files.readString(folder.resolve("lock")).strip();
      return pid.isEmpty() ? "another process" : "process " + pid;
    } catch (IOException e) {
      return "another process";
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      HELD_HERE.remove(folder);
    }
  }
}
