package dev.kagzi.bench.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The three processes of Restate: its server as it is shipped, a service, and a driver. */
record RestateProcesses(ChildProcess driver, Map<String, Long> parts) {
  private static final Duration START_LIMIT = Duration.ofSeconds(90);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final long LOOK_MILLIS = 100;
  private static final int OK = 200;
  private static final int CREATED = 201;

  static RestateProcesses start(Peers peers, Programs programs, Site site)
      throws InterruptedException {
    int ingress = freePort();
    int admin = freePort();
    var server =
        site.child("server", serverCommand(peers, site.home()), environment(ingress, admin));
    var service =
        site.child("service", programs.peer(peers.library(), Peers.RESTATE_SERVICE), Map.of());
    var port =
        service.await(
            line -> line.startsWith("port ") ? Optional.of(line.substring(5)) : Optional.empty(),
            START_LIMIT);
    register(server, admin, "http://127.0.0.1:" + port);
    var driver =
        site.child(
            "driver",
            programs.peer(
                peers.library(),
                Peers.RESTATE_DRIVER,
                "http://127.0.0.1:" + ingress,
                "http://127.0.0.1:" + admin,
                "http://127.0.0.1:" + port),
            Map.of());
    var parts = new LinkedHashMap<String, Long>();
    parts.put(Entrant.SERVER, server.pid());
    parts.put(Entrant.WORKER, service.pid());
    return new RestateProcesses(driver, parts);
  }

  private static List<String> serverCommand(Peers peers, Path home) {
    var program = Objects.requireNonNull(peers.restateServer(), "no server of Restate");
    return List.of(
        program.toString(),
        "--base-dir",
        home.resolve("data").toString(),
        "--no-logo",
        "--listen-mode",
        "tcp");
  }

  /** Ports only; everything else is as shipped, but that it tells nobody about us. */
  private static Map<String, String> environment(int ingress, int admin) {
    return Map.of(
        "RESTATE_INGRESS__BIND_ADDRESS", "127.0.0.1:" + ingress,
        "RESTATE_ADMIN__BIND_ADDRESS", "127.0.0.1:" + admin,
        "RESTATE_BIND_ADDRESS", "127.0.0.1:" + freePort(),
        "RESTATE_DISABLE_TELEMETRY", "true");
  }

  private static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new BenchFailedException("no free port: " + e.getMessage(), e);
    }
  }

  /** Tells the server where the service is, as soon as the server listens. */
  private static void register(ChildProcess server, int admin, String service)
      throws InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/deployments".formatted(admin)))
            .version(HttpClient.Version.HTTP_1_1)
            .timeout(ANSWER_LIMIT)
            .header("content-type", "application/json")
            .POST(BodyPublishers.ofString("{\"uri\":\"%s\"}".formatted(service)))
            .build();
    try (var client = HttpClient.newHttpClient()) {
      for (long deadline = System.nanoTime() + START_LIMIT.toNanos(); ; ) {
        var answer = send(client, request);
        if (answer.equals("")) {
          return;
        }
        if (!server.isAlive() || System.nanoTime() > deadline) {
          throw new BenchFailedException(
              "Restate did not take its service: %s\n%s".formatted(answer, server.logText()));
        }
        Thread.sleep(LOOK_MILLIS);
      }
    }
  }

  /** What is wrong; nothing if all is well. */
  private static String send(HttpClient client, HttpRequest request) throws InterruptedException {
    try {
      var response = client.send(request, BodyHandlers.ofString());
      boolean taken = response.statusCode() == OK || response.statusCode() == CREATED;
      return taken ? "" : response.statusCode() + " " + response.body();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
