package dev.kagzi.e2e.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.cli.Main;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;

/** What the processes of the tests do, once and shortly, so that their classes are loaded. */
final class Rehearsal {
  private static final String DATABASE = "KAGZI_DATABASE_URL";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final WorkflowType<String, String> TYPE =
      WorkflowType.of("rehearsal", String.class, String.class);

  private Rehearsal() {}

  static Map<String, String> settings(String database) {
    return Map.of(DATABASE, database, "KAGZI_DATABASE_MIGRATE", "auto");
  }

  public static void main(String[] arguments) throws Exception {
    int port = freePort();
    Thread.ofPlatform()
        .daemon()
        .start(() -> Main.main(new String[] {"server", "--grpc-port=" + port, "--http-port=0"}));
    work("127.0.0.1:" + port);
    try (var pool = new HikariDataSource()) {
      pool.setJdbcUrl(System.getenv(DATABASE));
      try (Kagzi kagzi = Kagzi.embedded(pool).start()) {
        work(kagzi.address());
      }
    }
    System.exit(0);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void work(String address) throws Exception {
    try (Worker worker =
            Worker.builder(address, "rehearsal")
                .register(
                    TYPE,
                    (ctx, input) -> {
                      ctx.sleep("nap", Duration.ofMillis(1));
                      return ctx.step("only", String.class, () -> input);
                    })
                .build();
        KagziClient client = KagziClient.connect(address)) {
      Thread.ofPlatform().daemon().start(worker::run);
      while (worker.workerId().isEmpty()) {
        Thread.sleep(10);
      }
      client.start(TYPE).queue("rehearsal").input("").send().result(LIMIT);
    }
  }
}
