package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.wakeup.NewsSignals;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Isolated;

/** Two servers on one database: the client talks to one, the worker to the other. */
@Isolated
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TwoServersTest {

  /** Well below the second after which a server would look for itself. */
  private static final Duration PROMPT = Duration.ofMillis(500);

  private final String url = TestEngine.migratedUrl();
  private final HikariDataSource clientPool = TestEngine.open(url);
  private final HikariDataSource workerPool = TestEngine.open(url);
  private TestEngine clientSide;
  private TestEngine workerSide;
  private WorkerId worker;

  @BeforeAll
  void start() {
    clientSide = TestEngine.on(clientPool);
    workerSide = TestEngine.on(workerPool);
    worker = workerSide.registerWorker();
    await().until(() -> clientSide.engine().isListening() && workerSide.engine().isListening());
    // Each must have seen the other's beat before it speaks.
    await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
  }

  @AfterAll
  void stop() {
    clientSide.close();
    workerSide.close();
  }

  @Test
  void hearOfNewWorkAtOnce() {
    CompletableFuture<Task> task = CompletableFuture.supplyAsync(() -> workerSide.pollOne(worker));
    await().pollDelay(Duration.ofMillis(200)).until(() -> true);
    long start = System.nanoTime();

    RunId runId = clientSide.startRun();

    assertThat(task.join().claim().runId()).isEqualTo(runId);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPT);
    finish(task.join());
  }

  @Test
  void hearOfAnEndAtOnce() throws Exception {
    RunId runId = clientSide.startRun();
    Task task = workerSide.pollOne(worker);
    CompletableFuture<Run> answer = new CompletableFuture<>();
    clientSide
        .engine()
        .completions()
        .await(
            TestEngine.NAMESPACE,
            runId,
            Duration.ofSeconds(20),
            answer::complete,
            answer::completeExceptionally);
    long start = System.nanoTime();

    finish(task);

    assertThat(answer.get(5, TimeUnit.SECONDS).status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPT);
  }

  @Test
  void wakeEachOthersSleepersOnTime() {
    clientSide.startRun();
    WorkerId here = clientSide.registerWorker();
    Task task = clientSide.pollOne(here);
    CompletableFuture<Task> woken = CompletableFuture.supplyAsync(() -> workerSide.pollOne(worker));
    Instant wakeAt = clientSide.engine().clock().instant().plusMillis(300);

    clientSide.engine().tasks().sleep(fence(task), new TimerWait("pause", 1, wakeAt));
    Task again = woken.join();

    Instant now = workerSide.engine().clock().instant();
    assertThat(now).isBetween(wakeAt, wakeAt.plus(PROMPT));
    finish(again);
  }

  @Test
  void tellTheWorkerOfTheOtherThatItsRunHasAnEvent() throws Exception {
    RunId runId = clientSide.startRun();
    Task task = workerSide.pollOne(worker);
    BlockingQueue<NewsSignals.EndedWaits> heard = new LinkedBlockingQueue<>();
    workerSide.engine().news().listen(worker, heard::add);
    workerSide
        .engine()
        .tasks()
        .suspend(fence(task), List.of(WaitRequest.event("go", 1, "go", null)), false);
    long start = System.nanoTime();

    clientSide
        .engine()
        .messages()
        .send(TestEngine.NAMESPACE, runId, new EventMessage("go", payload("1"), "key"));

    assertThat(heard.poll(5, TimeUnit.SECONDS))
        .isEqualTo(new NewsSignals.EndedWaits(worker, runId, task.claim().epoch(), List.of()));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PROMPT);
    finish(task);
  }

  private void finish(Task task) {
    workerSide.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
  }
}
