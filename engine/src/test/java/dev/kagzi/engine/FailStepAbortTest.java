package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.faults.FaultyDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Connections that are lost while failed attempts are recorded, at every moment that makes a
 * difference. However often that happens, an attempt counts once, and a step that has failed for
 * good is followed by the end of its run.
 */
class FailStepAbortTest {

  private static final String INSERT_OF_FAILURES = "'FAILED', r.retry_at IS NULL";
  private static final int WORKERS = 16;
  private static final int MOST_ATTEMPTS = 4;

  /** How long runs are waited for that will not end. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A wait for which a worker keeps its run, and one for which it does not. */
  private static final Duration SOON = Duration.ofMillis(3);

  private static final Duration LATER = Duration.ofMillis(60);

  private static final String STEP = "charge";
  private static final Failure DECLINED =
      new Failure(ErrorKind.UNKNOWN, "shop.CardDeclined", List.of(), "declined", "", null);

  private final AtomicInteger started = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger unavailable = new AtomicInteger();
  private final AtomicInteger suspended = new AtomicInteger();
  private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

  @Test
  void losesNoAttemptAndNoRunInAHundredAndFiftyAborts() throws Exception {
    abort(150, 20261116);
  }

  @Test
  @Tag("soak")
  void losesNoAttemptAndNoRunInAThousandAborts() throws Exception {
    abort(1_000, System.nanoTime());

    // A few waits of the short form may all be cut short by losses.
    assertThat(suspended).hasPositiveValue();
  }

  private void abort(int aborts, long seed) throws Exception {
    System.out.printf("failstep.seed: %d%n", seed);
    try (HikariDataSource pool = TestEngine.migratedDatabase()) {
      FaultyDataSource faults = new FaultyDataSource(pool, INSERT_OF_FAILURES, seed, aborts);
      try (Engine engine = Engine.start(faults.dataSource(), patient())) {
        // The engine repeats what fails; only an outage that outlasts it reaches the callers.
        faults.insist(true);
        workUntilSpent(TestEngine.around(engine, pool), faults, new SplittableRandom(seed));
      }
      int lost = faults.losses().values().stream().mapToInt(Integer::intValue).sum();
      int wrong = number(pool, WRONG);
      int leftBehind = number(pool, LEFT_BEHIND);
      int finished = number(pool, "SELECT count(*) FROM kagzi.finished_runs");
      report(faults, lost, wrong + leftBehind + Math.abs(started.get() - finished));
      assertThat(surprises).isEmpty();
      assertThat(wrong).isZero();
      assertThat(leftBehind).isZero();
      assertThat(finished).isEqualTo(started.get());
      assertThat(lost).isEqualTo(aborts);
      assertThat(faults.losses()).containsOnlyKeys(FaultyDataSource.Moment.values());
      assertThat(unavailable).hasPositiveValue();
    }
  }

  /** Nobody sends heartbeats here, and nobody is to be given up. */
  private static EngineConfig patient() {
    EngineConfig config = EngineConfig.defaults();
    EngineConfig.Leases leases =
        new EngineConfig.Leases(
            Duration.ofHours(1),
            Duration.ofMinutes(10),
            Duration.ofMinutes(10),
            Duration.ofHours(1),
            1);
    GroupCommit.Size lanes = new GroupCommit.Size(4, config.commit().maxBatch());
    return new EngineConfig(leases, config.intervals(), lanes, config.node());
  }

  private void report(FaultyDataSource faults, int lost, int wrong) {
    System.out.printf(
        "failstep.moments: %s%nfailstep.refused_calls: %d%nfailstep.suspended: %d%n"
            + "figure: failstep.aborts %d%nfigure: failstep.runs %d%nfigure: failstep.wrong %d%n",
        faults.losses(), unavailable.get(), suspended.get(), lost, started.get(), wrong);
  }

  private void workUntilSpent(TestEngine kagzi, FaultyDataSource faults, SplittableRandom random) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < WORKERS; i++) {
        Fallible worker = new Fallible(kagzi, faults, random.split());
        threads.execute(() -> {
          try {
            worker.work();
          } catch (RuntimeException surprise) {
            surprises.add(surprise);
          }
        });
      }
    }
  }

  /** Runs that are not as their labels say: attempts lost or doubled, another end than promised. */
  private static final String WRONG =
      """
      SELECT count(*)
      FROM (SELECT *, (labels ->> 'faults')::int AS faults, (labels ->> 'budget')::int AS budget
            FROM kagzi.finished_runs) r
      CROSS JOIN LATERAL (
        SELECT count(*) AS attempts, max(s.attempt) AS last,
               count(*) FILTER (WHERE s.status = 'FAILED') AS failed,
               count(*) FILTER (WHERE s.settled) AS settled,
               count(*) FILTER (WHERE s.settled AND s.status = 'FAILED') AS lost
        FROM kagzi.step_runs s WHERE s.run_id = r.run_id) s
      WHERE s.failed <> least(r.faults, r.budget)
         OR s.attempts <> least(r.faults + 1, r.budget)
         OR s.last <> s.attempts
         OR s.settled <> 1
         OR (s.lost = 1) <> (r.faults >= r.budget)
         OR r.status <> CASE WHEN r.faults >= r.budget THEN 'FAILED' ELSE 'COMPLETED' END
         OR (r.failed_step_key IS NOT NULL) <> (r.faults >= r.budget)
      """;

  private static final String LEFT_BEHIND =
      """
      SELECT (SELECT count(*) FROM kagzi.workflow_runs) + (SELECT count(*) FROM kagzi.run_waits)
           + (SELECT count(*) FROM kagzi.running_steps)
      """;

  private static int number(HikariDataSource pool, String sql) throws SQLException {
    try (var connection = pool.getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** Starts runs and executes whatever it gets, as the SDK does. */
  private final class Fallible {

    private final TestEngine kagzi;
    private final Tasks tasks;
    private final FaultyDataSource faults;
    private final SplittableRandom random;
    private final WorkerId worker;

    Fallible(TestEngine kagzi, FaultyDataSource faults, SplittableRandom random) {
      this.kagzi = kagzi;
      this.tasks = kagzi.engine().tasks();
      this.faults = faults;
      this.random = random;
      this.worker = kagzi.registerWorker();
    }

    void work() {
      long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
      while ((!faults.isSpent() || ended.get() < started.get())
          && surprises.isEmpty()
          && System.nanoTime() - giveUpAt < 0) {
        if (!faults.isSpent() && started.get() - ended.get() < WORKERS) {
          start();
        }
        kagzi.poll(worker, 1, Duration.ofMillis(50)).forEach(this::execute);
      }
    }

    /** A step that fails so often, of the attempts that it has. */
    private void start() {
      int budget = random.nextInt(1, MOST_ATTEMPTS + 1);
      int failing = random.nextBoolean() ? 1 : budget;
      Map<String, String> plan =
          Map.of("budget", String.valueOf(budget), "faults", String.valueOf(failing));
      RunId runId = new RunId(new TimeOrderedIds(kagzi.engine().clock()).next());
      StartRequest request = TestEngine.request().requestId(runId).labels(plan).build();
      started.incrementAndGet();
      insist(() -> kagzi.engine().workflows().start(request));
    }

    private void execute(Task task) {
      Fence fence = fence(task);
      RecordedStep step = task.history().isEmpty() ? null : task.history().getFirst();
      int failures = step == null ? 0 : step.failures();
      int attempt = step == null ? 1 : step.attempt() + 1;
      if (step != null && step.settled()) {
        finish(fence, step.status() == StepStatus.FAILED);
        return;
      }
      int failing = planned(task, "faults");
      for (; failures < failing; failures++) {
        begin(fence, attempt);
        boolean stays = random.nextBoolean();
        StepFailure failure = failure(attempt, planned(task, "budget"), stays ? SOON : LATER);
        switch (insist(() -> tasks.failStep(fence, worker, failure).outcome())) {
          case FailOutcome.Retry retry -> {
            attempt = retry.nextAttempt();
            if (stays) {
              pause(retry.delay());
            } else if (isSuspended(fence, retry.at())) {
              return;
            }
          }
          case FailOutcome.Settled settled -> {
            finish(fence, true);
            return;
          }
          case FailOutcome.AlreadySettled found ->
              throw new IllegalStateException("settled by nobody: " + found.recorded());
        }
      }
      int last = attempt;
      StepResult result = new StepResult(STEP, last, 1, StepKind.FUNCTION, payload("1"), null);
      insist(() -> tasks.completeStep(fence, worker, result));
      finish(fence, false);
    }

    private static int planned(Task task, String what) {
      return Integer.parseInt(requireNonNull(task.claim().labels().get(what)));
    }

    private void begin(Fence fence, int attempt) {
      if (random.nextBoolean()) {
        Beginning beginning =
            new Beginning(
                fence,
                worker,
                STEP,
                attempt,
                1,
                StepKind.FUNCTION,
                false,
                Duration.ofMinutes(10),
                RetryPolicy.DEFAULT,
                StepTraits.NONE);
        insist(() -> tasks.beginStep(beginning));
      }
    }

    private static StepFailure failure(int attempt, int budget, Duration delay) {
      RetryPolicy policy = new RetryPolicy(budget, delay, 1, delay, List.of(), 0);
      return new StepFailure(
          STEP, attempt, 1, StepKind.FUNCTION, null, DECLINED, policy, false, null);
    }

    private static void pause(Duration delay) {
      try {
        Thread.sleep(delay);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Whether the run is given back until its next attempt. */
    private boolean isSuspended(Fence fence, Instant until) {
      List<WaitRequest> waits = List.of(new WaitRequest(STEP, 1, WaitKind.RETRY, until));
      boolean released;
      try {
        released = insist(() -> tasks.suspend(fence, waits, true).outcome()).released();
      } catch (EngineException refused) {
        // It was suspended, the answer was lost, and another has it now.
        assertThat(refused.code()).isIn(ErrorCode.LEASE_LOST, ErrorCode.RUN_TERMINAL);
        released = true;
      }
      suspended.addAndGet(released ? 1 : 0);
      return released;
    }

    private void finish(Fence fence, boolean failed) {
      RunEnding ending =
          failed ? new RunEnding.Failed(DECLINED, STEP) : new RunEnding.Completed(payload("1"));
      insist(() -> tasks.finish(fence, ending));
      ended.incrementAndGet();
    }

    /** Calls until there is an answer; every call is safe to repeat. */
    private <T> T insist(Supplier<T> call) {
      while (true) {
        try {
          return call.get();
        } catch (EngineException refused) {
          if (refused.code() != ErrorCode.DATABASE_UNAVAILABLE) {
            throw refused;
          }
          unavailable.incrementAndGet();
          faults.insist(false);
        }
      }
    }
  }
}
