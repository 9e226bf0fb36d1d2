package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the database believes of its tables is always old: a minute ago nothing ran, or there was
 * nothing at all. Whatever it believes, work on one run must not read the others.
 *
 * <p>Alone, because the old transaction of another test, whatever its database, keeps index entries
 * of ended runs from being forgotten, and they would be counted.
 */
@Isolated
class PlansTest {

  private static final int RUNS = 400;
  private static final int AT_A_TIME = 100;
  private static final int STEPS = 5;
  private static final int BACKLOG = 20_000;
  private static final List<String> TABLES = List.of("workflow_runs", "run_waits", "running_steps");
  private static final RetryPolicy ONE_RETRY =
      new RetryPolicy(2, Duration.ofSeconds(1), 2, Duration.ofSeconds(60), List.of(), 0);

  /**
   * Beside the steps: a start, a claim, a beat, an announcement, a failed attempt, a wait, an end.
   */
  private static final int OPERATIONS = RUNS * (STEPS + 7);

  /** A moment that statistics are kept of until a minute later. */
  enum Belief {
    /** Many runs are due, and nobody has begun to work on them. */
    NOTHING_RUNS {
      @Override
      void learn(TestEngine kagzi) {
        addBacklog(kagzi);
        analyze(kagzi);
      }
    },

    /** All of many runs have ended. */
    NOTHING_IS_THERE {
      @Override
      void learn(TestEngine kagzi) {
        addBacklog(kagzi);
        for (String table : TABLES) {
          kagzi.execute("DELETE FROM kagzi." + table);
        }
        analyze(kagzi);
        addBacklog(kagzi);
      }
    };

    abstract void learn(TestEngine kagzi);

    private static void addBacklog(TestEngine kagzi) {
      kagzi.execute(
          """
          INSERT INTO kagzi.workflow_runs (
            run_id, namespace_id, task_queue, workflow_type, version, status, available_at,
            created_at)
          SELECT gen_random_uuid(), 'default', 'orders', 'nobody-serves-it', '', 'PENDING',
                 now(), now()
          FROM generate_series(1, %1$d);
          INSERT INTO kagzi.run_waits (run_id, step_key, seq, kind, wake_at, since)
          SELECT gen_random_uuid(), 'nap', 1, 'TIMER', now() + interval '1 day', now()
          FROM generate_series(1, %1$d);
          INSERT INTO kagzi.running_steps (
            run_id, step_key, attempt, seq, kind, lease_epoch, worker_id, at_most_once, started_at)
          SELECT gen_random_uuid(), 'long', 1, 1, 'FUNCTION', 1, gen_random_uuid(), false, now()
          FROM generate_series(1, %1$d)
          """
              .formatted(BACKLOG));
    }

    private static void analyze(TestEngine kagzi) {
      for (String table : TABLES) {
        kagzi.execute("VACUUM (ANALYZE, TRUNCATE off) kagzi." + table);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRunCostsTheSameWhateverTheDatabaseBelieves(Belief belief) throws SQLException {
    try (HikariDataSource pool = TestEngine.migratedDatabase();
        TestEngine kagzi = TestEngine.on(pool)) {
      belief.learn(kagzi);
      kagzi.execute("SELECT pg_stat_reset()");

      work(kagzi, kagzi.registerWorker());

      long read = entriesRead(pool);
      System.out.printf(
          "plans.%s: %.1f index entries per operation%n", belief, (double) read / OPERATIONS);
      assertThat(read).isLessThan(OPERATIONS * 20L);
    }
  }

  /** Many runs at the same time, so that there is something to read that is not one's own. */
  private static void work(TestEngine kagzi, WorkerId worker) {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < RUNS; i++) {
        callers.execute(kagzi::startRun);
      }
    }
    int done = 0;
    while (done < RUNS) {
      List<Task> tasks = new ArrayList<>();
      while (tasks.size() < Math.min(AT_A_TIME, RUNS - done)) {
        tasks.addAll(kagzi.poll(worker, 10, Duration.ofSeconds(5)));
      }
      try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
        tasks.forEach(task -> callers.execute(() -> finish(kagzi, worker, task)));
      }
      done += tasks.size();
    }
  }

  private static void finish(TestEngine kagzi, WorkerId worker, Task task) {
    Tasks tasks = kagzi.engine().tasks();
    var held = new Held(worker, task.claim().runId(), task.claim().epoch());
    var beat = new Beat(TestEngine.NAMESPACE, worker, 0, 1, 0, 0);
    kagzi.engine().workers().heartbeat(new Heartbeat(beat, List.of(held)));
    tasks.beginStep(
        new Beginning(
            fence(task),
            worker,
            "step-1",
            1,
            1,
            StepKind.FUNCTION,
            false,
            null,
            null,
            StepTraits.NONE));
    var refused = new Failure(ErrorKind.NETWORK_ERROR, "Refused", List.of(), "refused", "", null);
    tasks.failStep(
        fence(task),
        worker,
        new StepFailure("flaky", 1, 9, StepKind.FUNCTION, null, refused, ONE_RETRY, false, null));
    if (task.claim().runId().hashCode() % 2 == 0) {
      Instant later = kagzi.engine().clock().instant().plusSeconds(3600);
      var nap = new WaitRequest("nap", 8, WaitKind.TIMER, later);
      tasks.suspend(fence(task), List.of(nap), false);
    }
    for (int step = 1; step <= STEPS; step++) {
      tasks.completeStep(fence(task), worker, result("step-" + step, "1"));
    }
    tasks.finish(fence(task), new RunEnding.Completed(payload("1")));
  }

  /** Of all indexes of these tables. A connection tells what it read when it ends. */
  private static long entriesRead(HikariDataSource pool) throws SQLException {
    pool.getHikariPoolMXBean().softEvictConnections();
    await().atMost(Duration.ofSeconds(30)).until(() -> sum(pool, "idx_scan") >= OPERATIONS / 2);
    return sum(pool, "idx_tup_read");
  }

  private static long sum(HikariDataSource pool, String column) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT sum(%s) FROM pg_stat_user_indexes WHERE relname IN ('%s')"
                    .formatted(column, String.join("', '", TABLES)))) {
      row.next();
      return row.getLong(1);
    }
  }
}
