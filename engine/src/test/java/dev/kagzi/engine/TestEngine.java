package dev.kagzi.engine;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.loop.PartitionKeeper;
import dev.kagzi.engine.operation.Partitions;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.postgres.SharedPostgres;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A real engine on a database of its own, with the words that tests speak. */
public final class TestEngine implements AutoCloseable {

  public static final String NAMESPACE = "default";
  public static final QueueKey QUEUE = new QueueKey(NAMESPACE, "orders");
  public static final TypeVersion TYPE = new TypeVersion("process-order", "");

  /** As servers have it, but does not miss the heartbeats of workers that send none, as here. */
  private static final EngineConfig PATIENT = patient(EngineConfig.defaults());

  private static EngineConfig patient(EngineConfig config) {
    EngineConfig.Leases leases = config.leases();
    return new EngineConfig(
        new EngineConfig.Leases(
            leases.lease(),
            leases.heartbeatInterval(),
            leases.suspectGrace(),
            Duration.ofHours(1),
            leases.maxRecoveryAttempts()),
        config.intervals(),
        config.commit(),
        config.node());
  }

  private final DataSource dataSource;
  private final Engine engine;

  private TestEngine(DataSource dataSource, EngineConfig config) {
    this(Engine.start(dataSource, config), dataSource);
  }

  private TestEngine(Engine engine, DataSource dataSource) {
    this.engine = engine;
    this.dataSource = dataSource;
  }

  /** The words of this class for an engine that the caller started and will close. */
  public static TestEngine around(Engine engine, DataSource dataSource) {
    return new TestEngine(engine, dataSource);
  }

  public static TestEngine start() {
    return start(PATIENT);
  }

  public static TestEngine start(EngineConfig config) {
    return new TestEngine(migratedDatabase(), config);
  }

  /** An engine on a database that the caller made, migrated and will close. */
  public static TestEngine on(DataSource dataSource) {
    return new TestEngine(dataSource, PATIENT);
  }

  /** A new and empty database. */
  public static HikariDataSource freshDatabase() {
    return open(SharedPostgres.freshDatabase());
  }

  /** A new database with the schema. */
  public static HikariDataSource migratedDatabase() {
    HikariDataSource pool = open(migratedUrl());
    // There is nothing to do, except in mutants whose schema is another one.
    new Schema(pool).migrate();
    return pool;
  }

  /** The address of a new database with the schema and its partitions of these days. */
  public static String migratedUrl() {
    return SharedPostgres.freshDatabase("schema", TestEngine::migrate);
  }

  private static void migrate(String url) {
    try (HikariDataSource pool = open(url)) {
      new Schema(pool).migrate();
      new PartitionKeeper(new Partitions(new Database(pool)))
          .runOnce(InstantSource.system().instant());
    }
  }

  public static HikariDataSource open(String url) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(url);
    pool.setMaximumPoolSize(12);
    // Each connection is a process of PostgreSQL's that has to read the whole catalogue first.
    pool.setMinimumIdle(3);
    pool.setConnectionTimeout(3000);
    return new HikariDataSource(pool);
  }

  public Engine engine() {
    return engine;
  }

  public Database database() {
    return new Database(dataSource);
  }

  /** A connection of its own, for what only a test may do. */
  public Connection connection() throws SQLException {
    return dataSource.getConnection();
  }

  /** Changes the database behind the engine's back. */
  public void execute(String sql) {
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException refused) {
      throw new IllegalStateException(refused);
    }
  }

  public RunId startRun() {
    return engine.workflows().start(request().build()).runId();
  }

  public static StartRequest.Builder request() {
    return StartRequest.of(NAMESPACE, TYPE.workflowType())
        .taskQueue(QUEUE.taskQueue())
        .input(payload("\"input\""));
  }

  public WorkerId registerWorker() {
    return registerWorker(List.of(TYPE));
  }

  public WorkerId registerWorker(List<TypeVersion> types) {
    return engine
        .workers()
        .register(
            new WorkerRegistration(
                QUEUE,
                types,
                10,
                new WorkerRegistration.Location("host", 1, UUID.randomUUID().toString(), null),
                WorkerRegistration.Software.UNKNOWN,
                Map.of()));
  }

  /** Polls once and waits for the answer. */
  public List<Task> poll(WorkerId worker, int maxTasks, Duration wait) {
    return poll(worker, List.of(TYPE), maxTasks, wait);
  }

  public List<Task> poll(WorkerId worker, List<TypeVersion> types, int maxTasks, Duration wait) {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    engine
        .tasks()
        .poll(
            Poll.Request.of(worker, QUEUE, types, maxTasks),
            wait,
            new Poll.Listener() {
              @Override
              public boolean tasks(List<Task> tasks) {
                return answer.complete(tasks);
              }

              @Override
              public void empty() {
                answer.complete(List.of());
              }
            });
    return answer.orTimeout(wait.plusSeconds(10).toMillis(), TimeUnit.MILLISECONDS).join();
  }

  public Task pollOne(WorkerId worker) {
    return poll(worker, 1, Duration.ofSeconds(5)).get(0);
  }

  public static Fence fence(Task task) {
    return new Fence(task.claim().target().namespace(), task.claim().runId(), task.claim().epoch());
  }

  public static StepResult result(String stepKey, String output) {
    return new StepResult(stepKey, 1, 1, StepKind.FUNCTION, payload(output), null);
  }

  public static Payload payload(String json) {
    return new Payload(json.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  @Override
  public void close() {
    engine.close();
    if (dataSource instanceof HikariDataSource pool) {
      pool.close();
    }
  }
}
