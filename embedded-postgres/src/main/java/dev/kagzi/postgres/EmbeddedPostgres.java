package dev.kagzi.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real PostgreSQL that belongs to this JVM: started from binaries on the class path, listening on
 * 127.0.0.1 only, durable (fsync is on), and ended by {@link #close()}.
 *
 * <p>On Linux it also ends when the JVM does, even by kill -9; elsewhere a killed JVM leaves it
 * running until the next start on the same directory. It works as root and as a plain user.
 * Everybody on this machine may log in as the superuser {@value #USER} without a password, so it is
 * for development, tests and benchmarks.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);

  /** The name of the superuser. */
  public static final String USER = "kagzi";

  private static final int MAX_PORT = 65_535;

  private final ClusterFolder folder;
  private final Launcher launcher;
  private final Installation installation;
  private final ServerStarter starter;
  private int port;
  private @Nullable FolderLock lock;
  private @Nullable ServerProcess server;

  private EmbeddedPostgres(Builder builder) {
    this.folder = new ClusterFolder(builder.dataDirectory);
    this.launcher = builder.launcher == null ? Launcher.detect() : builder.launcher;
    var cache = BinaryCache.choose(builder.cacheDirectory, launcher);
    var binaries = cache.unpacked(BinaryArchive.forThisMachine());
    this.installation = Installation.of(binaries, launcher);
    this.starter = new ServerStarter(folder, installation, launcher, builder.settings);
    this.port = builder.port;
  }

  /** A server whose data, log and lock live in this directory, created if it is missing. */
  public static Builder builder(Path dataDirectory) {
    return new Builder(dataDirectory);
  }

  /** The address of a database for JDBC, login included; the database need not exist yet. */
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://%s:%d/%s?user=%s"
        .formatted(ServerStarter.ADDRESS, port(), URLEncoder.encode(database, UTF_8), USER);
  }

  public synchronized int port() {
    return port;
  }

  /** The version of the server, for example {@code 18.6}. */
  public String version() {
    return installation.version();
  }

  public Path dataDirectory() {
    return folder.root();
  }

  /** The process id of the postmaster; throws when it does not run. */
  public synchronized long pid() {
    if (server == null) {
      throw new IllegalStateException("PostgreSQL in " + folder.root() + " is stopped");
    }
    return server.pid();
  }

  /** False after it was stopped, and also when it ended by itself. */
  public synchronized boolean isRunning() {
    return server != null && server.isRunning();
  }

  /** Creates an empty database unless it exists. */
  public void createDatabase(String name) {
    Databases.createIfMissing(jdbcUrl("postgres"), name);
  }

  /** Creates a database with all that another one has, to which nobody may be connected. */
  void copyDatabase(String original, String name) {
    Databases.copy(jdbcUrl("postgres"), original, name);
  }

  /**
   * A standby of this server: a copy of its data, taken now, that follows it from its start until
   * somebody promotes it. For {@code synchronous_standby_names} it is called {@code name}.
   */
  public Builder standby(Path dataDirectory, String name) {
    return standby(dataDirectory, name, port());
  }

  /** The same for a standby that reaches this server on another port, by a proxy for example. */
  public Builder standby(Path dataDirectory, String name, int port) {
    if (!name.matches("[a-z][a-z0-9_]*")) {
      throw new IllegalArgumentException("name: '" + name + "' (expected: a-z, 0-9 and _)");
    }
    var target = new ClusterFolder(dataDirectory);
    try {
      Files.createDirectories(target.root());
      if (launcher.becomesNobody()) {
        FolderTree.letOthersPass(target.root());
      }
      new BaseBackup(folder.cluster(), target.cluster(), launcher).take(jdbcUrl("postgres"), name);
    } catch (IOException | SQLException e) {
      throw new PostgresStartException(
          Reason.START_FAILED,
          "Cannot copy %s to %s: %s".formatted(folder.root(), target.root(), e.getMessage()),
          e);
    }
    var builder = builder(dataDirectory);
    builder.settings.putAll(starter.settings());
    builder.launcher = launcher;
    return builder
        .setting("primary_slot_name", name)
        .setting(
            "primary_conninfo",
            "host=%s port=%d user=%s application_name=%s"
                .formatted(ServerStarter.ADDRESS, port, USER, name));
  }

  /** Stops it, if it runs, and starts it on the same port and data; also after a kill. */
  public synchronized void restart() {
    stop();
    start();
  }

  /** Stops it in good order; open sessions are cut off. Does nothing when it is stopped. */
  public synchronized void stop() {
    end(ServerProcess::stop);
  }

  /** Ends it as a power cut would: kill -9; returns when all its processes are gone. */
  public synchronized void kill() {
    end(ServerProcess::kill);
  }

  /** Ends it at once, when its data will be deleted anyway. */
  synchronized void discard() {
    end(ServerProcess::discard);
  }

  @Override
  public void close() {
    stop();
  }

  private synchronized void start() {
    lock = folder.lock();
    try {
      folder.prepare(installation, launcher);
      server = starter.start(port);
      port = server.port();
    } finally {
      if (server == null) {
        release();
      }
    }
    log.debug("PostgreSQL {} runs on port {}, process {}", version(), port, server.pid());
  }

  private void end(Consumer<ServerProcess> how) {
    if (server != null) {
      how.accept(server);
      server = null;
      release();
    }
  }

  private void release() {
    try {
      if (lock != null) {
        lock.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      lock = null;
    }
  }

  /** Collects what a server needs; not thread-safe. */
  public static final class Builder {
    private final Path dataDirectory;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private int port;
    private @Nullable Path cacheDirectory;
    private @Nullable Launcher launcher;

    private Builder(Path dataDirectory) {
      this.dataDirectory = dataDirectory;
    }

    /** The port on 127.0.0.1; 0, the default, takes a free one and keeps it over restarts. */
    public Builder port(int port) {
      if (port < 0 || port > MAX_PORT) {
        throw new IllegalArgumentException("port: " + port + " (expected: 0 to " + MAX_PORT + ")");
      }
      this.port = port;
      return this;
    }

    /** A line of {@code postgresql.conf}, for example {@code work_mem} and {@code 16MB}. */
    public Builder setting(String name, String value) {
      if (!name.matches("[A-Za-z_][A-Za-z0-9_.]*")) {
        throw new IllegalArgumentException("setting: '" + name + "' (expected: a name)");
      }
      settings.put(name, value);
      return this;
    }

    /**
     * Where unpacked binaries are kept between runs; by default the folder in the environment
     * variable {@code KAGZI_CACHE_DIR}, else {@code .cache/kagzi} in the user's home.
     */
    public Builder cacheDirectory(Path cacheDirectory) {
      this.cacheDirectory = cacheDirectory;
      return this;
    }

    /** For tests of the ways that {@link Launcher#detect()} would not choose on this machine. */
    Builder launcher(Launcher launcher) {
      this.launcher = launcher;
      return this;
    }

    /** Returns when it accepts connections; throws {@link PostgresStartException} otherwise. */
    public EmbeddedPostgres start() {
      var postgres = new EmbeddedPostgres(this);
      postgres.start();
      return postgres;
    }
  }
}
