package dev.kagzi.e2e.pooler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.postgres.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A PgBouncer in transaction mode with the settings it has by itself. */
final class PgBouncer implements AutoCloseable {
  private static final String NAME = "pgbouncer";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** It refuses to run as root. */
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  private final Process process;
  private final int port;

  private PgBouncer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Where it is installed, if it is. */
  static Optional<Path> program() {
    var folders = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1));
    return Stream.concat(folders, Stream.of("/usr/sbin"))
        .map(folder -> Path.of(folder, NAME))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns when it takes connections. */
  static PgBouncer before(EmbeddedPostgres postgres) throws IOException {
    int port = freePort();
    // A folder of its own, because those of tests are closed to nobody.
    Path folder =
        Files.createTempDirectory(
            "kagzi-pgbouncer-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    Path settings =
        Files.writeString(
            folder.resolve("pgbouncer.ini"),
            """
            [databases]
            * = host=127.0.0.1 port=%d user=%s
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %d
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            max_client_conn = 200
            """
                .formatted(postgres.port(), EmbeddedPostgres.USER, port));
    Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
    var line = new ArrayList<String>();
    if (Files.getAttribute(folder, "unix:uid").equals(0)) {
      line.addAll(AS_NOBODY);
    }
    line.addAll(List.of(program().orElseThrow().toString(), "--quiet", settings.toString()));
    var process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("pgbouncer.log").toFile())
            .start();
    await().atMost(PATIENCE).until(() -> listens(process, port));
    return new PgBouncer(process, port);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean listens(Process process, int port) {
    assertThat(process.isAlive()).as("PgBouncer runs").isTrue();
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  /** A database by way of it. */
  String url(String database) {
    return "postgres://%s@127.0.0.1:%d/%s".formatted(EmbeddedPostgres.USER, port, database);
  }

  /** The same for the driver, told not to prepare statements. */
  String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s?user=%s&prepareThreshold=0"
        .formatted(port, database, EmbeddedPostgres.USER);
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
