package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.CountingDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HandoffTest {

  /** What only the claim of queued runs contains. */
  private static final String CLAIM = "FOR UPDATE SKIP LOCKED";

  /** What only the claim by a start contains. */
  private static final String CLAIM_NEW = "r.status = 'PENDING' AND r.lease_epoch = 0";

  private final HikariDataSource pool = TestEngine.migratedDatabase();
  private final CountingDataSource counting = new CountingDataSource(pool);
  private TestEngine kagzi;

  /** A worker who waits. */
  private static class Waiting implements Poll.Listener {
    private final CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    private @Nullable Poll poll;

    Poll poll() {
      return Objects.requireNonNull(poll);
    }

    @Override
    public boolean tasks(List<Task> tasks) {
      return answer.complete(tasks);
    }

    @Override
    public void empty() {
      answer.complete(List.of());
    }

    List<RunId> runs() {
      return answer.orTimeout(20, TimeUnit.SECONDS).join().stream()
          .map(task -> task.claim().runId())
          .toList();
    }
  }

  @BeforeEach
  void start() {
    kagzi = TestEngine.on(counting.dataSource());
  }

  @AfterEach
  void stop() {
    kagzi.close();
    pool.close();
  }

  /** Lets a worker wait until it is known that there is nothing for him. */
  private Waiting waitInVain(WorkerId worker, UUID claimId) {
    return letWait(worker, claimId, new Waiting());
  }

  private Waiting letWait(WorkerId worker, UUID claimId, Waiting waiting) {
    int before = counting.statements(CLAIM);
    List<TypeVersion> types = List.of(TestEngine.TYPE);
    waiting.poll =
        kagzi
            .engine()
            .tasks()
            .poll(
                new Poll.Request(worker, TestEngine.QUEUE, types, 2, claimId),
                Duration.ofSeconds(20),
                waiting);
    await().until(() -> counting.statements(CLAIM) > before && waiting.poll().isOpen());
    return waiting;
  }

  @Test
  void claimsARunForAWaitingWorkerByTheCommitThatStartsIt() {
    Waiting waiting = waitInVain(kagzi.registerWorker(), UUID.randomUUID());
    int before = counting.statements(CLAIM);

    RunId runId = kagzi.startRun();

    assertThat(waiting.runs()).containsExactly(runId);
    assertThat(counting.statements(CLAIM)).isEqualTo(before);
    assertThat(counting.statements(CLAIM_NEW)).isEqualTo(1);
  }

  @Test
  void handsTheInputOverAndTheWorkerCanGoOn() {
    Waiting waiting = waitInVain(kagzi.registerWorker(), UUID.randomUUID());

    kagzi.startRun();
    Task task = waiting.answer.orTimeout(20, TimeUnit.SECONDS).join().get(0);
    kagzi
        .engine()
        .tasks()
        .completeStep(
            TestEngine.fence(task), task.claim().worker(), TestEngine.result("charge", "1"));

    assertThat(task.input()).isEqualTo(TestEngine.payload("\"input\""));
    assertThat(task.claim().epoch()).isEqualTo(1);
  }

  /** Starts are still committed when the server has told everybody who waits to go elsewhere. */
  @Test
  void aStartThatIsCommittedWhileTheServerDrainsIsAnsweredAndItsRunIsFreeAgain() {
    Waiting waiting =
        new Waiting() {
          @Override
          public boolean tasks(List<Task> tasks) {
            kagzi.engine().drain();
            return false;
          }
        };
    letWait(kagzi.registerWorker(), UUID.randomUUID(), waiting);

    RunId runId = kagzi.startRun();

    await()
        .until(() ->
            kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).status()
                == RunStatus.PENDING);
    assertThat(counting.statements(CLAIM_NEW)).isEqualTo(1);
  }

  /** The server may die between the commit and the answer. */
  @Test
  void aPollThatIsRepeatedGetsWhatWasHandedToIt() {
    WorkerId worker = kagzi.registerWorker();
    UUID claimId = UUID.randomUUID();
    Waiting waiting = waitInVain(worker, claimId);
    RunId runId = kagzi.startRun();
    assertThat(waiting.runs()).containsExactly(runId);

    Waiting again = new Waiting();
    kagzi
        .engine()
        .tasks()
        .poll(
            new Poll.Request(worker, TestEngine.QUEUE, List.of(TestEngine.TYPE), 2, claimId),
            Duration.ofSeconds(20),
            again);

    assertThat(again.runs()).containsExactly(runId);
  }

  @Test
  void nothingIsHandedToAWorkerWhoWasGivenUp() {
    Waiting waiting = waitInVain(kagzi.registerWorker(), UUID.randomUUID());
    kagzi.execute("UPDATE kagzi.workers SET status = 'OFFLINE'");

    RunId runId = kagzi.startRun();
    assertThat(kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId).status())
        .isEqualTo(RunStatus.PENDING);
    Waiting other = waitForWork(kagzi.registerWorker());

    assertThat(other.runs()).containsExactly(runId);
    assertThat(waiting.answer).isNotDone();
  }

  /** Who hung up gets nothing, and the run goes to the next who asks. */
  @Test
  void nothingIsHandedToWhoHungUp() {
    Waiting waiting = waitInVain(kagzi.registerWorker(), UUID.randomUUID());
    waiting.poll().cancel();

    RunId runId = kagzi.startRun();

    assertThat(waitForWork(kagzi.registerWorker()).runs()).containsExactly(runId);
    assertThat(waiting.answer).isNotDone();
  }

  private Waiting waitForWork(WorkerId worker) {
    Waiting waiting = new Waiting();
    kagzi
        .engine()
        .tasks()
        .poll(
            Poll.Request.of(worker, TestEngine.QUEUE, List.of(TestEngine.TYPE), 1),
            Duration.ofSeconds(20),
            waiting);
    return waiting;
  }
}
