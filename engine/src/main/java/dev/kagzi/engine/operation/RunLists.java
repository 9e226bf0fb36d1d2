package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Page;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.PayloadStore;
import dev.kagzi.engine.store.RunListStore;
import dev.kagzi.engine.store.RunStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lists and counts of runs, and their removal. */
public final class RunLists {

  /** Counts are exact up to this, and a lower bound beyond. */
  public static final int EXACT_COUNT = 10_000;

  public static final int MAX_PAGE_SIZE = 1000;

  /** Well below what a message may hold. */
  private static final long MAX_PAGE_BYTES = 3 * 1024 * 1024;

  private final Database database;
  private final RunListStore store = new RunListStore();
  private final RunStore runs = new RunStore();
  private final PayloadStore payloads = new PayloadStore();
  private final PageTokens tokens;

  public RunLists(Database database, InstantSource clock) {
    this.database = database;
    this.tokens = PageTokens.shared(database, clock);
  }

  /** How heavy a run is in the reply that it is meant for, without its payloads. */
  @FunctionalInterface
  public interface Scale {
    int bytesOf(Run run);
  }

  /**
   * What a caller wants of a list.
   *
   * @param token of the page before or after; empty means the newest page
   * @param withPayloads whether inputs and outputs come with the runs, or only their sizes
   */
  public record Wish(int pageSize, String token, boolean withPayloads, Scale scale) {}

  /** What a caller gets. */
  public record Listed(
      List<Run> runs,
      Map<RunId, RunPayloads> payloads,
      String nextPageToken,
      String prevPageToken,
      boolean hasMore) {}

  /** One page of the runs that meet all criteria, shorter than wished if it would be too heavy. */
  public Listed list(String namespace, List<Criterion> criteria, Wish wish) {
    String filter = criteria.toString();
    Position from =
        wish.token().isEmpty() ? Position.NEWEST : tokens.read(wish.token(), namespace, filter);
    return database.inTransaction(tx -> {
      Page<Run> page = page(tx, namespace, criteria, from, wish);
      return new Listed(
          page.items(),
          payloadsOf(tx, page.items(), wish.withPayloads()),
          page.older().map(at -> tokens.write(at, namespace, filter)).orElse(""),
          page.newer().map(at -> tokens.write(at, namespace, filter)).orElse(""),
          (from.direction() == Direction.OLDER ? page.older() : page.newer()).isPresent());
    });
  }

  private Map<RunId, RunPayloads> payloadsOf(Transaction tx, List<Run> page, boolean whole) {
    List<RunId> runIds = page.stream().map(Run::runId).toList();
    return whole ? payloads.find(tx, runIds) : payloads.sizes(tx, runIds);
  }

  private Page<Run> page(
      Transaction tx, String namespace, List<Criterion> criteria, Position from, Wish wish) {
    int size = wish.pageSize();
    List<Run> found = store.page(tx, namespace, criteria, from, size + 1);
    Optional<RunId> scanEnd =
        found.size() <= size ? store.scanEnd(tx, namespace, criteria, from) : Optional.empty();
    boolean older = from.direction() == Direction.OLDER;
    List<Run> items = new ArrayList<>(found);
    // Beyond the end of the scan some source has not been looked at yet.
    scanEnd.ifPresent(end -> items.removeIf(run -> isBeyond(run.runId(), end, older)));
    int light = Math.min(size, light(tx, items, wish));
    boolean cut = items.size() > light;
    boolean more = cut || scanEnd.isPresent();
    if (cut) {
      items.subList(light, items.size()).clear();
    }
    RunId last =
        !cut && scanEnd.isPresent()
            ? scanEnd.get()
            : items.isEmpty() ? from.beyond() : items.get(items.size() - 1).runId();
    RunId first = items.isEmpty() ? from.beyond() : items.get(0).runId();
    if (!older) {
      Collections.reverse(items);
    }
    boolean isFirstPage = from.equals(Position.NEWEST);
    return older
        ? new Page<>(
            items,
            more ? position(Direction.OLDER, last) : Optional.empty(),
            isFirstPage ? Optional.empty() : position(Direction.NEWER, first))
        : new Page<>(
            items,
            position(Direction.OLDER, first),
            more ? position(Direction.NEWER, last) : Optional.empty());
  }

  /** How many of the first runs fit into one reply; one always does. */
  private int light(Transaction tx, List<Run> items, Wish wish) {
    Map<RunId, RunPayloads> sizes = wish.withPayloads() ? payloadsOf(tx, items, false) : Map.of();
    long bytes = 0;
    for (int i = 0; i < items.size(); i++) {
      Run run = items.get(i);
      bytes += wish.scale().bytesOf(run);
      bytes += sizes.getOrDefault(run.runId(), RunPayloads.NONE).bytes();
      if (bytes > MAX_PAGE_BYTES && i > 0) {
        return i;
      }
    }
    return items.size();
  }

  private static Optional<Position> position(Direction direction, RunId beyond) {
    return Optional.of(new Position(direction, beyond));
  }

  private static boolean isBeyond(RunId runId, RunId end, boolean older) {
    int order = runId.toString().compareTo(end.toString());
    return older ? order < 0 : order > 0;
  }

  /** A number of runs, exact or not less than this. */
  public record Count(long count, boolean isLowerBound) {}

  public Count count(String namespace, List<Criterion> criteria) {
    long found =
        database.inTransaction(tx -> store.count(tx, namespace, criteria, EXACT_COUNT + 1));
    if (found > EXACT_COUNT) {
      return new Count(EXACT_COUNT, true);
    }
    boolean cutOff =
        database
            .inTransaction(tx -> store.scanEnd(tx, namespace, criteria, Position.NEWEST))
            .isPresent();
    return new Count(found, cutOff);
  }

  /** What to count by. */
  public enum Grouping {
    STATUS("status", "status"),
    WORKFLOW_TYPE("workflow_type", "workflow_type"),
    TASK_QUEUE("task_queue", "task_queue"),
    VERSION("version", "version"),
    /** The type of the error and the step it came from; runs without an error are left out. */
    ERROR("NULL::text", "NULLIF(concat_ws(' in ', error ->> 'type', failed_step_key), '')");

    private final String live;
    private final String ended;

    Grouping(String live, String ended) {
      this.live = live;
      this.ended = ended;
    }
  }

  /** A group of runs, with its newest member as an example. */
  public record Group(String name, long count, boolean isLowerBound, RunId newest) {}

  /** Counts by groups, the largest first, over the newest runs as far as one call may look. */
  public List<Group> count(String namespace, List<Criterion> criteria, Grouping grouping) {
    RunListStore.Groups groups =
        database.inTransaction(
            tx -> store.groups(tx, namespace, criteria, grouping.live, grouping.ended));
    return groups.groups().stream()
        .map(group -> new Group(group.name(), group.count(), groups.isCutOff(), group.newest()))
        .toList();
  }

  /**
   * Removes an ended run with its steps and payloads. Repeating it is harmless.
   *
   * @return whether there was one to remove
   * @throws EngineException if the run is live
   */
  public boolean delete(String namespace, RunId runId) {
    return database.inTransaction(tx -> delete(tx, namespace, runId));
  }

  boolean delete(Transaction tx, String namespace, RunId runId) {
    if (store.delete(tx, namespace, List.of(runId)) > 0) {
      return true;
    }
    if (runs.find(tx, namespace, runId).isPresent()) {
      throw new EngineException(
          ErrorCode.NOT_TERMINAL, "run %s has not ended; cancel it first".formatted(runId));
    }
    return false;
  }
}
