package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.ListedStep;
import dev.kagzi.engine.domain.ListedStep.Place;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StepListStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The steps of a run for people, page by page. Thread-safe. */
public final class StepLists {

  /** Well below what a message may hold. */
  private static final long MAX_PAGE_BYTES = 2 * 1024 * 1024;

  private static final char AFTER = '>';
  private static final char BEFORE = '<';

  private final Database database;
  private final StepListStore store = new StepListStore();
  private final RunStore runs = new RunStore();
  private final PageTokens tokens;

  public StepLists(Database database, InstantSource clock) {
    this.database = database;
    this.tokens = PageTokens.shared(database, clock);
  }

  /**
   * What a caller wants.
   *
   * @param allAttempts every attempt, superseded ones too, rather than one line per step
   * @param withPayloads outputs as well
   * @param statuses the names of states, of which RUNNING is one; empty means all
   */
  public record Wish(
      String namespace,
      RunId runId,
      boolean allAttempts,
      boolean withPayloads,
      Set<String> statuses) {

    private String filter() {
      return "steps %s %s %s".formatted(runId, allAttempts, new TreeSet<>(statuses));
    }

    private StepListStore.Choice choice() {
      return new StepListStore.Choice(runId, allAttempts, withPayloads, statuses, null);
    }
  }

  /** A page in call order. */
  public record Listed(
      List<ListedStep> steps, String nextPageToken, String prevPageToken, boolean hasMore) {}

  /** A place and the side of it that is wanted. */
  private record From(boolean forward, Place place) {}

  /**
   * One page of steps in call order, shorter than wished if it would be too heavy.
   *
   * @param token of the page before or after; empty means the first page
   * @throws EngineException if there is no such run, or the token is not of this list
   */
  public Listed list(Wish wish, int pageSize, String token) {
    From from = token.isEmpty() ? new From(true, Place.FIRST) : read(token, wish);
    return database.inTransaction(tx -> {
      requireRun(tx, wish);
      StepListStore.Lines found =
          from.forward()
              ? store.after(tx, wish.choice(), from.place(), pageSize, MAX_PAGE_BYTES)
              : store.before(tx, wish.choice(), from.place(), pageSize, MAX_PAGE_BYTES);
      return page(wish, from, found);
    });
  }

  private void requireRun(Transaction tx, Wish wish) {
    if (runs.find(tx, wish.namespace(), wish.runId()).isEmpty()) {
      throw Fencing.notFound(wish.runId());
    }
  }

  private Listed page(Wish wish, From from, StepListStore.Lines found) {
    List<ListedStep> steps = new ArrayList<>(found.steps());
    if (!from.forward()) {
      Collections.reverse(steps);
    }
    boolean first = from.forward() && from.place().equals(Place.FIRST);
    // What was asked from lies beyond the other end; what lies beyond this one was looked for.
    boolean after = from.forward() ? found.more() : true;
    boolean before = from.forward() ? !first : found.more();
    Place head = steps.isEmpty() ? from.place() : steps.get(0).place();
    Place tail = steps.isEmpty() ? from.place() : steps.get(steps.size() - 1).place();
    return new Listed(
        List.copyOf(steps),
        after ? write(AFTER, tail, wish) : "",
        before ? write(BEFORE, head, wish) : "",
        found.more());
  }

  private String write(char side, Place place, Wish wish) {
    String name = "%s%d:%d:%s".formatted(side, place.seq(), place.attempt(), place.stepKey());
    return tokens.writeName(name, wish.namespace(), wish.filter());
  }

  /** Only what {@link #write} wrote passes the authentication, so it has its form. */
  private From read(String token, Wish wish) {
    String name = tokens.readName(token, wish.namespace(), wish.filter());
    String[] parts = name.substring(1).split(":", 3);
    var place = new Place(Integer.parseInt(parts[0]), parts[2], Integer.parseInt(parts[1]));
    return new From(name.charAt(0) == AFTER, place);
  }

  /**
   * The attempts of one step with their outputs, the newest first, superseded ones included.
   *
   * @throws EngineException if there is no such run or no such step
   */
  public List<ListedStep> attempts(String namespace, RunId runId, String stepKey) {
    var wish = new Wish(namespace, runId, true, true, Set.of());
    var choice = new StepListStore.Choice(runId, true, true, Set.of(), stepKey);
    StepListStore.Lines found =
        database.inTransaction(tx -> {
          requireRun(tx, wish);
          return store.before(tx, choice, Place.LAST, RunLists.MAX_PAGE_SIZE, MAX_PAGE_BYTES);
        });
    if (found.steps().isEmpty()) {
      throw new EngineException(
          ErrorCode.STEP_NOT_FOUND,
          "run %s has no step '%s' (expected: a key that ListSteps shows)"
              .formatted(runId, stepKey));
    }
    return found.steps();
  }

  /** How many lines the list has. */
  public RunLists.Count count(Wish wish) {
    int limit = RunLists.EXACT_COUNT;
    long found = database.inTransaction(tx -> store.count(tx, wish.choice(), limit + 1));
    return new RunLists.Count(Math.min(found, limit), found > limit);
  }
}
