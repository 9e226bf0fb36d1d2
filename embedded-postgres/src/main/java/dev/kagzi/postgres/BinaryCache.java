package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder that keeps unpacked binaries between runs, one subfolder per archive.
 *
 * <p>A subfolder appears by renaming a finished one, so it is there completely or not at all. Only
 * one JVM unpacks at a time; what a killed one left behind is deleted by the next.
 */
record BinaryCache(Path folder, String purpose) {
  private static final Logger log = LoggerFactory.getLogger(BinaryCache.class);
  private static final String CACHE_VARIABLE = "KAGZI_CACHE_DIR";
  private static final String PURPOSE = "the cache of PostgreSQL binaries, ";
  private static final String CHANGEABLE = PURPOSE + "change it by " + CACHE_VARIABLE;

  /** File locks are held by the JVM as a whole; this one keeps its threads apart. */
  private static final ReentrantLock ONE_THREAD = new ReentrantLock();

  /** The caller's choice, else the environment's, else the home folder, else the temp folder. */
  static BinaryCache choose(@Nullable Path chosen, Launcher launcher) {
    if (chosen != null) {
      return new BinaryCache(chosen.toAbsolutePath(), PURPOSE + "chosen by the caller");
    }
    var fromEnvironment = System.getenv(CACHE_VARIABLE);
    if (fromEnvironment != null && !fromEnvironment.isBlank()) {
      return new BinaryCache(
          Path.of(fromEnvironment).toAbsolutePath(), PURPOSE + "from " + CACHE_VARIABLE);
    }
    // A home folder is closed to nobody, and in containers it may not exist at all.
    var home = Path.of(System.getProperty("user.home"), ".cache", "kagzi");
    return !launcher.becomesNobody() && canCreate(home)
        ? new BinaryCache(home, CHANGEABLE)
        : temporary();
  }

  private static boolean canCreate(Path folder) {
    try {
      return Files.isWritable(Files.createDirectories(folder));
    } catch (IOException e) {
      return false;
    }
  }

  /** Anybody may create folders in a shared temp folder; never run programs out of theirs. */
  private static BinaryCache temporary() {
    var temp = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      var me = currentUser();
      var folder = Files.createDirectories(temp.resolve("kagzi-" + me.getName()));
      if (Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(me)) {
        return new BinaryCache(folder, CHANGEABLE);
      }
      throw new PostgresStartException(
          Reason.NOT_WRITABLE, folder + " (" + CHANGEABLE + ") belongs to another user.");
    } catch (IOException e) {
      throw Diagnosis.ofFolder(temp, CHANGEABLE, e);
    }
  }

  /** Whoever owns what we create: also right for users without a name, as in some containers. */
  private static UserPrincipal currentUser() throws IOException {
    var file = Files.createTempFile("kagzi-", ".tmp");
    try {
      return Files.getOwner(file);
    } finally {
      Files.delete(file);
    }
  }

  /** The folder with {@code bin}, {@code lib} and {@code share}, unpacked now if need be. */
  Path unpacked(BinaryArchive archive) {
    try {
      var target = folder.resolve(archive.uniqueName());
      if (!Files.isDirectory(target)) {
        Files.createDirectories(folder);
        unpackAlone(archive, target);
      }
      return target;
    } catch (IOException e) {
      throw Diagnosis.ofFolder(folder, purpose, e);
    }
  }

  private void unpackAlone(BinaryArchive archive, Path target) throws IOException {
    var lockFile = folder.resolve("lock");
    ONE_THREAD.lock();
    try (var channel =
            FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var lock = channel.lock()) {
      if (lock.isValid() && !Files.isDirectory(target)) {
        unpack(archive, target);
      }
    } finally {
      ONE_THREAD.unlock();
    }
  }

  private void unpack(BinaryArchive archive, Path target) throws IOException {
    log.info("Unpacking PostgreSQL into {}, once", target);
    var unfinished = folder.resolve("unfinished");
    FolderTree.delete(unfinished);
    try {
      archive.unpackInto(Files.createDirectory(unfinished));
      FolderTree.letOthersPass(folder);
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      FolderTree.delete(unfinished);
      throw e;
    }
  }
}
