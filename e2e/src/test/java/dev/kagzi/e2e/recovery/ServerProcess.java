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

/** A {@code kagzi server} that runs and serves. */
record ServerProcess(Command command, int port) implements AutoCloseable {
  private static final Duration LONGEST_START = Duration.ofSeconds(40);

  /** Starts one with the settings it has by itself, on a port that may be given again later. */
  static ServerProcess start(Path folder, String database, int port) throws IOException {
    var environment = Map.of("KAGZI_DATABASE_URL", database, "KAGZI_DATABASE_MIGRATE", "auto");
    var command =
        Command.kagzi(folder, environment, "server", "--grpc-port=" + port, "--http-port=0");
    await()
        .atMost(LONGEST_START)
        .untilAsserted(() -> assertThat(command.err()).contains("serving gRPC"));
    return new ServerProcess(command, port);
  }

  static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() {
    command.close();
  }
}
