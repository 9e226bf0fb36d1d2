package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.QUEUE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.ReusePolicy;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Two tenants of one engine who use the same names for everything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NamespacesTest {

  private static final String OTHER = "other";
  private static final QueueKey OTHER_QUEUE = new QueueKey(OTHER, QUEUE.taskQueue());

  private TestEngine kagzi;
  private Tasks tasks;
  private Workflows workflows;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    kagzi.execute(
        "INSERT INTO kagzi.namespaces (namespace_id, created_at, updated_at)"
            + " VALUES ('other', now(), now())");
    tasks = kagzi.engine().tasks();
    workflows = kagzi.engine().workflows();
  }

  /** What a failed test leaves behind must not be claimed by the next. */
  @AfterEach
  void clear() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void handOutOnlyTheirOwnRuns() {
    RunId mine = kagzi.startRun();
    WorkerId foreigner = register(OTHER_QUEUE, TYPE, UUID.randomUUID().toString());

    assertThat(poll(foreigner, OTHER_QUEUE)).isEmpty();
    Task task = kagzi.pollOne(kagzi.registerWorker());

    assertThat(task.claim().runId()).isEqualTo(mine);
    finish(task);
  }

  @Test
  void keepExternalIdsApart() {
    StartOutcome mine = workflows.start(request(NAMESPACE).externalId("order-7").build());
    StartOutcome theirs = workflows.start(request(OTHER).externalId("order-7").build());

    assertThat(theirs).isInstanceOf(StartOutcome.Started.class);
    assertThat(workflows.idOf(NAMESPACE, "order-7")).isEqualTo(mine.runId());
    assertThat(workflows.idOf(OTHER, "order-7")).isEqualTo(theirs.runId());
    assertThat(workflows.start(request(NAMESPACE).externalId("order-7").build()).runId())
        .isEqualTo(mine.runId());
    assertThat(workflows.start(request(OTHER).externalId("order-7").build()).runId())
        .isEqualTo(theirs.runId());
    workflows.cancel(NAMESPACE, mine.runId(), "test");
    workflows.cancel(OTHER, theirs.runId(), "test");
  }

  @Test
  void lookBackAtTheirOwnRunsOnly() {
    RunId mine = workflows.start(request(NAMESPACE).externalId("order-8").build()).runId();
    workflows.cancel(NAMESPACE, mine, "test");

    StartOutcome theirs =
        workflows.start(
            request(OTHER).externalId("order-8").reusePolicy(ReusePolicy.REJECT).build());

    assertThat(theirs).isInstanceOf(StartOutcome.Started.class);
    workflows.cancel(OTHER, theirs.runId(), "test");
    StartOutcome again =
        workflows.start(
            request(NAMESPACE).externalId("order-8").reusePolicy(ReusePolicy.REJECT).build());
    assertThat(again).isInstanceOf(StartOutcome.AlreadyExists.class);
    assertThat(again.runId()).isEqualTo(mine);
  }

  @Test
  void doNotAnswerForARequestIdOfTheOther() {
    RunId requestId = new RunId(new TimeOrderedIds(kagzi.engine().clock()).next());
    workflows.start(request(NAMESPACE).requestId(requestId).build());

    assertRefused(
        ErrorCode.INVALID_ARGUMENT,
        () -> workflows.start(request(OTHER).requestId(requestId).build()));
    workflows.cancel(NAMESPACE, requestId, "test");
    assertRefused(
        ErrorCode.INVALID_ARGUMENT,
        () -> workflows.start(request(OTHER).requestId(requestId).build()));
  }

  @Test
  void cannotCancelEachOthersRuns() {
    RunId mine = kagzi.startRun();

    assertRefused(ErrorCode.RUN_NOT_FOUND, () -> workflows.cancel(OTHER, mine, "not mine"));
    assertThat(workflows.get(NAMESPACE, mine).status()).isEqualTo(RunStatus.PENDING);
    workflows.cancel(NAMESPACE, mine, "test");
    assertRefused(ErrorCode.RUN_NOT_FOUND, () -> workflows.cancel(OTHER, mine, "not mine"));
  }

  @Test
  void cannotSendEachOthersRunsAnything() {
    RunId mine = kagzi.startRun();
    EventMessage event = new EventMessage("paid", payload("1"), "once");

    assertRefused(
        ErrorCode.RUN_NOT_FOUND, () -> kagzi.engine().messages().send(OTHER, mine, event));

    assertThat(kagzi.engine().messages().send(NAMESPACE, mine, event).outcome())
        .isEqualTo(EventOutcome.DELIVERED);
  }

  @Test
  void learnNothingFromRepeatingTheOthersCalls() {
    WorkerId worker = kagzi.registerWorker();
    RunId mine = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    Fence foreign = new Fence(OTHER, mine, task.claim().epoch());
    TimerWait pause = new TimerWait("pause", 1, kagzi.engine().clock().instant().plusSeconds(60));
    tasks.completeStep(fence(task), worker, result("charge", "1"));
    assertThat(tasks.release(foreign)).isFalse();
    assertRefused(ErrorCode.RUN_NOT_FOUND, () -> tasks.sleep(foreign, pause));

    tasks.sleep(fence(task), pause);
    assertRefused(ErrorCode.RUN_NOT_FOUND, () -> tasks.sleep(foreign, pause));
    workflows.cancel(NAMESPACE, mine, "test");
    assertRefused(
        ErrorCode.RUN_NOT_FOUND, () -> tasks.completeStep(foreign, worker, result("charge", "1")));

    RunId next = kagzi.startRun();
    Task again = kagzi.pollOne(worker);
    Fence foreignToo = new Fence(OTHER, next, again.claim().epoch());
    tasks.release(fence(again));
    assertThat(tasks.release(foreignToo)).isFalse();
    Task last = kagzi.pollOne(worker);
    finish(last);
    assertRefused(
        ErrorCode.RUN_NOT_FOUND,
        () ->
            tasks.finish(
                new Fence(OTHER, next, last.claim().epoch()),
                new RunEnding.Completed(payload("1"))));
  }

  @Test
  void cannotDrainOrReplaceOrSpeakForEachOthersWorkers() {
    String instance = UUID.randomUUID().toString();
    WorkerId mine = register(QUEUE, TYPE, instance);
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(mine);

    kagzi.engine().workers().drain(OTHER, mine);
    kagzi.engine().workers().deregister(OTHER, mine);
    WorkerId theirs = register(OTHER_QUEUE, TYPE, instance);

    assertRefused(
        ErrorCode.WORKER_NOT_FOUND, () -> kagzi.engine().workers().isDraining(OTHER, mine));
    Held held = new Held(mine, runId, task.claim().epoch());
    var reply = beat(NAMESPACE, mine, held);
    assertThat(reply.shouldDrain()).isFalse();
    assertThat(reply.lost()).isEmpty();
    workflows.cancel(NAMESPACE, runId, "test");
    assertThat(beat(OTHER, theirs, new Held(theirs, runId, task.claim().epoch())).ended())
        .isEmpty();
  }

  @Test
  void haveTheirOwnDefaultVersionsAndHomeQueues() {
    String type = "only-known-here";
    register(QUEUE, new TypeVersion(type, "2"), UUID.randomUUID().toString());

    StartOutcome theirs = workflows.start(StartRequest.of(OTHER, type).build());

    assertThat(theirs.target().version()).isEmpty();
    assertThat(theirs.target().taskQueue()).isEqualTo("default");
    workflows.cancel(OTHER, theirs.runId(), "test");
  }

  @Test
  void listCountAndDeleteOnlyTheirOwnRuns() {
    RunId live = kagzi.startRun();
    RunId ended = kagzi.startRun();
    workflows.cancel(NAMESPACE, ended, "test");
    RunId theirs = workflows.start(request(OTHER).build()).runId();
    RunId theirsEnded = workflows.start(request(OTHER).build()).runId();
    workflows.cancel(OTHER, theirsEnded, "test");
    RunLists lists = kagzi.engine().runLists();

    RunLists.Listed listed =
        lists.list(OTHER, List.of(), new RunLists.Wish(100, "", false, run -> 0));

    assertThat(listed.runs())
        .extracting(Run::runId)
        .contains(theirs, theirsEnded)
        .doesNotContain(live, ended)
        .hasSize((int) lists.count(OTHER, List.of()).count());
    assertThat(listed.runs())
        .allSatisfy(run -> assertThat(run.target().namespace()).isEqualTo(OTHER));
    assertThat(lists.count(OTHER, List.of(), RunLists.Grouping.TASK_QUEUE))
        .extracting(RunLists.Group::count)
        .containsExactly(lists.count(OTHER, List.of()).count());
    assertThat(lists.delete(OTHER, ended)).isFalse();
    assertThat(workflows.get(NAMESPACE, ended).status()).isEqualTo(RunStatus.CANCELLED);
  }

  @Test
  void doNotWakeEachOthersParkedRuns() {
    WorkerId worker = kagzi.registerWorker();
    RunId mine = kagzi.startRun();
    tasks.park(fence(kagzi.pollOne(worker)), new Divergence("charge", "ship", "other code"));
    var parkedUntil = workflows.get(NAMESPACE, mine).availableAt();

    register(OTHER_QUEUE, TYPE, UUID.randomUUID().toString());

    assertThat(workflows.get(NAMESPACE, mine).availableAt()).isEqualTo(parkedUntil);
    workflows.cancel(NAMESPACE, mine, "test");
  }

  private static StartRequest.Builder request(String namespace) {
    return StartRequest.of(namespace, TYPE.workflowType()).taskQueue(QUEUE.taskQueue());
  }

  private WorkerId register(QueueKey queue, TypeVersion type, String instance) {
    return kagzi
        .engine()
        .workers()
        .register(
            new WorkerRegistration(
                queue,
                List.of(type),
                10,
                new WorkerRegistration.Location("host", 1, instance, null),
                WorkerRegistration.Software.UNKNOWN,
                Map.of()));
  }

  private List<Task> poll(WorkerId worker, QueueKey queue) {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    tasks.poll(
        Poll.Request.of(worker, queue, List.of(TYPE), 1),
        Duration.ofMillis(300),
        new Poll.Listener() {
          @Override
          public boolean tasks(List<Task> claimed) {
            return answer.complete(claimed);
          }

          @Override
          public void empty() {
            answer.complete(List.of());
          }
        });
    return answer.orTimeout(10, TimeUnit.SECONDS).join();
  }

  private HeartbeatBatch.Reply beat(String namespace, WorkerId worker, Held... held) {
    return kagzi
        .engine()
        .workers()
        .heartbeat(new Heartbeat(new Beat(namespace, worker, 0, 0, 0, 0), List.of(held)));
  }

  private void finish(Task task) {
    tasks.finish(fence(task), new RunEnding.Completed(payload("1")));
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            EngineException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }
}
