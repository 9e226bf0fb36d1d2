package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.QUEUE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.operation.Retention;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.engine.store.ClaimStore;
import dev.kagzi.engine.store.PartitionStore;
import dev.kagzi.engine.store.Schema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What millions of ended runs cost those that live: nothing that can be measured. Two databases,
 * one with history and one without, are compared in the same run.
 */
@Isolated
@Tag("scale")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ScaleTest {

  private static final int RUNS =
      Integer.parseInt(System.getenv().getOrDefault("KAGZI_SCALE_RUNS", "10000000"));
  private static final int DAYS = 10;
  private static final int CLAIMS = 2000;
  private static final int WORKFLOWS = 3000;
  private static final int PAIRS = 5;

  private final HikariDataSource empty = migrated();
  private final HikariDataSource full = migrated();
  private final Instant now = Instant.now();
  private final LocalDate today = now.atZone(ZoneOffset.UTC).toLocalDate();

  private static HikariDataSource migrated() {
    HikariDataSource pool = TestEngine.freshDatabase();
    new Schema(pool).migrate();
    return pool;
  }

  @BeforeAll
  void fill() throws SQLException {
    long began = System.nanoTime();
    var partitions = new PartitionStore();
    for (int day = 1; day <= DAYS; day++) {
      LocalDate past = today.minusDays(day);
      new Database(full)
          .inTransaction(tx -> {
            partitions.createDay(tx, past);
            return true;
          });
      fill(past, RUNS / DAYS);
    }
    execute("VACUUM ANALYZE kagzi.finished_runs, kagzi.step_runs, kagzi.workflow_payloads");
    // Or the disk would still be busy with ten gigabytes while others wait for it.
    execute("CHECKPOINT");
    System.out.printf("scale.fill: %d runs in %d s%n", RUNS, seconds(began));
  }

  private static long seconds(long began) {
    return Duration.ofNanos(System.nanoTime() - began).toSeconds();
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = full.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = off");
      statement.execute(sql);
      statement.execute("RESET synchronous_commit");
    }
  }

  /** Runs with ids of that day, each with an input, a step and one of four endings. */
  private void fill(LocalDate day, int runs) throws SQLException {
    long millis = day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    execute(
        """
        CREATE TABLE kagzi.ids AS
        SELECT (lpad(to_hex(%2$d + i::bigint * 86000000 / %1$d), 12, '0') || '7'
                || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 4, 15))::uuid AS run_id,
               i, to_timestamp((%2$d + i::bigint * 86000000 / %1$d) / 1000.0) AS at
        FROM generate_series(1, %1$d) AS i
        """
            .formatted(runs, millis));
    execute(
        """
        INSERT INTO kagzi.finished_runs (run_id, namespace_id, external_id, task_queue,
          workflow_type, version, status, lease_epoch, failures, crashes, retries, output,
          created_at, started_at, finished_at)
        SELECT run_id, 'default', 'order-' || run_id, 'orders', 'type-' || i %% 20, '',
               (ARRAY['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED'])[1 + i %% 4], 1, 0, 0, 0,
               'done', at, at, at + interval '1 s'
        FROM kagzi.ids
        """
            .formatted());
    execute(
        "INSERT INTO kagzi.workflow_payloads (run_id, input) SELECT run_id, 'in' FROM kagzi.ids");
    execute(
        """
        INSERT INTO kagzi.step_runs (run_id, step_key, attempt, seq, kind, status, settled,
          lease_epoch, output, started_at, finished_at)
        SELECT run_id, 'charge', 1, 1, 'FUNCTION', 'COMPLETED', true, 1, '1', at, at FROM kagzi.ids
        """);
    execute("DROP TABLE kagzi.ids");
  }

  @AfterAll
  void close() {
    empty.close();
    full.close();
  }

  @Test
  @Order(1)
  void aClaimReadsNoMoreThanWithoutHistory() throws SQLException {
    // The first claims of a process also wait for its compiler.
    var unused = claims(empty);
    Claims without = claims(empty);
    Claims with = claims(full);
    System.out.printf(
        "scale.claim: p99 %.2f ms with %d ended runs, %.2f ms without; %.1f and %.1f buffers%n",
        with.p99Millis(), RUNS, without.p99Millis(), with.buffers(), without.buffers());

    assertThat(with.p99Millis()).isLessThanOrEqualTo(5);
    assertThat(with.buffers()).isLessThanOrEqualTo(without.buffers() * 1.05);
  }

  private record Claims(double p99Millis, double buffers) {}

  private Claims claims(HikariDataSource pool) throws SQLException {
    WorkerId worker;
    try (Engine engine = Engine.start(pool, EngineConfig.defaults())) {
      TestEngine kagzi = TestEngine.around(engine, pool);
      worker = kagzi.registerWorker();
      IntStream.range(0, CLAIMS).parallel().forEach(i -> kagzi.startRun());
    }
    var database = new Database(pool);
    var store = new ClaimStore();
    var scans = List.of(new ClaimStore.Scan(TYPE, Instant.EPOCH));
    long before = buffers(pool);
    long[] nanos = new long[CLAIMS];
    for (int i = 0; i < CLAIMS; i++) {
      long began = System.nanoTime();
      int claimed =
          database.inTransaction(tx ->
              store
                  .claim(
                      tx,
                      QUEUE,
                      scans,
                      List.of(new ClaimStore.Slot(worker, UUID.randomUUID())),
                      Duration.ofSeconds(30),
                      Instant.now().plusSeconds(1))
                  .size());
      nanos[i] = System.nanoTime() - began;
      assertThat(claimed).isEqualTo(1);
    }
    double buffers = (buffers(pool) - before) / (double) CLAIMS;
    execute(pool, "DELETE FROM kagzi.workflow_runs");
    return new Claims(percentile(nanos, 0.99), buffers);
  }

  private static double percentile(long[] nanos, double share) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e6;
  }

  private static void execute(HikariDataSource pool, String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Pages of all of Kagzi's tables that were looked at, in memory or not. */
  private static long buffers(HikariDataSource pool) throws SQLException {
    pool.getHikariPoolMXBean().softEvictConnections();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      Thread.sleep(Duration.ofSeconds(2));
      try (ResultSet row =
          statement.executeQuery(
              """
              SELECT sum(heap_blks_hit + heap_blks_read + COALESCE(idx_blks_hit, 0)
                         + COALESCE(idx_blks_read, 0))
              FROM pg_statio_user_tables WHERE schemaname = 'kagzi'
              """)) {
        row.next();
        return row.getLong(1);
      }
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  @Order(2)
  void aPageOfAListIsReadInFiftyMilliseconds() {
    try (Engine engine = Engine.start(full, EngineConfig.defaults())) {
      RunLists lists = engine.runLists();
      List<List<Criterion>> filters =
          List.of(
              List.of(),
              List.of(new Criterion.HasStatus(Set.of(RunStatus.FAILED))),
              List.of(new Criterion.HasType(Set.of("type-7"))),
              List.of(
                  new Criterion.HasType(Set.of("type-3")),
                  new Criterion.HasStatus(Set.of(RunStatus.FAILED))));
      var nanos = new ArrayList<Long>();
      for (List<Criterion> filter : filters) {
        String token = "";
        for (int page = 0; page < 100; page++) {
          long began = System.nanoTime();
          RunLists.Listed listed =
              lists.list(NAMESPACE, filter, new RunLists.Wish(50, token, false, run -> 500));
          nanos.add(System.nanoTime() - began);
          assertThat(listed.runs()).isNotEmpty();
          token = listed.nextPageToken();
        }
      }
      double p99 = percentile(nanos.stream().mapToLong(Long::longValue).toArray(), 0.99);
      System.out.printf("scale.list: p99 %.1f ms of %d pages%n", p99, nanos.size());

      assertThat(p99).isLessThanOrEqualTo(50);
    }
  }

  @Test
  @Order(3)
  void workflowsGoAsFastAsWithoutHistory() {
    double[] ratios = new double[PAIRS];
    try (Engine onFull = Engine.start(full, EngineConfig.defaults());
        Engine onEmpty = Engine.start(empty, EngineConfig.defaults())) {
      TestEngine with = TestEngine.around(onFull, full);
      TestEngine without = TestEngine.around(onEmpty, empty);
      drive(with);
      drive(without);
      for (int pair = 0; pair < PAIRS; pair++) {
        // The one that comes second must not always be the same.
        boolean first = pair % 2 == 0;
        double one = drive(first ? with : without);
        double other = drive(first ? without : with);
        ratios[pair] = first ? one / other : other / one;
        System.out.printf(
            "scale.throughput: %.0f/s with history, %.0f/s without%n",
            first ? one : other, first ? other : one);
      }
    }
    Arrays.sort(ratios);
    System.out.printf("scale.throughput: median ratio %.3f%n", ratios[PAIRS / 2]);

    assertThat(ratios[PAIRS / 2]).isGreaterThanOrEqualTo(0.95);
  }

  /** Workflows of five steps per second. */
  private static double drive(TestEngine kagzi) {
    WorkerId worker = kagzi.registerWorker();
    var left = new CountDownLatch(WORKFLOWS);
    long began = System.nanoTime();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 64; i++) {
        callers.execute(() -> {
          for (int run = 0; run < WORKFLOWS / 64 + 1; run++) {
            var unused = kagzi.startRun();
          }
        });
      }
      for (int i = 0; i < 32; i++) {
        callers.execute(() -> {
          while (left.getCount() > 0) {
            for (Task task : kagzi.poll(worker, 10, Duration.ofMillis(200))) {
              work(kagzi, worker, task);
              left.countDown();
            }
          }
        });
      }
    }
    return WORKFLOWS / (Duration.ofNanos(System.nanoTime() - began).toMillis() / 1000.0);
  }

  private static void work(TestEngine kagzi, WorkerId worker, Task task) {
    for (int step = 1; step <= 5; step++) {
      kagzi.engine().tasks().completeStep(fence(task), worker, result("step-" + step, "1"));
    }
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
  }

  @Test
  @Order(4)
  void aDayOfAMillionRunsGoesInTwoSeconds() {
    LocalDate oldest = today.minusDays(DAYS);
    Instant then = oldest.plusDays(31).atStartOfDay(ZoneOffset.UTC).toInstant();
    var retention = new Retention(new Database(full), 30);

    long began = System.nanoTime();
    Retention.Removed removed = retention.prune(then);
    long millis = Duration.ofNanos(System.nanoTime() - began).toMillis();

    System.out.printf(
        "scale.retention: %d day of %d runs in %d ms%n", removed.days(), RUNS / DAYS, millis);
    assertThat(removed.days()).isEqualTo(1);
    assertThat(millis).isLessThanOrEqualTo(2000);
  }
}
