package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Batch;
import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.domain.BatchItem;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.Pace;
import dev.kagzi.engine.domain.RetryOutcome;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.BatchItemStore;
import dev.kagzi.engine.store.BatchStore;
import dev.kagzi.engine.store.BatchStore.Running;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out batches. Whoever holds the lock of a batch's row handles its next runs; that lock is
 * also what makes a rate hold for all servers together. Retries and deletions share the transaction
 * of their results; a cancel has its own, and is harmless to repeat if its result was lost.
 */
public final class BatchWork {

  private static final Logger log = LoggerFactory.getLogger(BatchWork.class);

  /** Runs handled in one transaction. */
  private static final int CHUNK = 200;

  /** Batches handled in one round; the others follow when these have ended. */
  private static final int MAX_RUNNING = 100;

  private static final int MAX_MESSAGE = 500;

  /** Refusals that say nothing about the run: it is taken again. */
  private static final Set<ErrorCode> PASSING =
      Set.of(ErrorCode.OVERLOADED, ErrorCode.DATABASE_UNAVAILABLE, ErrorCode.SHUTTING_DOWN);

  /** Which batches may go on now, and when the next may. */
  public record Agenda(List<BatchId> due, Optional<Instant> next) {}

  /** What a transaction did, to be announced after its commit. */
  private record Turn(List<BatchItem> handled, Retries.Done retried) {
    static final Turn NOTHING = of(List.of());

    static Turn of(List<BatchItem> handled) {
      return new Turn(handled, new Retries.Done(Map.of(), Set.of()));
    }
  }

  private final Database database;
  private final Workflows workflows;
  private final Retries retries;
  private final RunLists lists;
  private final BatchStore store = new BatchStore();
  private final BatchItemStore items = new BatchItemStore();
  private final AtomicBoolean news = new AtomicBoolean(true);

  public BatchWork(Database database, Workflows workflows, Retries retries, RunLists lists) {
    this.database = database;
    this.workflows = workflows;
    this.retries = retries;
    this.lists = lists;
  }

  /** A batch was started here; at first there may be one that was left behind. */
  void hear() {
    news.set(true);
  }

  /** Whether there was news since the last call. */
  public boolean takeNews() {
    return news.getAndSet(false);
  }

  /** Looks which batches have not ended. */
  public Agenda agenda(Instant now) {
    List<Running> running = database.inTransaction(tx -> store.findRunning(tx, MAX_RUNNING));
    return new Agenda(
        running.stream()
            .filter(batch -> !batch.nextAt().isAfter(now))
            .map(Running::batchId)
            .toList(),
        running.stream().map(Running::nextAt).min(Instant::compareTo));
  }

  /**
   * Handles the next runs of a batch, unless another server does. A run that the database does not
   * take is set aside with its error, so that it does not stop the others.
   *
   * @return how many runs were handled
   */
  public int handle(BatchId batchId, Instant now) {
    try {
      return handle(batchId, now, CHUNK);
    } catch (DatabaseException failure) {
      if (!failure.isDataFault()) {
        throw failure;
      }
      return handleOne(batchId, now);
    }
  }

  private int handleOne(BatchId batchId, Instant now) {
    try {
      return handle(batchId, now, 1);
    } catch (DatabaseException failure) {
      if (!failure.isDataFault()) {
        throw failure;
      }
      log.error("a run of batch {} cannot be handled", batchId, failure);
      return database
          .inTransaction(
              tx -> turn(tx, batchId, now, 1, (batch, ids) -> setAside(ids, failure, now)))
          .handled()
          .size();
    }
  }

  private static Turn setAside(List<RunId> runIds, DatabaseException failure, Instant now) {
    String text = String.valueOf(failure.getMessage());
    String message = text.substring(0, Math.min(text.length(), MAX_MESSAGE));
    return Turn.of(
        runIds.stream()
            .map(runId -> new BatchItem(runId, BatchItem.Status.FAILED, "INTERNAL", message, now))
            .toList());
  }

  private int handle(BatchId batchId, Instant now, int limit) {
    Turn turn =
        database.inTransaction(
            tx -> turn(tx, batchId, now, limit, (batch, runIds) -> act(tx, batch, runIds, now)));
    retries.announce(turn.retried());
    return turn.handled().size();
  }

  /** What is done to the runs of a turn. */
  @FunctionalInterface
  private interface Act {
    Turn on(Batch batch, List<RunId> runIds);
  }

  private Turn turn(Transaction tx, BatchId batchId, Instant now, int limit, Act act) {
    Optional<Batch> due = store.lockDue(tx, batchId, now);
    if (due.isEmpty()) {
      return Turn.NOTHING;
    }
    Batch batch = due.get();
    Pace pace = new Pace(batch.order().rate());
    List<RunId> runIds = items.take(tx, batchId, pace.allowed(batch.nextAt(), now, limit));
    Turn turn = act.on(batch, runIds);
    items.settle(tx, batchId, turn.handled());
    store.setProgress(
        tx,
        batchId,
        batch.progress().plus(turn.handled()),
        pace.after(batch.nextAt(), now, turn.handled().size()),
        now);
    return turn;
  }

  private Turn act(Transaction tx, Batch batch, List<RunId> runIds, Instant now) {
    return switch (batch.order().operation()) {
      case RETRY -> retry(tx, batch, runIds, now);
      case CANCEL -> Turn.of(cancel(batch.order(), runIds, now));
      case DELETE -> Turn.of(runIds.stream().map(id -> delete(tx, batch, id, now)).toList());
    };
  }

  private Turn retry(Transaction tx, Batch batch, List<RunId> runIds, Instant now) {
    List<Retries.Wish> wishes =
        runIds.stream().map(runId -> new Retries.Wish(runId, null)).toList();
    Retries.Done done = retries.retry(tx, batch.order().namespace(), wishes, now);
    List<BatchItem> handled =
        done.outcomes().entrySet().stream()
            .map(entry -> retried(entry.getKey(), entry.getValue(), now))
            .toList();
    return new Turn(handled, done);
  }

  private static BatchItem retried(RunId runId, RetryOutcome outcome, Instant now) {
    return switch (outcome) {
      case RetryOutcome.Retried retried -> BatchItem.succeeded(runId, now);
      case RetryOutcome.AlreadyActive active ->
          BatchItem.skipped(runId, ErrorCode.NOT_TERMINAL, "run %s is live".formatted(runId), now);
      case RetryOutcome.Refused refused -> BatchItem.refused(runId, refused.refusal(), now);
    };
  }

  private BatchItem delete(Transaction tx, Batch batch, RunId runId, Instant now) {
    try {
      return lists.delete(tx, batch.order().namespace(), runId)
          ? BatchItem.succeeded(runId, now)
          : BatchItem.refused(runId, Fencing.notFound(runId), now);
    } catch (EngineException refused) {
      return BatchItem.refused(runId, refused, now);
    }
  }

  /** All at once, so that they share transactions. */
  private List<BatchItem> cancel(Batch.Order order, List<RunId> runIds, Instant now) {
    Queue<BatchItem> handled = new ConcurrentLinkedQueue<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      runIds.forEach(
          runId -> callers.execute(() -> cancel(order, runId, now).ifPresent(handled::add)));
    }
    return List.copyOf(handled);
  }

  private Optional<BatchItem> cancel(Batch.Order order, RunId runId, Instant now) {
    try {
      CancelOutcome outcome =
          order.terminate()
              ? workflows.terminate(order.namespace(), runId, order.reason())
              : workflows.cancel(order.namespace(), runId, order.reason());
      return Optional.of(
          switch (outcome) {
            case CancelOutcome.Cancelled cancelled -> BatchItem.succeeded(runId, now);
            case CancelOutcome.StopRequested asked -> BatchItem.succeeded(runId, now);
            case CancelOutcome.AlreadyEnded ended ->
                BatchItem.skipped(
                    runId,
                    ErrorCode.RUN_TERMINAL,
                    "run %s has ended: %s".formatted(runId, ended.status()),
                    now);
          });
    } catch (EngineException refused) {
      return PASSING.contains(refused.code())
          ? Optional.empty()
          : Optional.of(BatchItem.refused(runId, refused, now));
    } catch (DatabaseException unknown) {
      log.debug("the cancel of run {} is repeated later: {}", runId, unknown.toString());
      return Optional.empty();
    }
  }
}
