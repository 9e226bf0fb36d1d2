package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.engine.operation.Workers;
import dev.kagzi.engine.store.WorkerStore;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Numbers the engine promises, printed and held. */
@Isolated
class FiguresTest {

  @Test
  void externalIdsRacedForBySixtyFourClientsMakeARunEach() {
    race(100);
  }

  @Test
  @Tag("soak")
  void aThousandExternalIdsRacedForBySixtyFourClientsMakeAThousandRuns() {
    race(1000);
  }

  private static void race(int ids) {
    try (TestEngine kagzi = TestEngine.start()) {
      Map<String, Set<RunId>> answers = new ConcurrentHashMap<>();
      try (ExecutorService clients = Executors.newFixedThreadPool(64)) {
        for (int client = 0; client < 64; client++) {
          clients.execute(() -> {
            for (int i = 0; i < ids; i++) {
              String id = "order-" + i;
              RunId runId =
                  kagzi
                      .engine()
                      .workflows()
                      .start(TestEngine.request().externalId(id).build())
                      .runId();
              answers.computeIfAbsent(id, key -> ConcurrentHashMap.newKeySet()).add(runId);
            }
          });
        }
      }

      assertThat(answers).hasSize(ids);
      assertThat(answers.values()).allSatisfy(runs -> assertThat(runs).hasSize(1));
      assertThat(kagzi.engine().runLists().count("default", List.of()).count()).isEqualTo(ids);
      System.out.printf(
          "race.external_ids: %d starts, %d runs, every caller the same id%n", 64 * ids, ids);
    }
  }

  @Test
  void fiveThousandIdlePollsAndOneStartCostTwoClaimsAtMost() {
    try (HikariDataSource pool = TestEngine.migratedDatabase()) {
      CountingDataSource counting = new CountingDataSource(pool);
      try (TestEngine kagzi = TestEngine.on(counting.dataSource())) {
        WorkerId worker = kagzi.registerWorker();
        AtomicInteger answered = new AtomicInteger();
        for (int i = 0; i < 5000; i++) {
          poll(kagzi, worker, answered);
        }
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        int claimsBefore = counting.statements("SET status = 'RUNNING'");

        kagzi.startRun();
        await().until(() -> answered.get() == 1);
        await().pollDelay(Duration.ofMillis(500)).until(() -> true);

        int claims = counting.statements("SET status = 'RUNNING'") - claimsBefore;
        System.out.printf(
            "idle_polls.claims: %d%nidle_polls.answers: %d%n", claims, answered.get());
        assertThat(claims).isBetween(1, 2);
        assertThat(answered).hasValue(1);
      }
    }
  }

  private static void poll(TestEngine kagzi, WorkerId worker, AtomicInteger answered) {
    kagzi
        .engine()
        .tasks()
        .poll(
            Poll.Request.of(worker, TestEngine.QUEUE, List.of(TestEngine.TYPE), 1),
            Duration.ofSeconds(60),
            new Poll.Listener() {
              @Override
              public boolean tasks(List<Task> tasks) {
                answered.addAndGet(tasks.size());
                return true;
              }

              @Override
              public void empty() {}
            });
  }

  @Test
  void pollsHeartbeatsAndLooksAtHealthAreAnsweredAtOnce() {
    int rounds = 100;
    try (TestEngine kagzi = TestEngine.start()) {
      WorkerId worker = kagzi.registerWorker();
      Workers workers = kagzi.engine().workers();
      for (int i = 0; i < rounds; i++) {
        kagzi.startRun();
      }

      double poll = median(rounds, i -> kagzi.pollOne(worker));
      double heartbeat =
          median(
              rounds,
              i ->
                  workers.heartbeat(
                      new HeartbeatBatch.Heartbeat(
                          new WorkerStore.Beat("default", worker, 0, i + 1, 0, 0), List.of())));
      double health = median(rounds, i -> kagzi.engine().checkUp());

      System.out.printf(
          "poll.p50_ms: %.1f%nheartbeat.p50_ms: %.1f%nhealth.p50_ms: %.1f%n",
          poll, heartbeat, health);
      assertThat(List.of(poll, heartbeat, health)).allMatch(millis -> millis < 250);
    }
  }

  /** What half of the calls do not take longer than, in milliseconds. */
  private static double median(int calls, IntFunction<?> call) {
    long[] nanos = new long[calls];
    for (int i = 0; i < calls; i++) {
      long begun = System.nanoTime();
      Object answer = call.apply(i);
      nanos[i] = System.nanoTime() - begun;
      assertThat(answer).isNotNull();
    }
    Arrays.sort(nanos);
    return nanos[calls / 2] / 1e6;
  }

  @Test
  void withoutAnyNewsBetweenServersAStartReachesItsWorkerWithinTheFallback() {
    String url = TestEngine.migratedUrl();
    try (HikariDataSource clientPool = TestEngine.open(url);
        HikariDataSource workerPool = TestEngine.open(url)) {
      try (Engine clientSide = deaf(clientPool);
          Engine workerSide = deaf(workerPool)) {
        TestEngine client = TestEngine.around(clientSide, clientPool);
        TestEngine worker = TestEngine.around(workerSide, workerPool);
        WorkerId workerId = worker.registerWorker();
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          CompletableFuture<Task> polled =
              CompletableFuture.supplyAsync(() -> worker.pollOne(workerId));
          await().pollDelay(Duration.ofMillis(50)).until(() -> true);
          long start = System.nanoTime();
          client.startRun();
          Task task = polled.join();
          millis.add((System.nanoTime() - start) / 1_000_000);
          workerSide.tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
        }
        Collections.sort(millis);
        System.out.printf("no_news.start_to_claim_max_ms: %d%n", millis.get(5));
        assertThat(millis.get(5)).isLessThanOrEqualTo(1300);
      }
    }
  }

  /** An engine that hears nothing: its listening connection never opens. */
  private static Engine deaf(DataSource pool) {
    DataSource broken =
        (DataSource)
            Proxy.newProxyInstance(
                FiguresTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  throw new SQLException("no connection", "08001");
                });
    return Engine.start(pool, broken, EngineConfig.defaults(), Telemetry.NONE);
  }

  @Test
  void aRunWithAThousandSettledStepsIsReadyToGoOnQuickly() {
    try (TestEngine kagzi = TestEngine.start()) {
      WorkerId worker = kagzi.registerWorker();
      kagzi.startRun();
      Task task = kagzi.pollOne(worker);
      try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
        IntStream.range(0, 1000)
            .forEach(i -> callers.execute(() -> complete(kagzi, worker, task, i)));
      }
      List<Long> micros = new ArrayList<>();
      Task current = task;
      for (int i = 0; i < 200; i++) {
        kagzi.engine().tasks().release(fence(current));
        long start = System.nanoTime();
        current = kagzi.pollOne(worker);
        micros.add((System.nanoTime() - start) / 1000);
        assertThat(current.history()).hasSize(1000);
      }
      Collections.sort(micros);
      System.out.printf("replay_1000.poll_with_history_ms: p50 %.1f%n", micros.get(100) / 1000.0);
    }
  }

  private static void complete(TestEngine kagzi, WorkerId worker, Task task, int i) {
    kagzi
        .engine()
        .tasks()
        .completeStep(
            fence(task),
            worker,
            new StepResult(
                "step-" + i,
                1,
                i,
                StepKind.FUNCTION,
                payload("\"" + "x".repeat(100) + "\""),
                null));
  }

  /**
   * The runs start over ten seconds, so that slots are free: what is measured is the timer, not the
   * queue behind it.
   */
  @Test
  @Tag("soak")
  void tenThousandSleepersWakeOnTime() throws Exception {
    try (TestEngine kagzi = TestEngine.start()) {
      SplittableRandom random = new SplittableRandom(20260101);
      Map<RunId, Instant> wakeTimes = new ConcurrentHashMap<>();
      List<Long> lateMicros = Collections.synchronizedList(new ArrayList<>());
      try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 40; i++) {
          WorkerId worker = kagzi.registerWorker();
          SplittableRandom own = random.split();
          workers.execute(() -> {
            while (lateMicros.size() < 10_000) {
              kagzi
                  .poll(worker, 5, Duration.ofSeconds(1))
                  .forEach(task -> sleepOrFinish(kagzi, task, own, wakeTimes, lateMicros));
            }
          });
        }
        for (int i = 0; i < 10_000; i += 50) {
          IntStream.range(0, 50).forEach(j -> workers.execute(kagzi::startRun));
          TimeUnit.MILLISECONDS.sleep(50);
        }
      }
      Collections.sort(lateMicros);
      System.out.printf(
          "sleep.earliest_ms: %.1f%nsleep.late_p50_ms: %.1f%nsleep.late_p99_ms: %.1f%n",
          lateMicros.get(0) / 1000.0, lateMicros.get(5000) / 1000.0, lateMicros.get(9900) / 1000.0);
      assertThat(lateMicros.get(0)).isNotNegative();
      assertThat(lateMicros.get(9900)).isLessThanOrEqualTo(100_000);
    }
  }

  private static void sleepOrFinish(
      TestEngine kagzi,
      Task task,
      SplittableRandom random,
      Map<RunId, Instant> wakeTimes,
      List<Long> lateMicros) {
    Instant now = kagzi.engine().clock().instant();
    Instant wakeAt = wakeTimes.get(task.claim().runId());
    if (wakeAt == null) {
      Instant until = now.plusMillis(random.nextInt(50, 30_000));
      wakeTimes.put(task.claim().runId(), until);
      kagzi.engine().tasks().sleep(fence(task), new TimerWait("pause", 1, until));
    } else {
      lateMicros.add(Duration.between(wakeAt, now).toNanos() / 1000);
      kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
    }
  }
}
