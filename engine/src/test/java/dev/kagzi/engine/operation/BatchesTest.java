package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Batch;
import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.domain.BatchItem;
import dev.kagzi.engine.domain.BatchItem.Status;
import dev.kagzi.engine.domain.BatchOperation;
import dev.kagzi.engine.domain.BatchRequest;
import dev.kagzi.engine.domain.BatchStatus;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Batches that two servers of one database carry out. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BatchesTest {

  private static final List<Criterion> OUR_TYPE =
      List.of(new Criterion.HasType(Set.of(TestEngine.TYPE.workflowType())));

  private final String url = TestEngine.migratedUrl();
  private final HikariDataSource pool = TestEngine.open(url);
  private final HikariDataSource otherPool = TestEngine.open(url);
  private TestEngine kagzi;
  private TestEngine other;
  private Batches batches;
  private FailedRuns runs;

  @BeforeAll
  void start() {
    kagzi = TestEngine.on(pool);
    other = TestEngine.on(otherPool);
    batches = kagzi.engine().batches();
    runs = new FailedRuns(kagzi);
    kagzi.execute(
        "INSERT INTO kagzi.namespaces (namespace_id, created_at, updated_at)"
            + " VALUES ('other', now(), now())");
  }

  @AfterAll
  void stop() {
    kagzi.close();
    other.close();
  }

  @AfterEach
  void forgetAllRuns() {
    kagzi.execute("DROP TRIGGER IF EXISTS refusing ON kagzi.batch_items");
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
    kagzi.execute("DELETE FROM kagzi.finished_runs");
    kagzi.execute("DELETE FROM kagzi.batches");
    kagzi.execute("DELETE FROM kagzi.batch_items");
  }

  @Test
  void retryWhatAFilterFindsAndLeaveTheRestAlone() {
    Set<RunId> failed = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      failed.add(runs.failInCharge());
    }
    RunId completed = kagzi.startRun();
    runs.succeed(kagzi.pollOne(runs.worker()));

    Batch batch = end(start(BatchOperation.RETRY, OUR_TYPE, null));

    assertThat(batch.progress()).isEqualTo(new Batch.Progress(5, 5, 0, 0));
    assertThat(items(batch).keySet()).isEqualTo(failed);
    assertThat(failed)
        .allSatisfy(runId -> {
          assertThat(status(runId)).isEqualTo(RunStatus.PENDING);
          assertThat(kagzi.engine().workflows().get(NAMESPACE, runId).retries()).isEqualTo(1);
        });
    assertThat(status(completed)).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  void sayOfEachNamedRunWhatBecameOfIt() {
    RunId failed = runs.failInCharge();
    RunId completed = kagzi.startRun();
    runs.succeed(kagzi.pollOne(runs.worker()));
    RunId live = kagzi.startRun();
    RunId unknown = new RunId(UUID.randomUUID());

    Batch batch = end(start(BatchOperation.RETRY, Set.of(failed, completed, live, unknown)));

    Map<RunId, BatchItem> items = items(batch);
    assertThat(items.get(failed)).extracting(BatchItem::status).isEqualTo(Status.SUCCEEDED);
    assertThat(verdict(items.get(completed))).isEqualTo("FAILED RUN_TERMINAL");
    assertThat(verdict(items.get(live))).isEqualTo("SKIPPED NOT_TERMINAL");
    assertThat(verdict(items.get(unknown))).isEqualTo("SKIPPED RUN_NOT_FOUND");
    assertThat(batch.progress()).isEqualTo(new Batch.Progress(4, 1, 1, 2));
    assertThat(batch.finishedAt()).isNotNull();
  }

  @Test
  void touchNoRunOfAnotherNamespace() {
    RunId failed = runs.failInCharge();
    for (BatchOperation operation : BatchOperation.values()) {
      Batch.Order order = new Batch.Order("other", operation, null, "", null, false);
      Batch named = batches.start(new BatchRequest(null, order, Set.of(failed), List.of()));
      Batch found = batches.start(new BatchRequest(null, order, Set.of(), OUR_TYPE));

      await()
          .until(() ->
              batches
                  .get("other", named.batchId())
                  .progress()
                  .equals(new Batch.Progress(1, 0, 0, 1)));
      assertThat(found.progress().total()).isZero();
      assertThatThrownBy(() -> batches.get(NAMESPACE, named.batchId()))
          .isInstanceOfSatisfying(
              EngineException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BATCH_NOT_FOUND));
    }
    assertThat(status(failed)).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void cancelMoreRunsThanOnePageHolds() {
    startRuns(1200);

    Batch batch = end(start(BatchOperation.CANCEL, OUR_TYPE, null));

    assertThat(batch.progress()).isEqualTo(new Batch.Progress(1200, 1200, 0, 0));
    assertThat(
            kagzi
                .engine()
                .runLists()
                .count(NAMESPACE, List.of(new Criterion.HasStatus(EnumSet.of(RunStatus.CANCELLED))))
                .count())
        .isEqualTo(1200);
  }

  @Test
  void skipWhatIsCancelledOrHasEnded() {
    RunId cancelled = kagzi.startRun();
    kagzi.engine().workflows().cancel(NAMESPACE, cancelled, "");
    RunId failed = runs.failInCharge();

    Batch batch = end(start(BatchOperation.CANCEL, Set.of(cancelled, failed)));

    assertThat(verdict(items(batch).get(cancelled))).isEqualTo("SKIPPED RUN_CANCELLED");
    assertThat(verdict(items(batch).get(failed))).isEqualTo("SKIPPED RUN_TERMINAL");
  }

  @Test
  void deleteEndedRunsAndNoLiveOnes() {
    RunId failed = runs.failInCharge();
    RunId live = kagzi.startRun();

    Batch batch = end(start(BatchOperation.DELETE, Set.of(failed, live)));

    assertThat(items(batch).get(failed)).extracting(BatchItem::status).isEqualTo(Status.SUCCEEDED);
    assertThat(verdict(items(batch).get(live))).isEqualTo("FAILED NOT_TERMINAL");
    assertThatThrownBy(() -> status(failed)).isInstanceOf(EngineException.class);
  }

  @Test
  void keepTheRateWithAllServersTogether() {
    startRuns(100);

    Batch batch = end(start(BatchOperation.CANCEL, OUR_TYPE, 50.0));

    List<Instant> times =
        items(batch).values().stream().map(BatchItem::finishedAt).sorted().toList();
    Duration taken = Duration.between(times.get(0), times.get(99));
    System.out.printf("figure: batch.rate_of_50_per_s %.1f%n", 99 / (taken.toMillis() / 1000.0));
    assertThat(taken).isGreaterThan(Duration.ofMillis((100 - 1 - 13) * 20));
  }

  @Test
  void stopWhenTheyAreCancelled() {
    startRuns(20);
    Batch slow = start(BatchOperation.CANCEL, OUR_TYPE, 0.01);
    await().until(() -> get(slow).progress().succeeded() == 1);

    Batch stopped = batches.cancel(NAMESPACE, slow.batchId());

    assertThat(stopped.status()).isEqualTo(BatchStatus.CANCELLED);
    assertThat(stopped.progress()).isEqualTo(new Batch.Progress(20, 1, 0, 19));
    assertThat(batches.cancel(NAMESPACE, slow.batchId())).isEqualTo(stopped);
    assertThat(items(stopped).values())
        .extracting(BatchItem::status)
        .doesNotContain(Status.PENDING);
  }

  @Test
  void areStartedOnceHoweverOftenTheyAreAskedFor() {
    startRuns(3);
    BatchId id = new BatchId(new TimeOrderedIds(kagzi.engine().clock()).next());
    BatchRequest request = request(id, BatchOperation.CANCEL, Set.of(), OUR_TYPE, null);

    batches.start(request);
    startRuns(2);
    Batch again = end(batches.start(request));

    assertThat(again.progress().total()).isEqualTo(3);
    assertThat(refusalOf(request(id, BatchOperation.DELETE, Set.of(), OUR_TYPE, null)))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    InstantSource anHourAgo = InstantSource.offset(kagzi.engine().clock(), Duration.ofHours(-1));
    BatchId stale = new BatchId(new TimeOrderedIds(anHourAgo).next());
    assertThat(refusalOf(request(stale, BatchOperation.CANCEL, Set.of(), OUR_TYPE, null)))
        .isEqualTo(ErrorCode.REQUEST_ID_OUT_OF_RANGE);
  }

  @Test
  void setAsideARunThatTheDatabaseRefuses() {
    List<RunId> failed = IntStream.range(0, 4).mapToObj(i -> runs.failInCharge()).toList();
    RunId broken = failed.get(1);
    kagzi.execute(
        "UPDATE kagzi.finished_runs SET lease_epoch = -1 WHERE run_id = '%s'".formatted(broken));

    Batch batch = end(start(BatchOperation.RETRY, OUR_TYPE, null));

    assertThat(batch.progress()).isEqualTo(new Batch.Progress(4, 3, 1, 0));
    assertThat(verdict(items(batch).get(broken))).isEqualTo("FAILED INTERNAL");
  }

  @Test
  void doNothingToARunUnlessItsResultIsWrittenWithIt() {
    RunId failed = runs.failInCharge();
    kagzi.execute("CREATE SEQUENCE turns");
    kagzi.execute(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM nextval('turns'); RAISE EXCEPTION 'not now'; END $$
        """);
    kagzi.execute(
        "CREATE TRIGGER refusing BEFORE UPDATE ON kagzi.batch_items"
            + " FOR EACH ROW EXECUTE FUNCTION refuse()");

    Batch batch = start(BatchOperation.RETRY, OUR_TYPE, null);
    await().until(() -> turns() > 2);
    assertThat(status(failed)).isEqualTo(RunStatus.FAILED);
    kagzi.execute("DROP TRIGGER refusing ON kagzi.batch_items");

    assertThat(end(batch).progress()).isEqualTo(new Batch.Progress(1, 1, 0, 0));
    assertThat(kagzi.engine().workflows().get(NAMESPACE, failed).retries()).isEqualTo(1);
  }

  private long turns() {
    return kagzi
        .database()
        .inTransaction(
            tx -> tx.query("SELECT last_value FROM turns").only(row -> row.bigint("last_value")));
  }

  @Test
  void countWithoutTouchingAnything() {
    RunId failed = runs.failInCharge();
    RunId live = kagzi.startRun();

    assertThat(
            batches.preview(request(null, BatchOperation.RETRY, Set.of(), OUR_TYPE, null)).count())
        .isEqualTo(1);
    assertThat(
            batches
                .preview(
                    request(null, BatchOperation.CANCEL, Set.of(failed, live), List.of(), null))
                .count())
        .isEqualTo(1);
    assertThat(status(failed)).isEqualTo(RunStatus.FAILED);
    assertThat(batches.count(NAMESPACE, EnumSet.allOf(BatchStatus.class)).count()).isZero();
  }

  @Test
  void withoutRunsHaveEndedAtOnce() {
    Batch batch = start(BatchOperation.DELETE, OUR_TYPE, null);

    assertThat(batch.status()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(batch.progress().total()).isZero();
  }

  @Test
  void areListedPageByPageInBothDirections() {
    List<BatchId> newestFirst = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      newestFirst.add(0, start(BatchOperation.DELETE, OUR_TYPE, null).batchId());
    }
    Set<BatchStatus> ended = EnumSet.of(BatchStatus.COMPLETED);

    Batches.Listed<Batch> first = batches.list(NAMESPACE, ended, 3, "");
    Batches.Listed<Batch> second = batches.list(NAMESPACE, ended, 3, first.nextPageToken());
    Batches.Listed<Batch> third = batches.list(NAMESPACE, ended, 3, second.nextPageToken());
    Batches.Listed<Batch> back = batches.list(NAMESPACE, ended, 3, third.prevPageToken());

    assertThat(ids(first)).isEqualTo(newestFirst.subList(0, 3));
    assertThat(first.prevPageToken()).isEmpty();
    assertThat(ids(second)).isEqualTo(newestFirst.subList(3, 6));
    assertThat(ids(third)).isEqualTo(newestFirst.subList(6, 7));
    assertThat(third.hasMore()).isFalse();
    assertThat(ids(back)).isEqualTo(ids(second));
    assertThat(batches.list(NAMESPACE, EnumSet.of(BatchStatus.RUNNING), 3, "").items()).isEmpty();
    assertThatThrownBy(() -> batches.list("other", ended, 3, first.nextPageToken()))
        .isInstanceOf(EngineException.class);
  }

  @Test
  void showTheirRunsPageByPage() {
    Set<RunId> unknown = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      unknown.add(new RunId(UUID.randomUUID()));
    }
    Batch batch = end(start(BatchOperation.RETRY, unknown));
    Set<Status> all = EnumSet.allOf(Status.class);

    Set<RunId> seen = new HashSet<>();
    String token = "";
    do {
      Batches.Listed<BatchItem> page = batches.items(NAMESPACE, batch.batchId(), all, 2, token);
      page.items().forEach(item -> seen.add(item.runId()));
      token = page.nextPageToken();
    } while (!token.isEmpty());

    assertThat(seen).isEqualTo(unknown);
    assertThat(batches.items(NAMESPACE, batch.batchId(), EnumSet.of(Status.FAILED), 2, "").items())
        .isEmpty();
  }

  private void startRuns(int count) {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      IntStream.range(0, count).forEach(i -> callers.execute(kagzi::startRun));
    }
  }

  private Batch start(BatchOperation operation, List<Criterion> criteria, @Nullable Double rate) {
    return batches.start(request(null, operation, Set.of(), criteria, rate));
  }

  private Batch start(BatchOperation operation, Set<RunId> runIds) {
    return batches.start(request(null, operation, runIds, List.of(), null));
  }

  private static BatchRequest request(
      @Nullable BatchId id,
      BatchOperation operation,
      Set<RunId> runIds,
      List<Criterion> criteria,
      @Nullable Double rate) {
    Batch.Order order = new Batch.Order(NAMESPACE, operation, null, "test", rate, false);
    return new BatchRequest(id, order, runIds, criteria);
  }

  /** Waits for the end of a batch. */
  private Batch end(Batch batch) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> get(batch).status() == BatchStatus.COMPLETED);
    return get(batch);
  }

  private Batch get(Batch batch) {
    return batches.get(NAMESPACE, batch.batchId());
  }

  private Map<RunId, BatchItem> items(Batch batch) {
    Map<RunId, BatchItem> items = new HashMap<>();
    String token = "";
    do {
      Batches.Listed<BatchItem> page =
          batches.items(NAMESPACE, batch.batchId(), EnumSet.allOf(Status.class), 1000, token);
      page.items().forEach(item -> items.put(item.runId(), item));
      token = page.nextPageToken();
    } while (!token.isEmpty());
    return Collections.unmodifiableMap(items);
  }

  private static String verdict(@Nullable BatchItem item) {
    return item == null ? "missing" : item.status() + " " + item.reason();
  }

  private static List<BatchId> ids(Batches.Listed<Batch> page) {
    return page.items().stream().map(Batch::batchId).toList();
  }

  private RunStatus status(RunId runId) {
    return kagzi.engine().workflows().get(NAMESPACE, runId).status();
  }

  private @Nullable ErrorCode refusalOf(BatchRequest request) {
    try {
      batches.start(request);
      return null;
    } catch (EngineException refused) {
      return refused.code();
    }
  }
}
