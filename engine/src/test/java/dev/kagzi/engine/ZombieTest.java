package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Workers that pause for longer than their lease and then go on as if nothing had happened. Every
 * execution of a step returns something else, so a single accepted write of a zombie shows as an
 * output that the recorded steps do not add up to.
 */
class ZombieTest {

  private static final int STEPS = 3;
  private static final int WORKERS = 24;
  private static final int IN_FLIGHT = 300;
  private static final double PAUSES = 0.06;
  private static final Duration LEASE = Duration.ofMillis(150);

  /** Lease, the second of grace and the sweeper's turn together. */
  private static final Duration PAUSE = Duration.ofMillis(1500);

  private static final EngineConfig SHORT_LEASES =
      new EngineConfig(
          new EngineConfig.Leases(
              LEASE,
              Duration.ofMillis(50),
              Duration.ofSeconds(5),
              Duration.ofMinutes(10),
              Integer.MAX_VALUE),
          new EngineConfig.Intervals(
              Duration.ofMillis(100),
              Duration.ofSeconds(5),
              Duration.ofSeconds(1),
              Duration.ofSeconds(30)),
          new GroupCommit.Size(2, 256),
          new EngineConfig.Node("test", Duration.ofSeconds(6), false));

  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger finished = new AtomicInteger();
  private final AtomicInteger executions = new AtomicInteger();

  @Test
  void neverGetAWriteIn() throws Exception {
    haunt(2_000, 200);
  }

  @Test
  @Tag("soak")
  void neverGetAWriteInAmongTenThousandRuns() throws Exception {
    haunt(10_000, 1_000);
  }

  /**
   * Lets workers and zombies loose on so many runs.
   *
   * @param enough refused writes that show that there were zombies
   */
  private void haunt(int runs, int enough) throws Exception {
    try (TestEngine kagzi = TestEngine.start(SHORT_LEASES)) {
      try (ExecutorService starters = Executors.newVirtualThreadPerTaskExecutor()) {
        IntStream.range(0, runs).forEach(i -> starters.execute(kagzi::startRun));
      }
      try (ExecutorService executors = Executors.newVirtualThreadPerTaskExecutor();
          ExecutorService pollers = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < WORKERS; i++) {
          WorkerId worker = kagzi.registerWorker();
          SplittableRandom random = new SplittableRandom(i);
          pollers.execute(() -> work(kagzi, worker, random, executors, runs));
        }
      }

      System.out.printf(
          "zombie.runs: %d%nzombie.rejected_writes: %d%nzombie.executed_steps: %d%n",
          finished.get(), refused.get(), executions.get());
      assertThat(wrongOutputs(kagzi)).isZero();
      assertThat(finished).hasValue(runs);
      assertThat(refused.get()).isGreaterThan(enough);
    }
  }

  private void work(
      TestEngine kagzi,
      WorkerId worker,
      SplittableRandom random,
      ExecutorService executors,
      int runs) {
    Semaphore slots = new Semaphore(IN_FLIGHT / WORKERS);
    while (finished.get() < runs) {
      slots.acquireUninterruptibly();
      List<Task> tasks = kagzi.poll(worker, 1, Duration.ofMillis(200));
      if (tasks.isEmpty()) {
        slots.release();
      }
      SplittableRandom own = random.split();
      tasks.forEach(task ->
          executors.execute(() -> {
            try {
              execute(kagzi, worker, task, own);
            } finally {
              slots.release();
            }
          }));
    }
  }

  private void execute(TestEngine kagzi, WorkerId worker, Task task, SplittableRandom random) {
    Map<String, RecordedStep> history =
        task.history().stream().collect(Collectors.toMap(RecordedStep::stepKey, step -> step));
    StringBuilder output = new StringBuilder();
    try {
      for (int i = 0; i < STEPS; i++) {
        String key = "step-" + i;
        RecordedStep recorded = history.get(key);
        output.append(
            recorded == null ? perform(kagzi, worker, task, key, i, random) : text(recorded));
      }
      maybePause(random);
      kagzi
          .engine()
          .tasks()
          .finish(fence(task), new RunEnding.Completed(payload(output.toString())));
      finished.incrementAndGet();
    } catch (EngineException refusal) {
      refused.incrementAndGet();
    }
  }

  private String perform(
      TestEngine kagzi, WorkerId worker, Task task, String key, int seq, SplittableRandom random) {
    String value = key + "/" + executions.incrementAndGet() + ";";
    maybePause(random);
    StepResult result = new StepResult(key, 1, seq, StepKind.FUNCTION, payload(value), null);
    StepOutcome outcome =
        kagzi.engine().tasks().completeStep(fence(task), worker, result).outcome();
    return outcome instanceof StepOutcome.AlreadySettled settled ? text(settled.recorded()) : value;
  }

  private static void maybePause(SplittableRandom random) {
    if (random.nextDouble() < PAUSES) {
      try {
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static String text(RecordedStep step) {
    return new String(Objects.requireNonNull(step.output()).data(), StandardCharsets.UTF_8);
  }

  private static long wrongOutputs(TestEngine kagzi) {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query(
                    """
                    SELECT count(*) AS n
                    FROM kagzi.finished_runs f
                    WHERE f.output IS DISTINCT FROM (
                      SELECT string_agg(s.output, ''::bytea ORDER BY s.seq)
                      FROM kagzi.step_runs s
                      WHERE s.run_id = f.run_id AND s.settled)
                    """)
                .only(row -> row.bigint("n")));
  }
}
