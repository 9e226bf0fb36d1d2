package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.CountingDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompletionsTest {

  private static final int WAITERS = 5_000;

  /** What only the query for runs contains. */
  private static final String READ = "COALESCE(available_at, lease_until) AS available_at";

  private final HikariDataSource pool = TestEngine.migratedDatabase();
  private final CountingDataSource counting = new CountingDataSource(pool);
  private TestEngine kagzi;

  @BeforeAll
  void start() {
    kagzi = TestEngine.on(counting.dataSource());
  }

  @AfterAll
  void stop() {
    kagzi.close();
    pool.close();
  }

  private CompletableFuture<Run> await(String namespace, RunId runId, Duration wait) {
    CompletableFuture<Run> answer = new CompletableFuture<>();
    kagzi
        .engine()
        .completions()
        .await(namespace, runId, wait, answer::complete, answer::completeExceptionally);
    return answer;
  }

  /** By the commit that ends it; before, this server knows that it lives, for it was born here. */
  @Test
  void readsARunThatIsStartedAndAwaitedHereOnce() {
    int before = counting.statements(READ);
    RunId runId = kagzi.startRun();
    CompletableFuture<Run> answer = await(TestEngine.NAMESPACE, runId, Duration.ofSeconds(60));

    kagzi.engine().workflows().cancel("default", runId, "test");

    assertThat(answer.orTimeout(60, TimeUnit.SECONDS).join().status())
        .isEqualTo(RunStatus.CANCELLED);
    assertThat(counting.statements(READ) - before).isEqualTo(1);
  }

  @Test
  void readsEndedRunsTogetherHoweverManyAwaitThem() {
    List<RunId> runs = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<RunId>> starts = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) {
        starts.add(CompletableFuture.supplyAsync(kagzi::startRun, callers));
      }
      starts.forEach(start -> runs.add(start.join()));
      int before = counting.statements(READ);
      List<CompletableFuture<Run>> answers =
          runs.stream()
              .map(run -> await(TestEngine.NAMESPACE, run, Duration.ofSeconds(60)))
              .toList();
      runs.forEach(
          run -> callers.execute(() -> kagzi.engine().workflows().cancel("default", run, "test")));

      answers.forEach(answer ->
          assertThat(answer.orTimeout(60, TimeUnit.SECONDS).join().status())
              .isEqualTo(RunStatus.CANCELLED));

      int queries = counting.statements(READ) - before;
      System.out.printf("awaits.queries_for_%d_waiters: %d%n", WAITERS, queries);
      assertThat(queries).isLessThan(WAITERS / 2);
    }
  }

  @Test
  void answersWithTheRunAsItIsWhenTheTimeIsUp() {
    RunId runId = kagzi.startRun();

    Run run = await(TestEngine.NAMESPACE, runId, Duration.ofMillis(100)).join();

    assertThat(run.status()).isEqualTo(RunStatus.PENDING);
  }

  @Test
  void doesNotKnowRunsOfOtherNamespaces() {
    RunId runId = kagzi.startRun();

    assertThatThrownBy(() -> await("elsewhere", runId, Duration.ZERO).join())
        .hasMessageContaining(runId.toString());
  }
}
