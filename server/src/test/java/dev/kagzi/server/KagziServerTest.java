package dev.kagzi.server;

import static dev.kagzi.server.Wire.aStart;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.server.ServerStartException.Reason;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig.Migrate;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import dev.kagzi.v1.HealthStatus;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Isolated, because it looks for threads that a server has left in the process. */
@Isolated
class KagziServerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HttpClient http = HttpClient.newHttpClient();

  private HttpResponse<String> get(KagziServer server, String path) {
    var request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d%s".formatted(server.httpPort(), path)))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException failure) {
      throw new AssertionError(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  private static ServingStatus health(TestServer server, String service) {
    return HealthGrpc.newBlockingStub(server.channel())
        .check(HealthCheckRequest.newBuilder().setService(service).build())
        .getStatus();
  }

  private static HealthStatus check(TestServer server) {
    return server
        .admin()
        .healthCheck(dev.kagzi.v1.HealthCheckRequest.getDefaultInstance())
        .getStatus();
  }

  private static ServerStartException refusalOf(ServerConfig config) {
    var refusal =
        catchThrowableOfType(ServerStartException.class, () -> KagziServer.start(config).close());
    assertThat(refusal).isNotNull();
    assertThat(refusal.getMessage()).doesNotContain("\n", "s3cret");
    return refusal;
  }

  @Test
  void saysWhatItRunsOn() {
    try (var server = TestServer.startOnEmptyDatabase()) {
      assertThat(server.server().databaseVersion()).matches("PostgreSQL \\d+\\.\\d+");
      assertThat(server.server().schemaVersion()).isPositive();
      assertThat(server.server().migrated().applied()).isPositive();
      assertThat(server.server().grpcPort()).isPositive();
      assertThat(get(server.server(), "/healthz"))
          .matches(answer -> answer.statusCode() == 200 && answer.body().equals("ok"));
      assertThat(get(server.server(), "/readyz").body()).contains("\"ready\":true");
      assertThat(get(server.server(), "/nowhere"))
          .matches(answer -> answer.statusCode() == 404 && answer.body().contains("Not Found"));
    }
  }

  @Test
  void showsThatTheDatabaseIsGoneAndComesBackByItself(@TempDir Path folder) {
    try (var postgres = EmbeddedPostgres.builder(folder).start()) {
      postgres.createDatabase("kagzi");
      try (var server =
          TestServer.start(settings ->
              settings
                  .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(postgres.jdbcUrl("kagzi")))
                  .set(ConfigKeys.NODE_BEAT_INTERVAL, Duration.ofMillis(100)))) {
        assertThat(health(server, "")).isEqualTo(ServingStatus.SERVING);
        await()
            .atMost(PATIENCE)
            .until(() -> check(server), HealthStatus.HEALTH_STATUS_HEALTHY::equals);

        postgres.stop();

        await().atMost(PATIENCE).until(() -> health(server, "") == ServingStatus.NOT_SERVING);
        assertThat(health(server, "kagzi.v1.WorkerService")).isEqualTo(ServingStatus.NOT_SERVING);
        assertThat(get(server.server(), "/readyz"))
            .matches(answer ->
                answer.statusCode() == 503 && answer.body().contains("database does not answer"));
        assertThat(get(server.server(), "/healthz").statusCode()).isEqualTo(200);
        var refusal =
            catchThrowableOfType(
                StatusRuntimeException.class,
                () -> server.workflows().startWorkflow(aStart().build()));
        assertThat(Wire.verdict(refusal)).isEqualTo("UNAVAILABLE DATABASE_UNAVAILABLE");
        long asked = System.nanoTime();
        assertThat(check(server)).isEqualTo(HealthStatus.HEALTH_STATUS_UNHEALTHY);
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(2));

        postgres.restart();

        await().atMost(PATIENCE).until(() -> health(server, "") == ServingStatus.SERVING);
        await().atMost(PATIENCE).until(() -> get(server.server(), "/readyz").statusCode() == 200);
        await()
            .atMost(PATIENCE)
            .until(() -> check(server), HealthStatus.HEALTH_STATUS_HEALTHY::equals);
        assertThat(server.workflows().startWorkflow(aStart().build()).getRunId()).isNotEmpty();
      }
    }
  }

  @Test
  void aPortThatIsInUseIsNamedAndNothingIsLeftBehind() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      String url = SharedPostgres.freshDatabase();

      var grpc = refusalOf(TestServer.settings(url).set(ConfigKeys.GRPC_PORT, port).build());
      var web = refusalOf(TestServer.settings(url).set(ConfigKeys.HTTP_PORT, port).build());

      assertThat(grpc.reason()).isEqualTo(Reason.PORT_IN_USE);
      assertThat(grpc)
          .hasMessageContaining("port " + port)
          .hasMessageContaining("grpc.port, from code")
          .hasMessageContaining("KAGZI_GRPC_PORT");
      assertThat(web.reason()).isEqualTo(Reason.PORT_IN_USE);
      assertThat(web).hasMessageContaining("--http-port");
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(ownThreads()).isEmpty());
    }
  }

  /** What a server that is not there any more must not leave behind. */
  private static List<String> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("kagzi") && !name.startsWith("kagzi-postgres"))
        .toList();
  }

  @Test
  void aDatabaseThatDoesNotExistIsNamed() {
    String url = SharedPostgres.server().jdbcUrl("no_such_database") + "&password=s3cret";

    var refusal = refusalOf(TestServer.settings(url).build());

    assertThat(refusal.reason()).isEqualTo(Reason.DATABASE_MISSING);
    assertThat(refusal)
        .hasMessageContaining("/no_such_database")
        .hasMessageContaining("database.url, from code");
  }

  @Test
  void aDatabaseThatNobodyServesIsUnreachable() throws IOException {
    int free;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }

    var refusal =
        refusalOf(
            TestServer.settings("postgres://kagzi:s3cret@127.0.0.1:%d/kagzi".formatted(free))
                .build());

    assertThat(refusal.reason()).isEqualTo(Reason.DATABASE_UNREACHABLE);
    assertThat(refusal).hasMessageContaining("127.0.0.1:" + free);
  }

  @Test
  void aUserThatIsNotThereCannotLogIn() {
    var settings =
        TestServer.settings(SharedPostgres.freshDatabase())
            .set(ConfigKeys.DATABASE_USER, "nobody")
            .set(ConfigKeys.DATABASE_PASSWORD, "s3cret");

    assertThat(refusalOf(settings.build()).reason()).isEqualTo(Reason.DATABASE_LOGIN_FAILED);
  }

  @Test
  void anEmptyDatabaseIsOldUnlessItMayBeMigrated() {
    var settings =
        TestServer.settings(SharedPostgres.freshDatabase())
            .set(ConfigKeys.DATABASE_MIGRATE, Migrate.CHECK);

    var refusal = refusalOf(settings.build());

    assertThat(refusal.reason()).isEqualTo(Reason.SCHEMA_OLDER);
    assertThat(refusal).hasMessageContaining("KAGZI_DATABASE_MIGRATE=auto");
  }

  @Test
  void aSchemaOfANewerKagziIsLeftAlone() throws SQLException {
    String url = SharedPostgres.freshDatabase();
    var config = TestServer.settings(url).build();
    KagziServer.start(config).close();
    try (var connection = DriverManager.getConnection(url);
        var statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO kagzi.schema_history
                 (installed_rank, version, description, type, script, installed_by,
                  execution_time, success)
          VALUES (99, '99', 'from the future', 'SQL', 'V99__future.sql', 'test', 1, true)
          """);
    }

    var refusal = refusalOf(config);

    assertThat(refusal.reason()).isEqualTo(Reason.SCHEMA_NEWER);
    assertThat(refusal).hasMessageContaining("99").hasMessageContaining("run a newer Kagzi");
  }
}
