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
import java.util.regex.Pattern;

/** A {@code kagzi server} with the settings it has by itself, which keeps its port for life. */
public final class ServerProcess implements AutoCloseable {
  private static final Duration LONGEST_START = Duration.ofSeconds(40);
  private static final Pattern HTTP_PORT = Pattern.compile("HTTP on port (\\d+)");

  private final Path folder;
  private final Map<String, String> environment;
  private final int port;
  private Command command;

  private ServerProcess(Path folder, Map<String, String> environment, int port) throws IOException {
    this.folder = folder;
    this.environment = Map.copyOf(environment);
    this.port = port;
    this.command = run();
  }

  /** Returns when it serves. */
  public static ServerProcess start(Path folder, String database) throws IOException {
    return start(folder, Map.of("KAGZI_DATABASE_URL", database, "KAGZI_DATABASE_MIGRATE", "auto"));
  }

  /** The same with settings of its own, given as variables. */
  public static ServerProcess start(Path folder, Map<String, String> environment)
      throws IOException {
    return new ServerProcess(folder, environment, freePort());
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Command run() throws IOException {
    var running =
        Command.kagzi(folder, environment, "server", "--grpc-port=" + port, "--http-port=0");
    await()
        .atMost(LONGEST_START)
        .untilAsserted(() -> assertThat(running.err()).contains("serving gRPC"));
    return running;
  }

  public String address() {
    return "127.0.0.1:" + port;
  }

  /** The address of its JSON. */
  public String httpAddress() {
    var port = HTTP_PORT.matcher(log());
    assertThat(port.find()).isTrue();
    return "http://127.0.0.1:" + port.group(1);
  }

  /** What it has written so far. */
  public String log() {
    return command.err();
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
