package dev.kagzi.server.config;

import static dev.kagzi.server.config.ValueType.attempts;
import static dev.kagzi.server.config.ValueType.choice;
import static dev.kagzi.server.config.ValueType.databaseUrl;
import static dev.kagzi.server.config.ValueType.integer;
import static dev.kagzi.server.config.ValueType.millis;
import static dev.kagzi.server.config.ValueType.number;
import static dev.kagzi.server.config.ValueType.seconds;
import static dev.kagzi.server.config.ValueType.secret;
import static dev.kagzi.server.config.ValueType.text;

import dev.kagzi.core.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The table of everything that can be set on a server; {@code docs/configuration.md} shows it and a
 * test keeps the two equal. A key that is added here must be added to {@link #all()} as well.
 */
public final class ConfigKeys {
  /** Names the file to read; not a key itself, because it cannot stand in the file. */
  public static final String CONFIG_FLAG = "--config";

  public static final String CONFIG_VARIABLE = "KAGZI_CONFIG_FILE";

  /** Variables of the launcher, the command line and the SDK, which a server passes over. */
  public static final Set<String> FOREIGN_VARIABLES =
      Set.of(
          CONFIG_VARIABLE,
          "KAGZI_ADDRESS",
          "KAGZI_API_KEY",
          "KAGZI_CACHE_DIR",
          "KAGZI_DEBUG",
          "KAGZI_HOME",
          "KAGZI_JAVA_HOME",
          "KAGZI_JAVA_OPTS",
          "KAGZI_NAMESPACE",
          "KAGZI_PROFILE",
          "KAGZI_SKIP_BUILD");

  private static final int MAX_PORT = 65_535;

  /** The longest wait that a policy may ask for, in seconds. */
  private static final String YEAR = "31622400";

  private static final ValueType<String> ANY_TEXT = text("a text", text -> !text.isBlank());

  public static final ConfigKey<String> BIND_ADDRESS =
      ConfigKey.of(
          "bind_address",
          text("an IP address or host name, without a port", ListenConfig::isBindAddress),
          "127.0.0.1",
          "Address to listen on. Anything but loopback is open to the network.");

  public static final ConfigKey<Integer> GRPC_PORT =
      ConfigKey.of("grpc.port", integer(0, MAX_PORT), 50_051, "gRPC port; 0 takes any free one.");

  public static final ConfigKey<Integer> HTTP_PORT =
      ConfigKey.of(
          "http.port",
          integer(0, MAX_PORT),
          50_080,
          "Port for JSON, health and metrics; 0 takes any free one.");

  public static final ConfigKey<DatabaseUrl> DATABASE_URL =
      ConfigKey.withoutDefault(
          "database.url", databaseUrl(), "The database, as a libpq or JDBC URL.");

  public static final ConfigKey<DatabaseUrl> DATABASE_DIRECT_URL =
      ConfigKey.withoutDefault(
          "database.direct_url",
          databaseUrl(),
          "The same database past a connection pooler, for LISTEN and migrations.");

  public static final ConfigKey<String> DATABASE_USER =
      ConfigKey.withoutDefault(
          "database.user", ANY_TEXT, "Database user; stronger than one in a URL.");

  public static final ConfigKey<String> DATABASE_PASSWORD =
      ConfigKey.withoutDefault(
          "database.password", secret(), "Database password; stronger than one in a URL.");

  public static final ConfigKey<String> DATABASE_PASSWORD_FILE =
      ConfigKey.withoutDefault(
          "database.password_file", ANY_TEXT, "File that holds the database password.");

  public static final ConfigKey<Integer> DATABASE_POOL_SIZE =
      ConfigKey.of("database.pool_size", integer(4, 200), 16, "Most connections of this server.");

  public static final ConfigKey<DatabaseConfig.Migrate> DATABASE_MIGRATE =
      ConfigKey.of(
          "database.migrate",
          choice(DatabaseConfig.Migrate.class),
          DatabaseConfig.Migrate.CHECK,
          "At start: bring the schema up to date, refuse an old one, or do not look."
              + " `kagzi dev` defaults to auto.");

  public static final ConfigKey<LogConfig.Format> LOG_FORMAT =
      ConfigKey.of(
          "log.format",
          choice(LogConfig.Format.class),
          LogConfig.Format.AUTO,
          "Log format; auto is text on a terminal and json elsewhere.");

  public static final ConfigKey<LogConfig.Level> LOG_LEVEL =
      ConfigKey.of(
          "log.level",
          choice(LogConfig.Level.class),
          LogConfig.Level.INFO,
          "Least level that is logged.");

  public static final ConfigKey<Duration> COORDINATOR_INTERVAL =
      ConfigKey.of(
          "coordinator.interval_secs",
          seconds("0.1", "3600"),
          Duration.ofSeconds(5),
          "Pause between two looks for workers that have fallen silent; schedules fire at their"
              + " times.");

  public static final ConfigKey<Integer> COORDINATOR_BATCH_SIZE =
      ConfigKey.of(
          "coordinator.batch_size",
          integer(1, 10_000),
          100,
          "Schedules handled between two looks at what is due, each in its own transaction.");

  public static final ConfigKey<Integer> COORDINATOR_MAX_WORKFLOWS_PER_TICK =
      ConfigKey.of(
          "coordinator.max_workflows_per_tick",
          integer(1, 100_000),
          1000,
          "Most runs that schedules start in one look.");

  public static final ConfigKey<Duration> COORDINATOR_WORKER_STALE_THRESHOLD =
      ConfigKey.of(
          "coordinator.worker_stale_threshold_secs",
          seconds("1", "86400"),
          Duration.ofSeconds(30),
          "Silence after which a worker is offline.");

  public static final ConfigKey<Duration> WORKER_VISIBILITY_TIMEOUT =
      ConfigKey.of(
          "worker.visibility_timeout_secs",
          seconds("2", "3600"),
          Duration.ofSeconds(30),
          "The lease: how long a claimed run stays with a silent worker.");

  public static final ConfigKey<Duration> WORKER_HEARTBEAT_INTERVAL =
      ConfigKey.of(
          "worker.heartbeat_interval_secs",
          seconds("0.1", "1200"),
          Duration.ofSeconds(10),
          "How often workers are told to beat; at most a third of the lease.");

  public static final ConfigKey<Duration> WORKER_SUSPECT_GRACE =
      ConfigKey.of(
          "worker.suspect_grace_secs",
          seconds("0.1", "600"),
          Duration.ofSeconds(5),
          "Time a worker has to come back after its connection broke.");

  public static final ConfigKey<Duration> WORKER_HEALTH_WARNING =
      ConfigKey.of(
          "worker.health_warning_secs",
          seconds("0.1", "86400"),
          Duration.ofSeconds(15),
          "Silence after which a worker is shown as degraded.");

  public static final ConfigKey<Duration> WORKER_HEALTH_TIMEOUT =
      ConfigKey.of(
          "worker.health_timeout_secs",
          seconds("0.1", "86400"),
          Duration.ofSeconds(30),
          "Silence after which a worker is shown as unhealthy; more than"
              + " worker.health_warning_secs.");

  public static final ConfigKey<Duration> NODE_BEAT_INTERVAL =
      ConfigKey.of(
          "node.beat_interval_secs",
          seconds("0.1", "60"),
          Duration.ofSeconds(2),
          "How often a server writes that it is alive; at most a third of node.dead_after_secs.");

  public static final ConfigKey<Duration> NODE_DEAD_AFTER =
      ConfigKey.of(
          "node.dead_after_secs",
          seconds("0.3", "600"),
          Duration.ofSeconds(6),
          "Silence after which a server is dead.");

  public static final ConfigKey<Duration> POLL_TIMEOUT =
      ConfigKey.of(
          "poll.timeout_secs",
          seconds("1", "300"),
          Duration.ofSeconds(30),
          "How long a poll waits for work. Load balancers often cut at 60.");

  public static final ConfigKey<Duration> POLL_FALLBACK_INTERVAL =
      ConfigKey.of(
          "poll.fallback_interval_ms",
          millis("10", "60000"),
          Duration.ofSeconds(1),
          "How often the database is asked for work nobody announced.");

  public static final ConfigKey<Integer> COMMIT_LANES =
      ConfigKey.of(
          "commit.lanes",
          integer(1, 16),
          2,
          "Group commits that run at the same time, beside the one of starts.");

  public static final ConfigKey<Integer> COMMIT_MAX_BATCH =
      ConfigKey.of(
          "commit.max_batch", integer(1, 10_000), 256, "Most commands in one group commit.");

  public static final ConfigKey<Integer> RETRY_MAXIMUM_ATTEMPTS =
      ConfigKey.of(
          "retry.maximum_attempts",
          attempts(),
          RetryPolicy.DEFAULT.maximumAttempts(),
          "Executions of a step in all, where neither step nor run nor worker says otherwise.");

  public static final ConfigKey<Duration> RETRY_INITIAL_INTERVAL =
      ConfigKey.of(
          "retry.initial_interval_secs",
          seconds("0", YEAR),
          RetryPolicy.DEFAULT.initialInterval(),
          "Wait before the first retry, likewise.");

  public static final ConfigKey<Double> RETRY_BACKOFF_COEFFICIENT =
      ConfigKey.of(
          "retry.backoff_coefficient",
          number(1, 1000),
          RetryPolicy.DEFAULT.backoffCoefficient(),
          "Factor from one wait to the next, likewise.");

  public static final ConfigKey<Duration> RETRY_MAXIMUM_INTERVAL =
      ConfigKey.of(
          "retry.maximum_interval_secs",
          seconds("0", YEAR),
          RetryPolicy.DEFAULT.maximumInterval(),
          "Longest wait, likewise.");

  public static final ConfigKey<Double> RETRY_JITTER =
      ConfigKey.of(
          "retry.jitter",
          number(0, 1),
          RetryPolicy.DEFAULT.jitter(),
          "Share by which a wait is varied at random, likewise; 0 for none.");

  public static final ConfigKey<Duration> STEP_TIMEOUT =
      ConfigKey.of(
          "step.timeout_secs",
          seconds("0.1", YEAR),
          Duration.ofMinutes(10),
          "How long an attempt at a step may take, where neither step nor run says otherwise.");

  public static final ConfigKey<Integer> RETENTION_DAYS =
      ConfigKey.of(
          "retention.days",
          integer(0, 36_500),
          30,
          "How long finished runs are kept; 0 keeps them for ever.");

  public static final ConfigKey<Integer> MAX_RECOVERY_ATTEMPTS =
      ConfigKey.of(
          "max_recovery_attempts",
          integer(1, 10_000),
          10,
          "Leases a run may lose without progress before it fails as a crash loop.");

  public static final ConfigKey<Duration> SHUTDOWN_TIMEOUT =
      ConfigKey.of(
          "shutdown_timeout_secs",
          seconds("0", "3600"),
          Duration.ofSeconds(30),
          "Time to finish calls after SIGTERM.");

  private static final List<ConfigKey<?>> ALL =
      List.of(
          DATABASE_URL,
          DATABASE_DIRECT_URL,
          DATABASE_USER,
          DATABASE_PASSWORD,
          DATABASE_PASSWORD_FILE,
          DATABASE_POOL_SIZE,
          DATABASE_MIGRATE,
          BIND_ADDRESS,
          GRPC_PORT,
          HTTP_PORT,
          LOG_FORMAT,
          LOG_LEVEL,
          COORDINATOR_INTERVAL,
          COORDINATOR_BATCH_SIZE,
          COORDINATOR_MAX_WORKFLOWS_PER_TICK,
          COORDINATOR_WORKER_STALE_THRESHOLD,
          WORKER_VISIBILITY_TIMEOUT,
          WORKER_HEARTBEAT_INTERVAL,
          WORKER_SUSPECT_GRACE,
          WORKER_HEALTH_WARNING,
          WORKER_HEALTH_TIMEOUT,
          NODE_BEAT_INTERVAL,
          NODE_DEAD_AFTER,
          POLL_TIMEOUT,
          POLL_FALLBACK_INTERVAL,
          COMMIT_LANES,
          COMMIT_MAX_BATCH,
          RETRY_MAXIMUM_ATTEMPTS,
          RETRY_INITIAL_INTERVAL,
          RETRY_BACKOFF_COEFFICIENT,
          RETRY_MAXIMUM_INTERVAL,
          RETRY_JITTER,
          STEP_TIMEOUT,
          RETENTION_DAYS,
          MAX_RECOVERY_ATTEMPTS,
          SHUTDOWN_TIMEOUT);

  private ConfigKeys() {}

  /** Every key, in the order of the documentation. */
  public static List<ConfigKey<?>> all() {
    return ALL;
  }
}
