package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.Batch;
import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.domain.BatchItem;
import dev.kagzi.engine.domain.BatchOperation;
import dev.kagzi.engine.domain.BatchRequest;
import dev.kagzi.engine.domain.BatchStatus;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Page;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.BatchItemStore;
import dev.kagzi.engine.store.BatchStore;
import dev.kagzi.engine.store.RunStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;

/** One operation on many runs: starting it, looking at it, stopping it. */
public final class Batches {

  /** Runs that a caller may name in one request. */
  public static final int MAX_RUN_IDS = 10_000;

  /** Runs of one batch; beyond this a filter is to be narrowed. */
  private static final int MAX_RUNS = 1_000_000;

  /** Runs written down by one statement. */
  private static final int PAGE = 1000;

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final RunLists lists;
  private final BatchWork work;
  private final PageTokens tokens;
  private final TimeOrderedIds ids;
  private final BatchStore store = new BatchStore();
  private final BatchItemStore items = new BatchItemStore();
  private final RunStore runs = new RunStore();

  public Batches(
      Database database,
      InstantSource clock,
      Namespaces namespaces,
      RunLists lists,
      BatchWork work) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
    this.lists = lists;
    this.work = work;
    this.tokens = PageTokens.shared(database, clock);
    this.ids = new TimeOrderedIds(clock);
  }

  /**
   * Writes down which runs are meant and begins. All of it is one transaction: a batch exists with
   * all its runs or not at all.
   */
  public Batch start(BatchRequest request) {
    require(request.order());
    Instant now = clock.instant();
    BatchId requestId = request.requestId();
    if (requestId != null && !Workflows.isNear(asRunId(requestId), now)) {
      return database
          .inTransaction(tx -> store.find(tx, requestId))
          .map(batch -> same(batch, request))
          .orElseThrow(() -> Workflows.outOfRange(asRunId(requestId), now));
    }
    BatchId batchId = requestId == null ? new BatchId(ids.next()) : requestId;
    Batch batch = database.inTransaction(tx -> write(tx, batchId, request, now));
    work.hear();
    return batch;
  }

  /** How many runs a batch would have; those it has nothing to do for are not counted. */
  public RunLists.Count preview(BatchRequest request) {
    require(request.order());
    List<Criterion> criteria = criteria(request);
    if (!request.runIds().isEmpty()) {
      criteria.add(new Criterion.IsOneOf(request.runIds()));
    }
    return lists.count(request.order().namespace(), criteria);
  }

  private void require(Batch.Order order) {
    if (order.operation() == BatchOperation.RETRY) {
      namespaces.requireEnabled(order.namespace());
    } else {
      namespaces.requireKnown(order.namespace());
    }
  }

  private static List<Criterion> criteria(BatchRequest request) {
    List<Criterion> criteria = new ArrayList<>(request.criteria());
    criteria.add(request.order().operation().applicable());
    return criteria;
  }

  private static RunId asRunId(BatchId batchId) {
    return new RunId(batchId.value());
  }

  private static Batch same(Batch batch, BatchRequest request) {
    if (batch.order().namespace().equals(request.order().namespace())
        && batch.order().operation() == request.order().operation()) {
      return batch;
    }
    throw new EngineException(
        ErrorCode.INVALID_ARGUMENT,
        "request_id: %s belongs to another batch".formatted(batch.batchId()));
  }

  private Batch write(Transaction tx, BatchId batchId, BatchRequest request, Instant now) {
    if (store.insert(tx, batchId, request.order(), now)) {
      Batch.Progress progress =
          request.runIds().isEmpty()
              ? writeMatching(tx, batchId, request)
              : writeNamed(tx, batchId, request, now);
      store.setProgress(tx, batchId, progress, now, now);
    }
    return same(store.find(tx, batchId).orElseThrow(), request);
  }

  private Batch.Progress writeMatching(Transaction tx, BatchId batchId, BatchRequest request) {
    String namespace = request.order().namespace();
    List<Criterion> criteria = criteria(request);
    RunId below = Position.NEWEST.beyond();
    int total = 0;
    List<RunId> page;
    do {
      page = items.insertMatching(tx, batchId, namespace, criteria, below, PAGE);
      total += page.size();
      if (total > MAX_RUNS) {
        throw new EngineException(
            ErrorCode.INVALID_ARGUMENT,
            "filter: more than %d runs match (expected: fewer; narrow it by time, for example)"
                .formatted(MAX_RUNS));
      }
      below = page.stream().min(Batches::compare).orElse(below);
    } while (page.size() == PAGE);
    return new Batch.Progress(total, 0, 0, 0);
  }

  /** As PostgreSQL compares them: Java takes the halves for signed numbers. */
  private static int compare(RunId a, RunId b) {
    return a.toString().compareTo(b.toString());
  }

  /** What is cancelled already is told apart now: later nobody knows who did it. */
  private Batch.Progress writeNamed(
      Transaction tx, BatchId batchId, BatchRequest request, Instant now) {
    Batch.Order order = request.order();
    Map<RunId, EndedRun> ended =
        order.operation() == BatchOperation.CANCEL
            ? runs.findEnded(tx, request.runIds())
            : Map.of();
    List<BatchItem> named = new ArrayList<>();
    int skipped = 0;
    for (RunId runId : request.runIds()) {
      EndedRun end = ended.get(runId);
      if (end != null
          && end.status() == RunStatus.CANCELLED
          && end.namespace().equals(order.namespace())) {
        String message = "run %s was cancelled before".formatted(runId);
        named.add(BatchItem.skipped(runId, ErrorCode.RUN_CANCELLED, message, now));
        skipped++;
      } else {
        named.add(new BatchItem(runId, BatchItem.Status.PENDING, null, null, null));
      }
    }
    items.insert(tx, batchId, named);
    return new Batch.Progress(named.size(), 0, 0, skipped);
  }

  /** A batch as it stands. */
  public Batch get(String namespace, BatchId batchId) {
    return known(database.inTransaction(tx -> store.find(tx, batchId)), namespace, batchId);
  }

  private static Batch known(Optional<Batch> found, String namespace, BatchId batchId) {
    return found
        .filter(batch -> batch.order().namespace().equals(namespace))
        .orElseThrow(() ->
            new EngineException(
                ErrorCode.BATCH_NOT_FOUND,
                "batch %s does not exist in this namespace".formatted(batchId)));
  }

  /** Stops a batch. What it has done stays done; repeating it is harmless. */
  public Batch cancel(String namespace, BatchId batchId) {
    return database.inTransaction(tx -> {
      Batch batch = known(store.lock(tx, batchId), namespace, batchId);
      if (batch.status() != BatchStatus.RUNNING) {
        return batch;
      }
      Instant now = clock.instant();
      store.cancel(tx, batchId, items.skipPending(tx, batchId, now), now);
      return known(store.find(tx, batchId), namespace, batchId);
    });
  }

  /** A page of a list. */
  public record Listed<T>(
      List<T> items, String nextPageToken, String prevPageToken, boolean hasMore) {}

  /** One page of the batches in some states, newest first. */
  public Listed<Batch> list(
      String namespace, Set<BatchStatus> statuses, int pageSize, String token) {
    return list(
        namespace,
        "batches " + new TreeSet<>(statuses),
        pageSize,
        token,
        (tx, from) -> store.list(tx, namespace, statuses, from, pageSize + 1),
        batch -> asRunId(batch.batchId()));
  }

  /** How many batches are in some states. */
  public RunLists.Count count(String namespace, Set<BatchStatus> statuses) {
    int limit = RunLists.EXACT_COUNT;
    int found = database.inTransaction(tx -> store.count(tx, namespace, statuses, limit + 1));
    return new RunLists.Count(Math.min(found, limit), found > limit);
  }

  /** One page of the runs of a batch that are in some states, newest first. */
  public Listed<BatchItem> items(
      String namespace,
      BatchId batchId,
      Set<BatchItem.Status> statuses,
      int pageSize,
      String token) {
    return list(
        namespace,
        "batch " + batchId + " " + new TreeSet<>(statuses),
        pageSize,
        token,
        (tx, from) -> items.list(tx, batchId, statuses, from, pageSize + 1),
        BatchItem::runId);
  }

  private <T> Listed<T> list(
      String namespace,
      String filter,
      int size,
      String token,
      BiFunction<Transaction, Position, List<T>> read,
      Function<T, RunId> idOf) {
    Position from = token.isEmpty() ? Position.NEWEST : tokens.read(token, namespace, filter);
    Page<T> page = Pages.cut(database.inTransaction(tx -> read.apply(tx, from)), from, size, idOf);
    return new Listed<>(
        page.items(),
        page.older().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        page.newer().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        (from.direction() == Direction.OLDER ? page.older() : page.newer()).isPresent());
  }
}
