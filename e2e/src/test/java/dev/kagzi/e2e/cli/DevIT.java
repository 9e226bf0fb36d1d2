package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.examples.Hello;
import dev.kagzi.postgres.SharedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** One project folder through its life; the tests follow each other to share its database. */
@TestMethodOrder(OrderAnnotation.class)
@Isolated
class DevIT {
  private static final double LONGEST_RESTART = 8;

  @TempDir static Path project = Path.of("");

  private static Command dev(String... more) throws IOException {
    var arguments = new ArrayList<>(List.of("dev", "--port=0", "--http-port=0"));
    arguments.addAll(List.of(more));
    return Command.kagzi(project, arguments.toArray(String[]::new));
  }

  @Test
  @Order(1)
  void theFirstStartSaysWhereEverythingIs() throws Exception {
    try (var dev = dev()) {
      var grpc = dev.awaitLine("gRPC +localhost:(\\d+) +namespace default").group(1);
      var ready = dev.awaitLine("HTTP +(http://localhost:\\d+/readyz)").group(1);
      var database = dev.awaitLine("embedded PostgreSQL \\S+ on port (\\d+)  ./.kagzi/pg .*schema");
      dev.awaitLine("Ctrl-C");
      System.out.printf("kagzi dev: first start %.1f s%n", dev.seconds());
      var postmaster = Postmaster.in(project);

      assertThat(dev.out())
          .containsPattern("schema v\\d+ \\(\\d+ migrations? applied in \\d\\.\\d s\\)");
      assertThat(database.group(1)).isEqualTo(Integer.toString(postmaster.port()));
      assertThat(dev.out())
          .containsPattern(
              "kagzi doctor --address \\S+ --database-url postgres://\\S+:" + database.group(1));
      assertThat(get(ready)).isEqualTo(200);
      helloRuns("localhost:" + grpc);
      theSameDataIsRefused(dev.pid());
      theSamePortIsRefused(grpc);
      assertThat(dev.terminate()).isEqualTo(Command.SIGTERM);
      assertThat(dev.out()).endsWith("stopping…\nstopped");
      assertThat(dev.err()).doesNotContain("\"level\":\"ERROR\"");
      assertThat(postmaster.process().isRunning()).isFalse();
    }
  }

  private static int get(String url) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url)).build();
    try (var http = HttpClient.newHttpClient()) {
      return http.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  private static void helloRuns(String address) throws Exception {
    var line = Command.java(project, Hello.class.getName());
    try (var hello = Command.start(project, Map.of("KAGZI_ADDRESS", address), line)) {
      assertThat(hello.exitCode()).as(hello.err()).isZero();
      assertThat(hello.out().lines()).hasSize(2).first().isEqualTo("Hello, Ada");
      assertThat(hello.out()).contains("returned: Hello, Ada");
    }
  }

  private static void theSameDataIsRefused(long owner) throws Exception {
    try (var second = dev()) {
      assertThat(second.exitCode()).isEqualTo(1);
      assertThat(second.out()).isEmpty();
      assertThat(second.err()).hasLineCount(1).contains("in use by process " + owner + ".");
    }
    try (var second = dev("--reset")) {
      assertThat(second.exitCode()).isEqualTo(1);
      assertThat(second.err()).hasLineCount(1).contains("in use by process " + owner + ";");
    }
  }

  private static void theSamePortIsRefused(String port) throws Exception {
    var url = "--database-url=" + SharedPostgres.freshDatabase();
    try (var second = Command.kagzi(project, "dev", "--port=" + port, "--http-port=0", url)) {
      assertThat(second.exitCode()).isEqualTo(1);
      assertThat(second.err()).contains("kagzi: port " + port + " on 127.0.0.1 is in use");
    }
  }

  @Test
  @Order(2)
  void theSecondStartFindsTheSchemaAndEndsByCtrlC() throws Exception {
    try (var dev = dev()) {
      dev.awaitLine("schema v\\d+ \\(up to date\\)");
      dev.awaitLine("Ctrl-C");
      System.out.printf("kagzi dev: second start %.1f s%n", dev.seconds());
      assertThat(dev.seconds()).isLessThan(LONGEST_RESTART);
      var postmaster = Postmaster.in(project);

      assertThat(dev.interrupt()).isEqualTo(Command.SIGINT);

      assertThat(dev.out()).endsWith("stopping…\nstopped");
      assertThat(postmaster.process().isRunning()).isFalse();
    }
  }

  @Test
  @Order(3)
  void aKilledServerTakesItsPostgresWithIt() throws Exception {
    try (var dev = dev()) {
      dev.awaitLine("Ctrl-C");
      var postmaster = Postmaster.in(project);
      claimANewerSchema(postmaster.port());

      assertThat(dev.kill()).isEqualTo(Command.SIGKILL);

      postmaster.process().awaitEnd();
    }
  }

  private static void claimANewerSchema(int port) throws SQLException {
    var url = "jdbc:postgresql://127.0.0.1:" + port + "/kagzi?user=kagzi";
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.executeUpdate(
          """
          INSERT INTO kagzi.schema_history
            (installed_rank, version, description, type, script, installed_by, execution_time, success)
          VALUES (999, '999', 'from the future', 'SQL', 'V999__future.sql', 'test', 0, true)
          """);
    }
  }

  @Test
  @Order(4)
  void aNewerSchemaIsRefusedUntilItIsReset() throws Exception {
    try (var refused = dev()) {
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err()).hasLineCount(1).contains("999", "kagzi dev --reset", "./.kagzi/pg");
    }
    try (var dev = dev("--reset")) {
      dev.awaitLine("schema v\\d+ \\(\\d+ migrations? applied");
      var postmaster = Postmaster.in(project);

      assertThat(dev.terminate()).isEqualTo(Command.SIGTERM);

      assertThat(postmaster.process().isRunning()).isFalse();
    }
  }

  @Test
  @Order(5)
  void anEphemeralOneLeavesNothingBehind(@TempDir Path folder) throws Exception {
    try (var dev = Command.kagzi(folder, "dev", "--ephemeral", "--port=0", "--http-port=0")) {
      dev.awaitLine("embedded PostgreSQL .* %s/kagzi-dev-.*, deleted at the end".formatted(folder));
      var processes = dev.handle().descendants().map(Leftover::new).toList();

      assertThat(dev.terminate()).isEqualTo(Command.SIGTERM);

      assertThat(processes).isNotEmpty().noneMatch(Leftover::isRunning);
      assertThat(folder).isEmptyDirectory();
    }
  }
}
