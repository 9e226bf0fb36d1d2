package dev.kagzi.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One PostgreSQL for all tests of a JVM, started by the first that asks, in a temp folder that goes
 * with the JVM; each test takes a database of its own. As durable as in production: fsync stays on.
 *
 * <p>Thread-safe.
 */
public final class SharedPostgres {
  private static final Logger log = LoggerFactory.getLogger(SharedPostgres.class);
  static final String FOLDER_PREFIX = "kagzi-shared-postgres-";

  /** A folder this young may belong to a JVM that is still unpacking and will lock it soon. */
  private static final Duration TIME_TO_LOCK = Duration.ofMinutes(2);

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final Map<String, String> ORIGINALS = new ConcurrentHashMap<>();

  private SharedPostgres() {}

  /**
   * The JDBC address of a new, empty database.
   *
   * @throws IllegalStateException if the tests before this one have caused a deadlock: Kagzi takes
   *     its locks in one order, so there is none that may be ignored
   */
  public static String freshDatabase() {
    return fresh(server()::createDatabase);
  }

  /**
   * The JDBC address of a new database with all that was filled into an empty one: a copy, because
   * filling costs more.
   *
   * @param content what it is called; who is the first to ask for it fills it
   * @param filling is given an empty database, in which it leaves no connection behind
   * @throws IllegalStateException as {@link #freshDatabase()}
   */
  public static String freshDatabase(String content, Consumer<String> filling) {
    var original = ORIGINALS.computeIfAbsent(content, key -> fill("original_" + key, filling));
    return fresh(name -> server().copyDatabase(original, name));
  }

  private static String fill(String name, Consumer<String> filling) {
    server().createDatabase(name);
    filling.accept(server().jdbcUrl(name));
    return name;
  }

  private static String fresh(Consumer<String> creation) {
    var name = "test_" + DATABASES.incrementAndGet();
    creation.accept(name);
    refuseAfter(Databases.deadlocks(server().jdbcUrl("postgres")));
    return server().jdbcUrl(name);
  }

  static void refuseAfter(long deadlocks) {
    if (deadlocks > 0) {
      throw new IllegalStateException(
          deadlocks
              + " deadlock(s) in tests before this one; PostgreSQL's log names the statements");
    }
  }

  /** The server itself, for tests that look at it; they must not stop it. */
  public static EmbeddedPostgres server() {
    return Holder.SERVER;
  }

  /** The JVM's own lazy and thread-safe initialisation. */
  private static final class Holder {
    static final EmbeddedPostgres SERVER = start();

    private static EmbeddedPostgres start() {
      var folder = createFolder();
      var server =
          EmbeddedPostgres.builder(folder)
              .setting("max_connections", "300")
              .setting("deadlock_timeout", "200ms")
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(server, folder)));
      return server;
    }
  }

  private static Path createFolder() {
    try {
      var folder = Files.createTempDirectory(FOLDER_PREFIX);
      deleteAbandoned(folder);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot create a temp folder for PostgreSQL", e);
    }
  }

  /** What test JVMs that were killed left beside our own: older than it, and locked by nobody. */
  static void deleteAbandoned(Path own) throws IOException {
    var youngest = Files.getLastModifiedTime(own).toInstant().minus(TIME_TO_LOCK);
    try (var folders = Files.newDirectoryStream(own.resolveSibling(""), FOLDER_PREFIX + "*")) {
      folders.forEach(folder -> deleteIfAbandoned(folder, youngest));
    }
  }

  private static void deleteIfAbandoned(Path folder, Instant youngest) {
    try {
      if (Files.getLastModifiedTime(folder).toInstant().isBefore(youngest)) {
        var lock = FolderLock.tryAcquire(folder);
        if (lock.isPresent()) {
          FolderTree.delete(folder);
          lock.get().close();
        }
      }
    } catch (IOException e) {
      log.debug("{} belongs to somebody else, or somebody else deletes it", folder, e);
    }
  }

  private static void remove(EmbeddedPostgres server, Path folder) {
    try {
      server.discard();
      FolderTree.delete(folder);
    } catch (IOException | RuntimeException e) {
      log.warn("Cannot remove {}: {}", folder, e.toString());
    }
  }
}
