package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.QUEUE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.ListedQueue;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.Stats;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queues and figures, which tell of the same runs. */
class QueuesTest {

  private TestEngine kagzi;

  @BeforeEach
  void start() {
    kagzi = TestEngine.start();
  }

  @AfterEach
  void stop() {
    kagzi.close();
  }

  @Test
  void aQueueShowsWhatWaitsWhatRunsAndWhoServesIt() {
    Instant before = kagzi.engine().clock().instant();
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    kagzi.startRun();
    kagzi.startRun();
    List<Task> tasks = kagzi.poll(worker, 3, Duration.ofSeconds(5));
    kagzi.engine().tasks().finish(fence(tasks.get(0)), new RunEnding.Completed(payload("1")));
    Instant later = kagzi.engine().clock().instant().plusSeconds(600);
    kagzi.engine().tasks().sleep(fence(tasks.get(1)), new TimerWait("nap", 1, later));
    start("orders", "nobody-serves-this");
    start("orders", TYPE.workflowType());
    kagzi.engine().workers().drain(NAMESPACE, worker);
    kagzi.registerWorker();

    ListedQueue queue = only(list(Set.of("orders")));

    ListedQueue.Runs runs = queue.runs();
    assertThat(runs.ready()).isEqualTo(2);
    assertThat(runs.oldestReadyAt()).isBetween(before, kagzi.engine().clock().instant());
    assertThat(runs.running()).isEqualTo(1);
    assertThat(runs.sleeping()).isEqualTo(1);
    assertThat(runs.retrying()).isZero();
    assertThat(runs.areLowerBounds()).isFalse();
    assertThat(runs.unserved()).containsExactly(new TypeVersion("nobody-serves-this", ""));
    assertThat(queue.crew()).isEqualTo(new ListedQueue.Crew(1, 1, 10));
    assertThat(queue.pace()).isEqualTo(new ListedQueue.Pace(1.0, 0.2, 0));
  }

  @Test
  void queuesOfRunsAndOfWorkersAreListedByNameInBothDirections() {
    kagzi.registerWorker();
    for (String name : List.of("b", "a", "d", "e")) {
      start(name, "t");
      start(name, "u");
    }

    Queues.Listed first = kagzi.engine().queues().list(NAMESPACE, Set.of(), 2, "");
    Queues.Listed second =
        kagzi.engine().queues().list(NAMESPACE, Set.of(), 2, first.nextPageToken());
    Queues.Listed last =
        kagzi.engine().queues().list(NAMESPACE, Set.of(), 2, second.nextPageToken());
    Queues.Listed back = kagzi.engine().queues().list(NAMESPACE, Set.of(), 2, last.prevPageToken());

    assertThat(names(first)).containsExactly("a", "b");
    assertThat(names(second)).containsExactly("d", "e");
    assertThat(names(last)).containsExactly(QUEUE.taskQueue());
    assertThat(last.nextPageToken()).isEmpty();
    assertThat(names(back)).containsExactly("d", "e");
    assertThat(kagzi.engine().queues().count(NAMESPACE, Set.of()).count()).isEqualTo(5);
    assertThat(names(list(Set.of("e", "a", "nowhere")))).containsExactly("a", "e");
  }

  @Test
  void figuresCountWhatBeganAndEndedInTheirStretchOfTime() {
    WorkerId worker = kagzi.registerWorker();
    for (int i = 0; i < 4; i++) {
      kagzi.startRun();
    }
    List<Task> tasks = kagzi.poll(worker, 3, Duration.ofSeconds(5));
    kagzi.engine().tasks().finish(fence(tasks.get(0)), new RunEnding.Completed(payload("1")));
    kagzi.engine().workflows().cancel(NAMESPACE, tasks.get(1).claim().runId(), "test");
    // Began before the window and ended in it.
    kagzi.execute(
        "UPDATE kagzi.finished_runs SET created_at = created_at - interval '2 h',"
            + " started_at = started_at - interval '2 h' WHERE status = 'COMPLETED'");

    Stats stats = look(null);

    assertThat(stats.buckets()).hasSize(60);
    assertThat(stats.buckets().get(59).from())
        .isEqualTo(stats.buckets().get(0).from().plus(Duration.ofMinutes(59)));
    assertThat(stats.buckets().stream().mapToLong(Stats.Bucket::started).sum()).isEqualTo(3);
    assertThat(stats.buckets().get(59).completed()).isEqualTo(1);
    assertThat(stats.buckets().get(59).cancelled()).isEqualTo(1);
    assertThat(stats.live()).containsEntry(RunStatus.PENDING, 1L);
    assertThat(stats.live()).containsEntry(RunStatus.RUNNING, 1L);
    assertThat(stats.workersOnline()).isEqualTo(1);
    assertThat(stats.summary().duration().p99()).isGreaterThan(Duration.ofMinutes(100));
    assertThat(stats.summary().scheduleToStart().p50()).isPositive();
    assertThat(stats.countedFrom()).isNull();
    Stats others = look("another-type");
    assertThat(others.live()).isEmpty();
    assertThat(others.buckets()).allSatisfy(bucket -> assertThat(bucket.started()).isZero());
    assertThat(others.summary().duration().p50()).isNull();
  }

  @Test
  void howLongARunWaitedForAWorkerCountsFromWhenItMightBegin() {
    WorkerId worker = kagzi.registerWorker();
    RunId delayed =
        kagzi
            .engine()
            .workflows()
            .start(TestEngine.request().startDelay(Duration.ofHours(1)).build())
            .runId();
    RunId prompt = kagzi.startRun();
    kagzi.execute("UPDATE kagzi.workflow_runs SET available_at = created_at");
    kagzi
        .poll(worker, 2, Duration.ofSeconds(5))
        .forEach(task ->
            kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1"))));
    kagzi.execute(
        """
        UPDATE kagzi.finished_runs
        SET created_at = started_at - interval '1 h', start_at = started_at - interval '5 s'
        WHERE run_id = '%s' AND start_at > created_at;
        UPDATE kagzi.finished_runs SET created_at = started_at - interval '7 s'
        WHERE run_id = '%s'
        """
            .formatted(delayed, prompt));

    assertThat(look(null).summary().scheduleToStart().p50()).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void countingStopsAtItsLimitAndCostsTheSameHoweverManyRunsThereAre() {
    kagzi.registerWorker();
    start("a", "t");
    kagzi.execute(
        """
        INSERT INTO kagzi.workflow_runs (run_id, namespace_id, task_queue, workflow_type, version,
          status, wait_reason, available_at, created_at)
        SELECT gen_random_uuid(), 'default', 'orders', 'type-' || i % 3, '', 'SLEEPING', 'SLEEP',
               now() + interval '1 day', now()
        FROM generate_series(1, 150000) AS i
        """);
    kagzi.execute(
        """
        INSERT INTO kagzi.finished_runs (run_id, namespace_id, task_queue, workflow_type, version,
          status, lease_epoch, failures, crashes, retries, created_at, started_at, finished_at)
        SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::int8 - i), 12, '0')
                 || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid,
               'default', 'orders', 'type-1', '', 'COMPLETED', 1, 0, 0, 0,
               now() - i * interval '1 ms', now() - i * interval '1 ms', now()
        FROM generate_series(1, 60000) AS i
        """);
    kagzi.execute("ANALYZE kagzi.workflow_runs, kagzi.finished_runs");

    long begun = System.nanoTime();
    Queues.Listed listed = list(Set.of());
    long listMillis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
    begun = System.nanoTime();
    Stats stats = look(null);
    long statsMillis = Duration.ofNanos(System.nanoTime() - begun).toMillis();

    System.out.printf("queues.list_ms %d stats.look_ms %d%n", listMillis, statsMillis);
    ListedQueue.Runs runs = listed.queues().get(1).runs();
    assertThat(names(listed)).containsExactly("a", "orders");
    assertThat(runs.sleeping()).isEqualTo(10_000);
    assertThat(runs.areLowerBounds()).isTrue();
    assertThat(listed.queues().get(0).runs().areLowerBounds()).isFalse();
    assertThat(stats.buckets().stream().mapToLong(Stats.Bucket::completed).sum()).isEqualTo(20_000);
    assertThat(stats.countedFrom()).isAfter(stats.buckets().get(58).from());
    assertThat(stats.liveIsLowerBound()).isTrue();
    assertThat(listMillis).isLessThan(3000);
    assertThat(statsMillis).isLessThan(3000);
  }

  private Stats look(@Nullable String type) {
    return kagzi
        .engine()
        .statistics()
        .look(
            new Statistics.Wish(NAMESPACE, type, null, Duration.ofHours(1), Duration.ofMinutes(1)));
  }

  private void start(String queue, String type) {
    kagzi.engine().workflows().start(StartRequest.of(NAMESPACE, type).taskQueue(queue).build());
  }

  private Queues.Listed list(Set<String> names) {
    return kagzi.engine().queues().list(NAMESPACE, names, 50, "");
  }

  private static ListedQueue only(Queues.Listed listed) {
    assertThat(listed.queues()).hasSize(1);
    return listed.queues().get(0);
  }

  private static List<String> names(Queues.Listed listed) {
    return listed.queues().stream().map(ListedQueue::taskQueue).toList();
  }
}
