package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Page;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.RunListStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.SettingStore;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Lists and counts of runs, and their removal. */
public final class RunLists {

  /** Counts are exact up to this, and a lower bound beyond. */
  public static final int EXACT_COUNT = 10_000;

  public static final int MAX_PAGE_SIZE = 1000;

  private final Database database;
  private final RunListStore store = new RunListStore();
  private final RunStore runs = new RunStore();
  private final PageTokens tokens;

  public RunLists(Database database, InstantSource clock) {
    this.database = database;
    byte[] offered = new byte[PageTokens.KEY_BYTES];
    new SecureRandom().nextBytes(offered);
    this.tokens =
        new PageTokens(
            database.inTransaction(
                tx -> new SettingStore().offer(tx, "page_token_key", offered, clock.instant())));
  }

  /** What a caller gets. */
  public record Listed(
      List<Run> runs, String nextPageToken, String prevPageToken, boolean hasMore) {}

  /** One page of the runs that meet all criteria; an empty token means the newest page. */
  public Listed list(String namespace, List<Criterion> criteria, int pageSize, String token) {
    String filter = criteria.toString();
    Position from = token.isEmpty() ? Position.NEWEST : tokens.read(token, namespace, filter);
    Page<Run> page = database.inTransaction(tx -> page(tx, namespace, criteria, from, pageSize));
    return new Listed(
        page.items(),
        page.older().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        page.newer().map(at -> tokens.write(at, namespace, filter)).orElse(""),
        (from.direction() == Direction.OLDER ? page.older() : page.newer()).isPresent());
  }

  private Page<Run> page(
      Transaction tx, String namespace, List<Criterion> criteria, Position from, int size) {
    List<Run> found = store.page(tx, namespace, criteria, from, size + 1);
    Optional<RunId> scanEnd =
        found.size() <= size ? store.scanEnd(tx, namespace, criteria, from) : Optional.empty();
    boolean older = from.direction() == Direction.OLDER;
    List<Run> items = new ArrayList<>(found);
    // Beyond the end of the scan some source has not been looked at yet.
    scanEnd.ifPresent(end -> items.removeIf(run -> isBeyond(run.runId(), end, older)));
    boolean more = items.size() > size || scanEnd.isPresent();
    if (items.size() > size) {
      items.remove(size);
    }
    RunId last =
        scanEnd.orElseGet(
            () -> items.isEmpty() ? from.beyond() : items.get(items.size() - 1).runId());
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
    return database.inTransaction(tx -> {
      if (store.delete(tx, namespace, runId)) {
        return true;
      }
      if (runs.find(tx, namespace, runId).isPresent()) {
        throw new EngineException(
            ErrorCode.NOT_TERMINAL, "run %s has not ended; cancel it first".formatted(runId));
      }
      return false;
    });
  }
}
