package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.ListedWorker;
import dev.kagzi.engine.domain.Page;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerStatus;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.WorkerListStore;
import dev.kagzi.engine.store.WorkerListStore.Choice;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Workers for people, page by page, and the removal of those that are long gone. Thread-safe. */
public final class WorkerLists {

  /** Runs of one worker that are shown at most. */
  public static final int MAX_RUNS = 1000;

  private static final int MAX_EVENTS = 100;

  /** Workers removed in one transaction. */
  private static final int PRUNE_LIMIT = 1000;

  private final Database database;
  private final Namespaces namespaces;
  private final PageTokens tokens;
  private final WorkerListStore store = new WorkerListStore();

  public WorkerLists(Database database, InstantSource clock, Namespaces namespaces) {
    this.database = database;
    this.namespaces = namespaces;
    this.tokens = PageTokens.shared(database, clock);
  }

  /**
   * What a caller wants.
   *
   * @param taskQueue the only queue, or null
   * @param statuses empty means all
   */
  public record Wish(String namespace, @Nullable String taskQueue, Set<WorkerStatus> statuses) {

    private String filter() {
      return "workers %s %s".formatted(new TreeSet<>(statuses), taskQueue);
    }

    private Choice choice() {
      return new Choice(
          namespace, taskQueue, statuses.isEmpty() ? EnumSet.allOf(WorkerStatus.class) : statuses);
    }
  }

  /** A page, newest first. */
  public record Listed(
      List<ListedWorker> workers, String nextPageToken, String prevPageToken, boolean hasMore) {}

  /**
   * One page of workers.
   *
   * @param token of the page before or after; empty means the newest page
   */
  public Listed list(Wish wish, int size, String token) {
    String namespace = wish.namespace();
    namespaces.requireKnown(namespace);
    String filter = wish.filter();
    Position from = token.isEmpty() ? Position.NEWEST : tokens.read(token, namespace, filter);
    List<ListedWorker> found =
        database.inTransaction(tx -> store.list(tx, wish.choice(), from, size + 1));
    Page<ListedWorker> page =
        Pages.cut(found, from, size, worker -> new RunId(worker.workerId().value()));
    return new Listed(
        page.items(),
        page.older().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        page.newer().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        (from.direction() == Direction.OLDER ? page.older() : page.newer()).isPresent());
  }

  /** How many workers the list has. */
  public RunLists.Count count(Wish wish) {
    int limit = RunLists.EXACT_COUNT;
    int found = database.inTransaction(tx -> store.count(tx, wish.choice(), limit + 1));
    return new RunLists.Count(Math.min(found, limit), found > limit);
  }

  /**
   * A worker with what it holds and what happened to it.
   *
   * @param runs newest first, as are the events
   */
  public record Portrait(ListedWorker worker, List<Run> runs, List<ListedWorker.Event> events) {}

  /**
   * Reads one worker.
   *
   * @throws EngineException if its namespace has no such worker
   */
  public Portrait get(String namespace, WorkerId worker) {
    return database.inTransaction(tx ->
        new Portrait(
            store.find(tx, namespace, worker).orElseThrow(() -> unknown(worker)),
            store.heldBy(tx, namespace, worker, MAX_RUNS),
            store.events(tx, namespace, worker, MAX_EVENTS)));
  }

  /**
   * Reads one worker alone.
   *
   * @throws EngineException if its namespace has no such worker
   */
  public ListedWorker find(String namespace, WorkerId worker) {
    return database
        .inTransaction(tx -> store.find(tx, namespace, worker))
        .orElseThrow(() -> unknown(worker));
  }

  private static EngineException unknown(WorkerId worker) {
    return new EngineException(
        ErrorCode.WORKER_NOT_FOUND,
        "worker %s does not exist in this namespace (expected: an id that ListWorkers shows)"
            .formatted(worker));
  }

  /** Removes some workers that have been offline since before a moment; returns how many. */
  public int prune(Instant offlineBefore) {
    return database.inTransaction(tx -> store.prune(tx, offlineBefore, PRUNE_LIMIT));
  }
}
