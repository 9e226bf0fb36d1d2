package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.domain.Batch;
import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.domain.BatchOperation;
import dev.kagzi.engine.domain.BatchRequest;
import dev.kagzi.engine.domain.BatchStatus;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that dies in the middle of a batch. The workers fail every run again at once, so that a
 * run retried twice would show it.
 */
class BatchCrashTest {

  private static final List<Criterion> FAILED =
      List.of(new Criterion.HasStatus(EnumSet.of(RunStatus.FAILED)));

  @Test
  @Tag("soak")
  void retriesTenThousandRunsOnceEach() {
    retriesOnceEach(10_000, 500);
  }

  private static void retriesOnceEach(int count, double rate) {
    String url = TestEngine.migratedUrl();
    try (HikariDataSource pool = TestEngine.open(url)) {
      BatchId batchId = startAndDie(TestEngine.open(url), pool, count, rate);
      int before = handled(pool);
      assertThat(before).isLessThan(count);
      Batch done = goOn(pool, batchId, count);
      report(pool, done, before, count);
      assertThat(done.progress()).isEqualTo(new Batch.Progress(count, count, 0, 0));
      assertThat(count(pool, "retries = 1")).isEqualTo(count);
      assertThat(taken(done))
          .isGreaterThan(Duration.ofMillis((long) ((count / rate - 0.6) * 1000)));
    }
  }

  /** Fails runs, begins to retry them, and loses all connections in the middle. */
  private static BatchId startAndDie(
      HikariDataSource doomed, HikariDataSource pool, int count, double rate) {
    try (Engine engine = Engine.start(doomed, patient())) {
      TestEngine kagzi = TestEngine.around(engine, doomed);
      try (FailingWorkers workers = new FailingWorkers(kagzi)) {
        workers.begin();
        startRuns(kagzi, count);
        await().atMost(Duration.ofMinutes(2)).until(() -> count(pool, "retries = 0") == count);
        Batch.Order order = new Batch.Order(NAMESPACE, BatchOperation.RETRY, null, "", rate, false);
        Batch batch = engine.batches().start(new BatchRequest(null, order, Set.of(), FAILED));
        assertThat(batch.progress().total()).isEqualTo(count);
        await()
            .pollInterval(Duration.ofMillis(5))
            .atMost(Duration.ofMinutes(2))
            .until(() -> handled(pool) >= count / 3);
        // The connections break off wherever they are, as when the process is killed.
        doomed.close();
        return batch.batchId();
      }
    }
  }

  /** Another server finds the batch and ends it; the workers fail all runs once more. */
  private static Batch goOn(HikariDataSource pool, BatchId batchId, int count) {
    try (Engine engine = Engine.start(pool, patient());
        FailingWorkers workers = new FailingWorkers(TestEngine.around(engine, pool))) {
      workers.begin();
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> engine.batches().get(NAMESPACE, batchId).status() == BatchStatus.COMPLETED);
      await().atMost(Duration.ofMinutes(2)).until(() -> count(pool, "retries > 0") == count);
      return engine.batches().get(NAMESPACE, batchId);
    }
  }

  private static Duration taken(Batch done) {
    return Duration.between(done.createdAt(), requireNonNull(done.finishedAt()));
  }

  private static void report(HikariDataSource pool, Batch done, int before, int count) {
    System.out.printf(
        "figure: batch_crash_%1$d.handled_before %2$d%n"
            + "figure: batch_crash_%1$d.retried %3$d%n"
            + "figure: batch_crash_%1$d.twice %4$d%n"
            + "figure: batch_crash_%1$d.missed %5$d%n"
            + "figure: batch_crash_%1$d.seconds %6$.1f%n",
        count,
        before,
        done.progress().succeeded(),
        count(pool, "retries > 1"),
        count(pool, "retries = 0"),
        taken(done).toMillis() / 1000.0);
  }

  private static EngineConfig patient() {
    EngineConfig config = EngineConfig.defaults();
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

  private static void startRuns(TestEngine kagzi, int count) {
    try (ExecutorService callers = Executors.newFixedThreadPool(64)) {
      IntStream.range(0, count).forEach(i -> callers.execute(kagzi::startRun));
    }
  }

  private static int handled(HikariDataSource pool) {
    return number(pool, "SELECT count(*) FROM kagzi.batch_items WHERE status <> 'PENDING'");
  }

  private static int count(HikariDataSource pool, String condition) {
    return number(
        pool, "SELECT count(*) FROM kagzi.finished_runs WHERE status = 'FAILED' AND " + condition);
  }

  private static int number(HikariDataSource pool, String sql) {
    try (var connection = pool.getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /** Take every run and fail it. */
  private static final class FailingWorkers implements AutoCloseable {

    private static final Failure DECLINED =
        new Failure(ErrorKind.UNKNOWN, "shop.CardDeclined", List.of(), "declined", "", null);

    private final TestEngine kagzi;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    FailingWorkers(TestEngine kagzi) {
      this.kagzi = kagzi;
    }

    void begin() {
      for (int i = 0; i < 16; i++) {
        WorkerId worker = kagzi.registerWorker();
        threads.execute(() -> work(worker));
      }
    }

    private void work(WorkerId worker) {
      while (!closed.get()) {
        try {
          kagzi.poll(worker, 20, Duration.ofMillis(300)).forEach(this::fail);
        } catch (RuntimeException engineGone) {
          return;
        }
      }
    }

    private void fail(Task task) {
      kagzi.engine().tasks().finish(fence(task), new RunEnding.Failed(DECLINED, null));
    }

    @Override
    public void close() {
      closed.set(true);
      threads.close();
    }
  }
}
