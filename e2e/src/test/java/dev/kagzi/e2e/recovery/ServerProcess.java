package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.cli.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A {@code kagzi server} with the settings it has by itself, which keeps its port for life. */
final class ServerProcess implements AutoCloseable {
  private static final Duration LONGEST_START = Duration.ofSeconds(40);

  private final Path folder;
  private final String database;
  private final int port;
  private Command command;

  private ServerProcess(Path folder, String database, int port) throws IOException {
    this.folder = folder;
    this.database = database;
    this.port = port;
    this.command = run();
  }

  /** Returns when it serves. */
  static ServerProcess start(Path folder, String database) throws IOException {
    return new ServerProcess(folder, database, freePort());
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Command run() throws IOException {
    var environment = Map.of("KAGZI_DATABASE_URL", database, "KAGZI_DATABASE_MIGRATE", "auto");
    var running =
        Command.kagzi(folder, environment, "server", "--grpc-port=" + port, "--http-port=0");
    await()
        .atMost(LONGEST_START)
        .untilAsserted(() -> assertThat(running.err()).contains("serving gRPC"));
    return running;
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** Ends it without a chance to clean up. */
  void kill() throws InterruptedException {
    command.kill();
  }

  /** Ends it as a service manager does. */
  void terminate() throws IOException, InterruptedException {
    command.terminate();
  }

  /** Starts it anew on the same port; returns when it serves. */
  void startAgain() throws IOException {
    command = run();
  }

  @Override
  public void close() {
    command.close();
  }
}
