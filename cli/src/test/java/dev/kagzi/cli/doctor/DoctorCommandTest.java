package dev.kagzi.cli.doctor;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.output.Paint;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Looks at the server as a whole. */
@Isolated
class DoctorCommandTest {
  /** As one is that was to be built beside work and was broken off. */
  private static final String BROKEN_INDEX =
      """
      UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'kagzi.workflow_runs_deadline'::regclass
      """;

  private static final String OTHER_ISOLATION =
      """
      DO $$
      BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable',
                       current_database());
      END
      $$
      """;

  @TempDir Path folder;

  private static Recorded kagzi(String... arguments) {
    return ServerAtWork.shared().kagzi(arguments);
  }

  private static String done(String... arguments) {
    return ServerAtWork.shared().done(arguments);
  }

  @Test
  void findsAHealthyServerHealthy() {
    var looked = kagzi("doctor");

    assertThat(looked.out())
        .containsPattern("✔ server .+ at 127.0.0.1:\\d+ from KAGZI_ADDRESS, gRPC health SERVING")
        .containsPattern("✔ database PostgreSQL [\\d.]+, schema v\\d+, its clock is -?\\d+ ms from")
        .containsPattern("✔ \\d+ background loops at work")
        .containsPattern("✔ \\d+ workers? online, all heard of lately")
        .contains("✔ plain text without authentication, which is fine on the loopback address")
        .contains("✔ commits are durable, and the database takes them")
        .contains("✔ listen: news of other servers arrives")
        .contains("✔ 1 server process on this database")
        .containsPattern("✔ memory: [1-9]\\d* of [1-9]\\d* MB of heap in use")
        .contains("– indexes, the claim's plan, dead rows, payloads of steps, ", "--database-url")
        .containsPattern("0 problems, \\d+ warnings?\\n$");
    assertThat(looked.code()).as(looked.out()).isZero();
  }

  @Test
  void tellsProgramsWhatItHasFound() {
    var lines = done("doctor", "-o", "jsonl").lines().toList();

    assertThat(lines)
        .allMatch(line -> line.matches("\\{\"level\":\"(ok|unknown|warning)\",\"text\":\".+\"}"))
        .anyMatch(line -> line.contains("\"ok\",\"text\":\"commits are durable"));
    assertThat(done("doctor", "-o", "json"))
        .startsWith("{\n  \"findings\": [{")
        .contains("\"level\": \"unknown\",\n", "\"text\": \"listen: news of other servers");
    assertThat(done("doctor", "-o", "none")).isEmpty();
  }

  @Test
  void paintsItsMarksWhereThatIsWanted() {
    assertThat(done("doctor", "--color", "always")).contains("\u001b[32m✔\u001b[0m server");
    assertThat(done("doctor")).doesNotContain("\u001b[");
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
  void warnsOfAPlainLineThatLeavesTheMachine() {
    var addresses = ServerAtWork.shared().address() + ",kagzi.invalid";

    assertThat(kagzi("doctor", "--address", addresses).out())
        .contains("! plain text without authentication to kagzi.invalid:50051: whoever reaches it");
  }

  @Test
  void comparesItsOwnVersionWithTheServers() {
    assertThat(ServerChecks.version("1.0", "1.0")).isEmpty();
    assertThat(ServerChecks.version("1.0", "1.1").orElseThrow().line(Paint.PLAIN))
        .isEqualTo("! this command is 1.0 and the server 1.1; use the same version of both");
    assertThat(ServerChecks.version("1.0", "development").orElseThrow().line(Paint.PLAIN))
        .startsWith("– the server runs from class folders and has no version to compare with 1.0");
  }

  @Test
  void saysThatThereIsNothingToCompareAnSdkWith() {
    var worker = dev.kagzi.v1.Worker.newBuilder().setSdkVersion("1.0").build();

    assertThat(
            WorkChecks.sdk("kagzi-java 1.0", List.of(worker, worker), "development")
                .line(Paint.PLAIN))
        .startsWith("– 2 workers use kagzi-java 1.0, which was not compared");
  }

  @Test
  void comparesTheVersionsOfSdksWithTheServers() {
    var name = unique("skewed");
    kagzi("namespace", "create", name);
    var server = kagzi("api", "GetServerInfo", "{}").out();
    var version = server.replaceFirst("(?s).*\"serverVersion\": *\"([^\"]+)\".*", "$1");
    register(name, "0.0.9");
    register(name, version);
    register(name, "");

    assumeFalse(ServerChecks.isUnpackaged(version), "from class folders there is no version");
    assertThat(kagzi("doctor", "-n", name).out())
        .contains(
            "! 1 worker uses kagzi-java 0.0.9 and the server is " + version + "; use the same")
        .contains("✔ 1 worker uses kagzi-java " + version + ", the server's version")
        .contains("– 1 worker uses an SDK that does not tell its version");
  }

  private static void register(String namespace, String sdkVersion) {
    var registered =
        kagzi(
            "api",
            "Register",
            """
            {"namespace": "%s", "taskQueue": "q", "types": [{"workflowType": "t"}],
             "instanceId": "%s", "sdkName": "kagzi-java", "sdkVersion": "%s"}
            """
                .formatted(namespace, unique("instance"), sdkVersion));
    assertThat(registered.code()).as(registered.err()).isZero();
  }

  @Test
  void seesHandlersThatFailAndHandlersThatHandleTheirOwnChildren() {
    var name = unique("handled");
    kagzi("namespace", "create", name);
    var doomed = WorkflowType.of("doomed", String.class, String.class);
    var followUp = WorkflowType.of("follow-up", String.class, String.class);
    var handler = WorkflowType.of("handler", WorkflowFailedEvent.class, String.class);
    var address = ServerAtWork.shared().address();
    assertThat(kagzi("doctor", "-n", name).out())
        .contains("✔ no failure handler has failed in the last hour");

    try (var client = KagziClient.builder(address).namespace(name).connect();
        var worker =
            Worker.builder(address, "q")
                .namespace(name)
                .register(doomed, (ctx, input) -> fail())
                .register(followUp, (ctx, input) -> fail())
                .register(
                    handler,
                    (ctx, event) ->
                        // Once round is enough to be seen.
                        event.workflowType().equals("doomed")
                            ? ctx.child(followUp).input("again").onFailure("handler").run()
                            : "handled")
                .build()) {
      worker.start();
      client.start(doomed).queue("q").onFailure("handler").input("first").send();

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(kagzi("doctor", "-n", name).out())
                  .containsPattern(
                      "! of the 3 newest failures of the last hour, 1 is that of a failure"
                          + " handler \\(handler\\), which nobody handles; kagzi wf show"
                          + " [0-9a-f-]{36} tells")
                  .containsPattern(
                      "! 1 failed run started by the failure handler that is to handle their"
                          + " failure"));
    }
  }

  private static String fail() {
    throw new IllegalStateException("doomed");
  }

  @Test
  void seesRunsWithLargePayloads() {
    var name = unique("large");
    kagzi("namespace", "create", name);
    try (var client =
        KagziClient.builder(ServerAtWork.shared().address()).namespace(name).connect()) {
      client.start("greet").queue("q").input("x".repeat(1024 * 1000)).send();
      var small = kagzi("doctor", "-n", name);
      client.start("greet").queue("q").input("x".repeat(1024 * 1100)).send();
      var large = kagzi("doctor", "-n", name);

      assertThat(small.out()).contains("✔ no input or output over 1.0 MB in the newest 1 run\n");
      assertThat(large.out())
          .contains(
              "! an input or output over 1.0 MB in 1 of the newest 2 runs, the largest 1.1 MB in"
                  + " run ");
    }
  }

  @Test
  void looksAtThePlanOfAClaimAndAtThePayloadsOfSteps() throws SQLException {
    var url = SharedPostgres.freshDatabase();
    Recorded.run(folder, Map.of("KAGZI_DATABASE_URL", url), "db", "migrate");
    var empty = kagzi("doctor", "--database-url", url);
    execute(
        url,
        """
        INSERT INTO kagzi.workflow_runs
          (run_id, namespace_id, task_queue, workflow_type, version, status, available_at, created_at)
        SELECT gen_random_uuid(), 'default', 'q', 'greet', '', 'PENDING',
               now() - n * interval '1 second', now()
        FROM generate_series(1, 40000) n
        """,
        "CREATE TABLE kagzi.step_runs_of_all_times PARTITION OF kagzi.step_runs DEFAULT",
        """
        INSERT INTO kagzi.step_runs
          (run_id, step_key, attempt, seq, kind, status, settled, lease_epoch, output, finished_at)
        SELECT '0198f2c1-6f0b-7c3e-9a51-0d7c2f8e1b44', 'step-' || n, 1, n, 'FUNCTION', 'COMPLETED', true,
               1, convert_to(repeat('x', n * 600000), 'UTF8'), now()
        FROM generate_series(1, 2) n
        """,
        "ANALYZE kagzi.workflow_runs");
    var well = kagzi("doctor", "--database-url", url);
    execute(url, "DROP INDEX kagzi.workflow_runs_ready");
    var ill = kagzi("doctor", "--database-url", url);

    assertThat(empty.out())
        .contains("– the plan of a claim was not looked at, because no run waits")
        .contains("✔ none of the newest 0 attempts of steps has an input or output over 1.0 MB")
        .containsPattern(
            "[✔!] the database takes \\d+\\.\\d MB of disk, and \\d+\\.\\d GB of \\d+\\.\\d GB are"
                + " free");
    assertThat(well.out())
        .containsPattern(
            "✔ looking for 100 due runs of greet takes the index workflow_runs_ready, \\d{1,3}"
                + " pages and \\d+ µs")
        .contains(
            "! 1 of the newest 2 attempts of steps have an input or output over 1.0 MB, the largest"
                + " 1.1 MB in run 0198f2c1-6f0b-7c3e-9a51-0d7c2f8e1b44;");
    assertThat(ill.out())
        .containsPattern("! looking for 100 due runs of greet takes no index, \\d+ pages")
        .contains("VACUUM (ANALYZE) kagzi.workflow_runs");
  }

  private static void execute(String url, String... statements) throws SQLException {
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      for (var sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Test
  void looksAtTheDatabaseIfItKnowsIt() throws SQLException {
    var url = SharedPostgres.freshDatabase();
    Recorded.run(folder, Map.of("KAGZI_DATABASE_URL", url), "db", "migrate");

    var well = kagzi("doctor", "--database-url", url);
    execute(url, BROKEN_INDEX, OTHER_ISOLATION);
    var odd = kagzi("doctor", "--database-url", url);
    execute(url, "DROP INDEX kagzi.workflow_runs_ready");
    var ill = kagzi("doctor", "--database-url", url);

    assertThat(well.out())
        .contains("✔ claims have their index workflow_runs_ready")
        .containsPattern("✔ workflow_runs has \\d+ live and \\d+ dead rows")
        .contains("✔ the oldest transaction is under way for ")
        .contains("✔ transactions are READ COMMITTED");
    assertThat(well.code()).as(well.out()).isZero();
    assertThat(odd.out())
        .contains("✗ indexes of schema kagzi that are not valid: 1; REINDEX SCHEMA kagzi")
        .contains("! default_transaction_isolation is serializable;");
    assertThat(odd.code()).isEqualTo(1);
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
