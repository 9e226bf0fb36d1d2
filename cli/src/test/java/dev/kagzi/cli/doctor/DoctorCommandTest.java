package dev.kagzi.cli.doctor;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.postgres.SharedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
  @TempDir Path folder;

  private static Recorded kagzi(String... arguments) {
    return ServerAtWork.shared().kagzi(arguments);
  }

  @Test
  void findsAHealthyServerHealthy() {
    var looked = kagzi("doctor");

    assertThat(looked.out())
        .containsPattern("✔ server .+ at 127.0.0.1:\\d+ from KAGZI_ADDRESS, gRPC health SERVING")
        .containsPattern("✔ database PostgreSQL [\\d.]+, schema v\\d+, its clock is -?\\d+ ms from")
        .containsPattern("✔ \\d+ background loops run")
        .containsPattern("✔ \\d+ workers? online, all heard of lately")
        .contains("– indexes, dead rows and long transactions were not looked at")
        .containsPattern("0 problems, \\d+ warnings?\\n$");
    assertThat(looked.code()).as(looked.out()).isZero();
  }

  @Test
  void seesAQueueThatNobodyServes() {
    var queue = unique("deserted");
    ServerAtWork.shared().client().start("greet").queue(queue).input("Ada").send();

    var looked = kagzi("doctor");

    assertThat(looked.out())
        .contains("! queue %s: 1 ready, 0 workers online; start a worker on it".formatted(queue));
    assertThat(looked.code()).as(looked.out()).isZero();
  }

  @Test
  void seesATypeThatNobodyServes() {
    ServerAtWork.shared()
        .client()
        .start("unheard-of")
        .queue(ServerAtWork.QUEUE)
        .input("Ada")
        .send();

    assertThat(kagzi("doctor").out())
        .contains("! queue %s: no worker serves ".formatted(ServerAtWork.QUEUE), "unheard-of");
  }

  @Test
  void seesANamespaceWithoutWorkers() {
    var name = unique("empty");
    kagzi("namespace", "create", name);

    assertThat(kagzi("doctor", "-n", name).out())
        .contains("! namespace " + name + " has no worker online");
  }

  @Test
  void looksAtTheDatabaseIfItKnowsIt() throws SQLException {
    var url = SharedPostgres.freshDatabase();
    Recorded.run(folder, Map.of("KAGZI_DATABASE_URL", url), "db", "migrate");

    var well = kagzi("doctor", "--database-url", url);
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute("DROP INDEX kagzi.workflow_runs_ready");
    }
    var ill = kagzi("doctor", "--database-url", url);

    assertThat(well.out())
        .contains("✔ claims have their index workflow_runs_ready")
        .containsPattern("✔ workflow_runs has \\d+ live and \\d+ dead rows")
        .contains("✔ the oldest transaction is under way for ")
        .contains("✔ transactions are READ COMMITTED");
    assertThat(well.code()).as(well.out()).isZero();
    assertThat(ill.out()).contains("✗ the index workflow_runs_ready is missing", "1 problem, ");
    assertThat(ill.code()).isEqualTo(1);
  }

  @Test
  void saysThatNobodyAnswers() throws IOException {
    String nobody;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = "127.0.0.1:" + socket.getLocalPort();
    }

    var looked = kagzi("doctor", "--address", nobody, "--database-url", "postgres://127.0.0.1:1/x");

    assertThat(looked.code()).isEqualTo(1);
    assertThat(looked.out())
        .startsWith("✗ no Kagzi server answers at " + nobody + ", which comes from --address")
        .contains("✗ ", "cannot be reached", "2 problems, 0 warnings");
  }
}
