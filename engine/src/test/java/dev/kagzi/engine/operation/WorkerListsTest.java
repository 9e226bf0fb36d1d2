package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.result;
import static dev.kagzi.engine.domain.WorkerPatience.USUAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Health;
import dev.kagzi.engine.domain.ListedWorker;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerPatience;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.domain.WorkerStatus;
import dev.kagzi.engine.loop.WorkerPruner;
import dev.kagzi.engine.operation.WorkerLists.Wish;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkerListsTest {

  private TestEngine kagzi;
  private WorkerLists lists;
  private Workers workers;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    lists = kagzi.engine().workerLists();
    workers = kagzi.engine().workers();
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void healthFollowsFromTheAgeOfTheLastHeartbeat() {
    WorkerId id = kagzi.registerWorker();
    ListedWorker worker = lists.find(NAMESPACE, id);
    Instant heard = worker.lastHeartbeatAt();

    assertThat(worker.healthAt(heard, USUAL)).isEqualTo(Health.HEALTHY);
    assertThat(worker.healthAt(heard.plusMillis(14_999), USUAL)).isEqualTo(Health.HEALTHY);
    assertThat(worker.healthAt(heard.plusSeconds(15), USUAL)).isEqualTo(Health.DEGRADED);
    assertThat(worker.healthAt(heard.plusMillis(29_999), USUAL)).isEqualTo(Health.DEGRADED);
    assertThat(worker.healthAt(heard.plusSeconds(30), USUAL)).isEqualTo(Health.UNHEALTHY);

    workers.drain(NAMESPACE, id, "test");
    assertThat(lists.find(NAMESPACE, id).healthAt(heard, USUAL)).isEqualTo(Health.DEGRADED);
    assertThat(lists.find(NAMESPACE, id).healthAt(heard.plusSeconds(30), USUAL))
        .isEqualTo(Health.UNHEALTHY);

    workers.deregister(NAMESPACE, id);
    assertThat(lists.find(NAMESPACE, id).healthAt(heard, USUAL)).isEqualTo(Health.UNHEALTHY);
  }

  @Test
  void whoIsMorePatientIsShownLessTrouble() {
    WorkerId id = kagzi.registerWorker();
    ListedWorker worker = lists.find(NAMESPACE, id);
    Instant later = worker.lastHeartbeatAt().plusSeconds(59);

    assertThat(worker.healthAt(later, patience(60, 120))).isEqualTo(Health.HEALTHY);
    assertThat(worker.healthAt(later, patience(59, 120))).isEqualTo(Health.DEGRADED);
    assertThat(worker.healthAt(later, patience(1, 59))).isEqualTo(Health.UNHEALTHY);
    assertThatThrownBy(() -> patience(30, 30)).hasMessageContaining("0 < warning < timeout");
    assertThatThrownBy(() -> patience(0, 30)).hasMessageContaining("0 < warning < timeout");
  }

  private static WorkerPatience patience(int warning, int timeout) {
    return new WorkerPatience(Duration.ofSeconds(warning), Duration.ofSeconds(timeout));
  }

  @Test
  void aWorkerIsShownAsItRegisteredAndWithWhatItsHeartbeatsSaid() {
    var said =
        new WorkerRegistration(
            new QueueKey(NAMESPACE, "portraits"),
            List.of(new TypeVersion("a", "1"), new TypeVersion("b,c", "")),
            7,
            new WorkerRegistration.Location("box", 1, "first", null),
            new WorkerRegistration.Software("1.4.2", "kagzi-java", "0.1", "Java 25"),
            Map.of("zone", "b"));
    WorkerId id = workers.register(said);

    workers.heartbeat(new Heartbeat(new Beat(NAMESPACE, id, 1, 2, 5, 1), List.of()));
    workers.heartbeat(new Heartbeat(new Beat(NAMESPACE, id, 1, 2, 5, 1), List.of()));
    workers.heartbeat(new Heartbeat(new Beat(NAMESPACE, id, 2, 1, 3, 0), List.of()));

    ListedWorker worker = lists.find(NAMESPACE, id);
    assertThat(worker.registration()).isEqualTo(said);
    assertThat(worker.tally()).isEqualTo(new ListedWorker.Tally(1, 8, 1));
    assertThat(worker.status()).isEqualTo(WorkerStatus.ONLINE);
  }

  @Test
  void onlyARestartOfTheSameProcessReplacesAWorker() {
    var queue = new QueueKey(NAMESPACE, "restarts");
    WorkerId first = register(queue, "box", 1, "one");
    WorkerId sameJvm = register(queue, "box", 1, "two");
    WorkerId otherContainer = register(queue, "crate", 1, "one");
    WorkerId otherProcess = register(queue, "box", 2, "one");
    WorkerId again = register(queue, "box", 1, "one");
    WorkerId onceMore = register(queue, "box", 1, "one");

    var live = new Wish(NAMESPACE, "restarts", Set.of(WorkerStatus.ONLINE));
    assertThat(lists.list(live, 10, "").workers())
        .extracting(ListedWorker::workerId)
        .containsExactly(onceMore, otherProcess, otherContainer, sameJvm);
    assertThat(lists.get(NAMESPACE, first).events())
        .extracting(ListedWorker.Event::type)
        .containsExactly("OFFLINE", "STARTED");
    assertThat(lists.get(NAMESPACE, again).worker().status()).isEqualTo(WorkerStatus.OFFLINE);
  }

  @Test
  void pagesLeadThroughTheListInBothDirectionsNewestFirst() {
    var queue = new QueueKey(NAMESPACE, "pages");
    List<WorkerId> newestFirst = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      newestFirst.add(0, register(queue, "box", i, "pages"));
    }
    workers.deregister(NAMESPACE, newestFirst.get(3));
    var wish = new Wish(NAMESPACE, "pages", Set.of());

    WorkerLists.Listed first = lists.list(wish, 3, "");
    WorkerLists.Listed second = lists.list(wish, 3, first.nextPageToken());
    WorkerLists.Listed last = lists.list(wish, 3, second.nextPageToken());
    WorkerLists.Listed back = lists.list(wish, 3, last.prevPageToken());

    assertThat(ids(first)).isEqualTo(newestFirst.subList(0, 3));
    assertThat(ids(second)).isEqualTo(newestFirst.subList(3, 6));
    assertThat(ids(last)).isEqualTo(newestFirst.subList(6, 7));
    assertThat(last.nextPageToken()).isEmpty();
    assertThat(ids(back)).isEqualTo(newestFirst.subList(3, 6));
    assertThat(lists.count(wish).count()).isEqualTo(7);
    var left = new Wish(NAMESPACE, "pages", Set.of(WorkerStatus.OFFLINE));
    assertThat(ids(lists.list(left, 3, ""))).containsExactly(newestFirst.get(3));
    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> lists.list(left, 3, first.nextPageToken()));
  }

  @Test
  void aWorkerThatIsDrainedGetsNothingMoreAndKeepsWhatItHolds() {
    WorkerId id = kagzi.registerWorker();
    RunId held = kagzi.startRun();
    Task task = kagzi.pollOne(id);

    workers.drain(NAMESPACE, id, "deploy");
    workers.drain(NAMESPACE, id, "deploy again");
    RunId next = kagzi.startRun();

    assertThat(kagzi.poll(id, 1, Duration.ofMillis(300))).isEmpty();
    HeartbeatBatch.Reply reply = beat(id, new Held(id, held, task.claim().epoch()));
    assertThat(reply.shouldDrain()).isTrue();
    assertThat(reply.lost()).isEmpty();
    WorkerLists.Portrait portrait = lists.get(NAMESPACE, id);
    assertThat(portrait.runs()).extracting(Run::runId).containsExactly(held);
    assertThat(portrait.events())
        .extracting(ListedWorker.Event::type, ListedWorker.Event::reason)
        .startsWith(org.assertj.core.groups.Tuple.tuple("STOPPING", "deploy"))
        .hasSize(2);
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
    Task others = kagzi.pollOne(kagzi.registerWorker());
    assertThat(others.claim().runId()).isEqualTo(next);
    kagzi.engine().tasks().finish(fence(others), new RunEnding.Completed(payload("1")));
  }

  @Test
  void aWorkerThatIsTakenOfflineLosesItsRunsWithoutACrash() {
    WorkerId id = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(id);

    workers.takeOffline(NAMESPACE, id, "it hangs");
    workers.takeOffline(NAMESPACE, id, "again");
    workers.drain(NAMESPACE, id, "too late");

    assertRefused(
        ErrorCode.LEASE_LOST,
        () -> kagzi.engine().tasks().completeStep(fence(task), id, result("charge", "1")));
    assertRefused(ErrorCode.WORKER_NOT_FOUND, () -> beat(id));
    assertRefused(ErrorCode.WORKER_NOT_FOUND, () -> kagzi.poll(id, 1, Duration.ofMillis(100)));
    Task taken = kagzi.pollOne(kagzi.registerWorker());
    assertThat(taken.claim().runId()).isEqualTo(runId);
    assertThat(taken.claim().epoch()).isGreaterThan(task.claim().epoch());
    Run run = kagzi.engine().workflows().get(NAMESPACE, runId);
    assertThat(run.crashes()).isZero();
    assertThat(run.failures()).isZero();
    assertThat(lists.get(NAMESPACE, id).events())
        .extracting(ListedWorker.Event::type, ListedWorker.Event::reason)
        .startsWith(org.assertj.core.groups.Tuple.tuple("OFFLINE", "it hangs"))
        .hasSize(2);
    kagzi.engine().tasks().finish(fence(taken), new RunEnding.Completed(payload("1")));
  }

  @Test
  void aWorkerIsForgottenSevenDaysAfterItWentAndNotBefore() {
    WorkerId gone = kagzi.registerWorker();
    WorkerId lives = kagzi.registerWorker();
    workers.deregister(NAMESPACE, gone);
    Instant now = kagzi.engine().clock().instant();
    var pruner = new WorkerPruner(lists);

    assertThat(pruner.runOnce(now.plus(Duration.ofDays(7)).minusSeconds(5))).isZero();
    assertThat(lists.find(NAMESPACE, gone).status()).isEqualTo(WorkerStatus.OFFLINE);
    assertThat(pruner.runOnce(now.plus(Duration.ofDays(7)).plusSeconds(60))).isPositive();

    assertRefused(ErrorCode.WORKER_NOT_FOUND, () -> lists.find(NAMESPACE, gone));
    assertThat(eventsOf(gone)).isZero();
    assertThat(lists.find(NAMESPACE, lives).status()).isEqualTo(WorkerStatus.ONLINE);
    assertThat(eventsOf(lives)).isEqualTo(1);
  }

  private long eventsOf(WorkerId worker) {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query("SELECT count(*) AS n FROM kagzi.worker_events WHERE worker_id = :id")
                .set("id", worker.value())
                .only(row -> row.bigint("n")));
  }

  private static List<WorkerId> ids(WorkerLists.Listed listed) {
    return listed.workers().stream().map(ListedWorker::workerId).toList();
  }

  private WorkerId register(QueueKey queue, String host, long pid, String instance) {
    return workers.register(
        new WorkerRegistration(
            queue,
            List.of(TYPE),
            10,
            new WorkerRegistration.Location(host, pid, instance, null),
            WorkerRegistration.Software.UNKNOWN,
            Map.of()));
  }

  private HeartbeatBatch.Reply beat(WorkerId worker, Held... held) {
    return workers.heartbeat(
        new Heartbeat(new Beat(NAMESPACE, worker, 0, held.length, 0, 0), List.of(held)));
  }

  private static void assertRefused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            EngineException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }
}
