package dev.kagzi.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {
  private static final String URL = "postgres://kagzi:s3cret@db/runs";

  @TempDir private Path folder;
  private final Map<String, String> environment = new HashMap<>();
  private List<String> arguments = List.of();

  @Test
  void defaultsAreThoseOfTheSpecification() {
    var config = ServerConfig.defaults();

    assertThat(config.listen()).isEqualTo(new ListenConfig("127.0.0.1", 50051, 50080));
    assertThat(config.lease())
        .isEqualTo(
            new LeaseConfig(
                Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5), 10));
    assertThat(config.coordinator())
        .isEqualTo(new CoordinatorConfig(Duration.ofSeconds(5), 100, 1000, Duration.ofSeconds(30)));
    assertThat(config.node())
        .isEqualTo(new NodeConfig(Duration.ofSeconds(2), Duration.ofSeconds(6)));
    assertThat(config.poll())
        .isEqualTo(new PollConfig(Duration.ofSeconds(30), Duration.ofSeconds(1)));
    assertThat(config.commit()).isEqualTo(new CommitConfig(2, 256));
    assertThat(config.retention().days()).isEqualTo(30);
    assertThat(config.shutdownTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.log()).isEqualTo(new LogConfig(LogConfig.Format.AUTO, LogConfig.Level.INFO));
    assertThat(config.database())
        .isEqualTo(new DatabaseConfig(null, null, 16, DatabaseConfig.Migrate.CHECK));
    assertThat(config.warnings()).isEmpty();
  }

  @Test
  void withoutAnySourceTheDefaultsHold() {
    assertThat(load().print()).isEqualTo(ServerConfig.defaults().print());
  }

  @Test
  void flagBeatsEnvironmentBeatsFileBeatsDefault() throws Exception {
    file("grpc.port = 1\nhttp.port = 1\ncommit.lanes = 1\n");
    environment.put("KAGZI_GRPC_PORT", "2");
    environment.put("KAGZI_HTTP_PORT", "2");
    arguments = List.of("--grpc-port", "3");

    var config = load();

    assertThat(config.listen()).isEqualTo(new ListenConfig("127.0.0.1", 3, 2));
    assertThat(config.commit()).isEqualTo(new CommitConfig(1, 256));
    assertThat(config.origin(ConfigKeys.GRPC_PORT)).hasToString("--grpc-port");
    assertThat(config.origin(ConfigKeys.HTTP_PORT)).hasToString("KAGZI_HTTP_PORT");
    assertThat(config.origin(ConfigKeys.COMMIT_LANES)).hasToString(folder + "/kagzi.toml");
    assertThat(config.origin(ConfigKeys.COMMIT_MAX_BATCH)).hasToString("default");
  }

  @Test
  void readsSectionsOfTheFile() throws Exception {
    file(
        """
        bind_address = "::1"
        [worker]
        visibility_timeout_secs = 60
        heartbeat_interval_secs = 2.5
        [database]
        url = "postgres://h/db"
        migrate = "auto"
        """);

    var config = load();

    assertThat(config.listen().bindAddress()).isEqualTo("::1");
    assertThat(config.lease().duration()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.lease().heartbeatInterval()).isEqualTo(Duration.ofMillis(2500));
    assertThat(config.database().requiredUrl().jdbcUrl()).isEqualTo("jdbc:postgresql://h/db");
    assertThat(config.database().migrate()).isEqualTo(DatabaseConfig.Migrate.AUTO);
  }

  @Test
  void everyKeyCanBeSetInEveryWay() throws Exception {
    for (var key : ConfigKeys.all()) {
      var text = key.defaultText() == null ? "postgres://h/db" : key.defaultText();
      var url =
          key.equals(ConfigKeys.DATABASE_URL) ? List.<String>of() : List.of("--database-url", URL);
      if (key.equals(ConfigKeys.DATABASE_PASSWORD_FILE)) {
        text = Files.writeString(folder.resolve("password"), "s3cret").toString();
      }

      environment.clear();
      arguments = url;
      file(key.name() + " = '" + text + "'\n");
      assertThat(load().origin(key).kind()).isEqualTo(Origin.Kind.FILE);

      environment.put(key.environmentName(), text);
      assertThat(load().origin(key).kind()).isEqualTo(Origin.Kind.ENVIRONMENT);

      arguments = new ArrayList<>(url);
      arguments.add(key.flag() + "=" + text);
      assertThat(load().origin(key).kind()).isEqualTo(Origin.Kind.FLAG);
    }
  }

  @Test
  void aNamedFileMustExist() throws Exception {
    Files.writeString(folder.resolve("other.toml"), "grpc.port = 7\n");
    environment.put("KAGZI_CONFIG_FILE", "other.toml");
    assertThat(load().listen().grpcPort()).isEqualTo(7);

    arguments = List.of("--config", "missing.toml");
    assertThat(faults())
        .singleElement()
        .asString()
        .startsWith(folder + "/missing.toml: does not exist");
  }

  @Test
  void aSyntaxErrorNamesFileLineAndColumn() throws Exception {
    file("[grpc]\nport = = 1\n");

    assertThat(faults()).containsExactly(folder + "/kagzi.toml:2:8: not TOML: Unknown token");
  }

  @Test
  void reportsAllFaultsAtOnce() throws Exception {
    file("grpc.prot = 1\nlog.level = 'loud'\n[colour]\nname = 'red'\n");
    environment.put("KAGZI_HTTP_PORT", "70000");
    environment.put("KAGZI_COORDINATOR_INTERVAL_SEC", "5");
    arguments = List.of("--comit-lanes=2", "--database-pool-size", "many", "--bind-address");

    assertThat(faults())
        .containsExactlyInAnyOrder(
            "grpc.prot: unknown key in %s/kagzi.toml (did you mean grpc.port?)".formatted(folder),
            "colour.name: unknown key in %s/kagzi.toml (docs/configuration.md lists all keys)"
                .formatted(folder),
            "log.level: loud from %s/kagzi.toml (expected: trace, debug, info, warn, error)"
                .formatted(folder),
            "http.port: 70000 from KAGZI_HTTP_PORT (expected: a whole number from 0 to 65535)",
            "KAGZI_COORDINATOR_INTERVAL_SEC: unknown environment variable"
                + " (did you mean KAGZI_COORDINATOR_INTERVAL_SECS?)",
            "--comit-lanes: unknown flag (did you mean --commit-lanes?)",
            "database.pool_size: many from --database-pool-size"
                + " (expected: a whole number from 4 to 200)",
            "--bind-address: no value given");
  }

  @ParameterizedTest
  @CsvSource({
    "KAGZI_GRPC_PORT, -1",
    "KAGZI_GRPC_PORT, 1.5",
    "KAGZI_GRPC_PORT, ' '",
    "KAGZI_DATABASE_POOL_SIZE, 3",
    "KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS, 1",
    "KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS, 30s",
    "KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS, 1e99999999",
    "KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS, 10.0001",
    "KAGZI_POLL_FALLBACK_INTERVAL_MS, 5",
    "KAGZI_DATABASE_MIGRATE, yes",
    "KAGZI_BIND_ADDRESS, 0.0.0.0:50051",
    "KAGZI_BIND_ADDRESS, *",
    "KAGZI_BIND_ADDRESS, http://localhost",
    "KAGZI_RETENTION_DAYS, -1",
  })
  void refusesValuesOutOfBounds(String variable, String text) {
    environment.put(variable, text);

    assertThat(faults()).singleElement().asString().contains(variable).contains("expected: ");
  }

  @Test
  void aFaultIsOneLineWhateverTheValue() {
    environment.put("KAGZI_GRPC_PORT", "1\n2\u001b[31m");

    assertThat(faults()).singleElement().asString().startsWith("grpc.port: 1 2 [31m from");
  }

  @Test
  void aTableWhereAValueBelongsIsAFault() throws Exception {
    file("grpc = 5\n[http.port]\nnumber = 1\n[[log]]\nlevel = 'info'\n");

    assertThat(faults()).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({
    "KAGZI_JAVA_HOME, /opt/jdk",
    "KAGZI_NAMESPACE, default",
    "KAGZI_SERVICE_HOST, 10.0.0.1",
    "KAGZI_SERVICE_PORT_GRPC, 50051",
    "KAGZI_PORT, tcp://10.0.0.1:50051",
    "KAGZI_PORT_50051_TCP_ADDR, 10.0.0.1",
    "KAGZI_GRPC_PORT, tcp://10.0.0.1:50051",
    "KAGZI_GRPC_PORT, ''",
    "KAGZISTAN, 1",
  })
  void passesOverVariablesThatAreNotForTheServer(String name, String value) {
    environment.put(name, value);

    assertThat(load().listen().grpcPort()).isEqualTo(50051);
  }

  @Test
  void aCommandHasItsOwnDefaultsAndNeeds() {
    var sources =
        ConfigSources.of(ConfigFlags.none(), environment, folder)
            .withDefault(ConfigKeys.DATABASE_MIGRATE, DatabaseConfig.Migrate.AUTO);
    assertThat(ServerConfig.load(sources).database().migrate())
        .isEqualTo(DatabaseConfig.Migrate.AUTO);

    environment.put("KAGZI_DATABASE_MIGRATE", "off");
    var needy =
        ConfigSources.of(ConfigFlags.none(), environment, folder)
            .requiring(ConfigKeys.DATABASE_URL);
    assertThatThrownBy(() -> ServerConfig.load(needy))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(
            "database.url: not set (give --database-url, KAGZI_DATABASE_URL, or the key in"
                + " kagzi.toml; expected: postgres://");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--worker-heartbeat-interval-secs=11",
        "--worker-visibility-timeout-secs=29",
        "--coordinator-worker-stale-threshold-secs=19",
        "--node-beat-interval-secs=2.1",
        "--poll-fallback-interval-ms=30001",
        "--http-port=50051",
        "--coordinator-batch-size=1001",
        "--commit-lanes=15",
        "--database-direct-url=postgres://h/db",
        "--database-user=me",
        "--database-password=s3cret",
      })
  void refusesValuesThatDoNotFitTogether(String flag) {
    arguments = List.of(flag);

    assertThat(faults()).singleElement().asString().contains("expected: ").doesNotContain("s3cret");
  }

  @Test
  void aMisfitNamesBothSides() {
    environment.put("KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS", "15");

    assertThat(faults())
        .containsExactly(
            "worker.heartbeat_interval_secs: 10 from default (expected: at most a third of"
                + " worker.visibility_timeout_secs, which is 15 from"
                + " KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS)");
  }

  @Test
  void workersAreDegradedBeforeTheyAreUnhealthy() {
    environment.put("KAGZI_WORKER_HEALTH_WARNING_SECS", "30");

    assertThat(faults())
        .containsExactly(
            "worker.health_warning_secs: 30 from KAGZI_WORKER_HEALTH_WARNING_SECS (expected: less"
                + " than worker.health_timeout_secs, which is 30 from default)");

    environment.put("KAGZI_WORKER_HEALTH_WARNING_SECS", "0");

    assertThat(faults())
        .containsExactly(
            "worker.health_warning_secs: 0 from KAGZI_WORKER_HEALTH_WARNING_SECS (expected: seconds"
                + " from 0.1 to 86400)");
  }

  @Test
  void warnsOfWorkersThatSeemDegradedBetweenTwoHeartbeats() {
    arguments = List.of("--worker-health-warning-secs=10", "--database-url", URL);

    assertThat(load().warnings())
        .containsExactly(
            "worker.health_warning_secs: 10 from --worker-health-warning-secs: workers that are"
                + " well will be shown as degraded between two heartbeats;"
                + " worker.heartbeat_interval_secs is 10 from default");
  }

  @Test
  void aWrongValueIsNotReportedTwice() {
    environment.put("KAGZI_DATABASE_URL", "mysql://h/db");
    environment.put("KAGZI_DATABASE_USER", "me");

    assertThat(faults()).singleElement().asString().startsWith("database.url: mysql://h/db from");
  }

  @Test
  void masksTheSecretsOfAFaultyUrl() {
    environment.put("KAGZI_DATABASE_URL", "postgres://kagzi:s3/cret@db/runs");
    environment.put("KAGZI_DATABASE_DIRECT_URL", "db:5432?password=s3cret");

    assertThat(faults())
        .hasSize(2)
        .allSatisfy(fault -> assertThat(fault).contains("***").doesNotContain("s3", "cret@"));
  }

  @Test
  void addsCredentialsToBothUrls() {
    environment.put("KAGZI_DATABASE_URL", URL);
    environment.put("KAGZI_DATABASE_DIRECT_URL", "postgres://direct/runs");
    var inherited = load().database();
    assertThat(inherited.sessionUrl().user()).isEqualTo("kagzi");
    assertThat(inherited.sessionUrl().password()).isEqualTo("s3cret");

    environment.put("KAGZI_DATABASE_USER", "other");
    environment.put("KAGZI_DATABASE_PASSWORD", " spaced ");
    var replaced = load().database();
    assertThat(replaced.requiredUrl().user()).isEqualTo("other");
    assertThat(replaced.requiredUrl().password()).isEqualTo(" spaced ");
    assertThat(replaced.sessionUrl().user()).isEqualTo("other");
    assertThat(replaced.sessionUrl().jdbcUrl()).isEqualTo("jdbc:postgresql://direct/runs");
  }

  @Test
  void readsThePasswordFromAFile() throws Exception {
    var password = Files.writeString(folder.resolve("password"), "from file\n");
    environment.put("KAGZI_DATABASE_URL", URL);
    environment.put("KAGZI_DATABASE_PASSWORD_FILE", password.toString());
    assertThat(load().database().requiredUrl().password()).isEqualTo("from file");
    assertThat(load().toBuilder().build().database().requiredUrl().password())
        .isEqualTo("from file");

    file("database.password = 'weaker'\n");
    assertThat(load().database().requiredUrl().password()).isEqualTo("from file");

    arguments = List.of("--database-password=stronger");
    assertThat(load().database().requiredUrl().password()).isEqualTo("stronger");

    arguments = List.of();
    environment.put("KAGZI_DATABASE_PASSWORD", "beside");
    assertThat(faults())
        .containsExactly(
            "database.password_file: stands beside database.password (expected: one of the two)");
  }

  @Test
  void aPasswordFileThatCannotBeReadIsAFault() {
    environment.put("KAGZI_DATABASE_URL", URL);
    environment.put("KAGZI_DATABASE_PASSWORD_FILE", folder + "/missing");

    assertThat(faults())
        .singleElement()
        .asString()
        .contains("missing from KAGZI_DATABASE_PASSWORD_FILE");
  }

  @Test
  void driverPropertiesRespectAPooler() {
    var direct = ServerConfig.builder().set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(URL));
    assertThat(direct.build().database().isPooled()).isFalse();
    assertThat(direct.build().database().driverProperties(false))
        .containsEntry("prepareThreshold", "3")
        .containsKey("options");

    direct.set(ConfigKeys.DATABASE_DIRECT_URL, DatabaseUrl.parse(URL));
    assertThat(direct.build().database().isPooled()).isTrue();
    assertThat(direct.build().database().driverProperties(true))
        .containsEntry("prepareThreshold", "0")
        .doesNotContainKey("options");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.1.2.3, true",
    "localhost, true",
    "::1, true",
    "0:0:0:0:0:0:0:1, true",
    "0.0.0.0, false",
    "::, false",
    "10.0.0.1, false",
    "kagzi.example, false",
  })
  void warnsWhenOpenToTheNetwork(String address, boolean loopback) {
    environment.put("KAGZI_BIND_ADDRESS", address);

    var config = load();

    assertThat(config.listen().isLoopback()).isEqualTo(loopback);
    assertThat(config.warnings()).hasSize(loopback ? 0 : 1);
  }

  @Test
  void warnsOfLongPollsAndOfPasswordsInTheProcessList() {
    arguments =
        List.of("--poll-timeout-secs=60", "--database-url", URL, "--database-password=s3cret");

    assertThat(load().warnings())
        .hasSize(2)
        .allSatisfy(warning -> assertThat(warning).doesNotContain("s3cret"));
  }

  @Test
  void printsEveryValueWithItsOriginAndNoSecret() {
    environment.put("KAGZI_DATABASE_URL", URL + "?sslpassword=s3cret");
    environment.put("KAGZI_DATABASE_PASSWORD", "s3cret");
    arguments = List.of("--retention-days=0");

    var lines = load().print().lines().toList();

    assertThat(lines)
        .hasSize(ConfigKeys.all().size())
        .contains(
            "database.url = \"postgres://kagzi:***@db/runs?sslpassword=***\" # KAGZI_DATABASE_URL",
            "database.password = \"***\"                      # KAGZI_DATABASE_PASSWORD",
            "# database.direct_url is not set",
            "grpc.port = 50051                              # default",
            "retention.days = 0                             # --retention-days")
        .noneMatch(line -> line.contains("s3cret"));
  }

  @Test
  void whatItPrintsIsAFileItReads() throws Exception {
    arguments =
        List.of("--database-url=postgres://h/db", "--poll-timeout-secs=12.5", "--log-level=debug");
    var printed = load().print();
    arguments = List.of();
    file(printed);

    assertThat(load().print().replaceAll(" *#.*", "")).isEqualTo(printed.replaceAll(" *#.*", ""));
  }

  @Test
  void aProgramSetsTypedValues() {
    var config =
        ServerConfig.builder()
            .set(ConfigKeys.GRPC_PORT, 0)
            .set(ConfigKeys.HTTP_PORT, 0)
            .set(ConfigKeys.NODE_BEAT_INTERVAL, Duration.ofMillis(150))
            .build();

    assertThat(config.listen().grpcPort()).isZero();
    assertThat(config.print()).contains("node.beat_interval_secs = 0.15").contains("# code");
    assertThat(config.toBuilder().set(ConfigKeys.GRPC_PORT, 1).build().listen().httpPort())
        .isZero();
  }

  @Test
  void aProgramIsCheckedToo() {
    var builder =
        ServerConfig.builder()
            .set(ConfigKeys.GRPC_PORT, -1)
            .set(ConfigKeys.WORKER_VISIBILITY_TIMEOUT, Duration.ofHours(2));

    assertThatThrownBy(builder::build)
        .hasMessage(
            "grpc.port: -1 from code (expected: a whole number from 0 to 65535)\n"
                + "worker.visibility_timeout_secs: 7200 from code"
                + " (expected: seconds from 2 to 3600)");
    assertThat(
            builder
                .set(ConfigKeys.GRPC_PORT, 1)
                .set(ConfigKeys.WORKER_VISIBILITY_TIMEOUT, Duration.ofMinutes(1))
                .build()
                .listen()
                .grpcPort())
        .isEqualTo(1);
  }

  private ServerConfig load() {
    return ServerConfig.load(ConfigSources.of(ConfigFlags.parse(arguments), environment, folder));
  }

  private List<String> faults() {
    try {
      throw new AssertionError("no fault in\n" + load().print());
    } catch (ConfigException e) {
      assertThat(Objects.requireNonNull(e.getMessage()).lines()).hasSize(e.faults().size());
      return e.faults().stream().map(Fault::toString).toList();
    }
  }

  private void file(String text) throws IOException {
    Files.writeString(folder.resolve("kagzi.toml"), text);
  }
}
