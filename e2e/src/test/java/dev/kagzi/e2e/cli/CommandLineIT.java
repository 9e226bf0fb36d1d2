package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(Lanes.COMMAND)
class CommandLineIT {
  @TempDir Path folder;

  @Test
  void saysItsVersion() throws Exception {
    try (var version = Command.kagzi(folder, "version")) {
      assertThat(version.exitCode()).isZero();
      assertThat(version.out()).matches("kagzi .+, Java .+, PostgreSQL \\d+\\.\\d+");
      assertThat(version.err()).isEmpty();
    }
  }

  @Test
  void suggestsTheCommandThatWasMeant() throws Exception {
    try (var unknown = Command.kagzi(folder, "dmeo")) {
      assertThat(unknown.exitCode()).isEqualTo(2);
      assertThat(unknown.out()).isEmpty();
      assertThat(unknown.err()).hasLineCount(1).contains("unknown command 'dmeo'", "'demo'?");
    }
  }

  @Test
  void reportsAllConfigurationFaultsAtOnce() throws Exception {
    Files.writeString(folder.resolve("kagzi.toml"), "[grpc]\nprot = 1\n");
    var environment = Map.of("KAGZI_HTTP_PROT", "1", "KAGZI_DATABASE_URL", "mysql://db");

    try (var server = Command.kagzi(folder, environment, "server", "--commit-lanes=99")) {
      assertThat(server.exitCode()).isEqualTo(2);
      assertThat(server.out()).isEmpty();
      assertThat(server.err().lines())
          .hasSize(4)
          .allMatch(line -> line.startsWith("kagzi: "))
          .anyMatch(line -> line.contains("grpc.prot: unknown key") && line.contains("grpc.port?"))
          .anyMatch(line -> line.contains("KAGZI_HTTP_PROT") && line.contains("KAGZI_HTTP_PORT?"))
          .anyMatch(line -> line.contains("database.url: mysql://db from KAGZI_DATABASE_URL"))
          .anyMatch(line -> line.contains("commit.lanes: 99 from --commit-lanes"));
    }
  }

  @Test
  void saysThatTheDatabaseCannotBeReached() throws Exception {
    refusedDatabase("postgres://ada:secret@127.0.0.1:1/kagzi", "cannot be reached");
  }

  @Test
  void saysThatTheDatabaseRefusesTheLogin() throws Exception {
    var port = SharedPostgres.server().port();

    refusedDatabase("postgres://nobody:secret@127.0.0.1:" + port + "/postgres", "login");
  }

  @Test
  void saysThatThereIsNoSuchDatabase() throws Exception {
    var port = SharedPostgres.server().port();

    refusedDatabase("postgres://kagzi@127.0.0.1:" + port + "/nowhere", "does not exist");
  }

  private void refusedDatabase(String url, String reason) throws Exception {
    try (var server = Command.kagzi(folder, Map.of("KAGZI_DATABASE_URL", url), "server")) {
      assertThat(server.exitCode()).isEqualTo(1);
      assertThat(complaints(server))
          .hasLineCount(1)
          .contains(reason, "KAGZI_DATABASE_URL")
          .doesNotContain("secret");
      assertThat(server.err()).doesNotContain("\tat ", "secret");
    }
  }

  /** What it says to the person at the keyboard, beside its log. */
  private static String complaints(Command command) {
    return String.join(
        "\n", command.err().lines().filter(line -> line.startsWith("kagzi: ")).toList());
  }

  @Test
  void aServerLogsAsJsonUntilItIsTerminated() throws Exception {
    var environment =
        Map.of("KAGZI_DATABASE_URL", SharedPostgres.freshDatabase(), "KAGZI_HTTP_PORT", "0");

    try (var server =
        Command.kagzi(folder, environment, "server", "--port=0", "--database-migrate=auto")) {
      server.awaitErrorLine("serving gRPC");

      assertThat(server.terminate()).isEqualTo(Command.SIGTERM);
      assertThat(server.err().lines())
          .allMatch(line -> line.startsWith("{\"ts\":") && line.contains("\"level\":"))
          .last()
          .asString()
          .contains("stopped");
      assertThat(server.out()).isEmpty();
    }
  }

  @Test
  void saysThatAPortIsTaken() throws Exception {
    var url = SharedPostgres.freshDatabase();
    try (var taken = listen();
        var dev =
            Command.kagzi(
                folder, "dev", "--database-url=" + url, "--port=" + taken.getLocalPort())) {
      assertThat(dev.exitCode()).isEqualTo(1);
      assertThat(dev.out()).isEmpty();
      assertThat(complaints(dev))
          .hasLineCount(1)
          .contains("port " + taken.getLocalPort(), "in use", "--grpc-port");
    }
  }

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
  }
}
