package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Backlog;
import dev.kagzi.engine.domain.ListedQueue;
import dev.kagzi.engine.domain.Namespace;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.NamespaceStore;
import dev.kagzi.engine.store.QueueStore;
import dev.kagzi.engine.store.QueueStore.Waiting;
import dev.kagzi.engine.store.StatsStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Task queues and how they cope. Only reads. Thread-safe. */
public final class Queues {

  /** Queues, and namespaces, that one look at the backlog goes to. */
  private static final int MAX_QUEUES = 1000;

  private static final int MAX_NAMESPACES = 1000;

  /** Runs that one such look counts, more or less: the more queues, the fewer of each. */
  private static final int COUNTED_RUNS = 100_000;

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final PageTokens tokens;
  private final QueueStore store = new QueueStore();
  private final NamespaceStore registry = new NamespaceStore();
  private final StatsStore stats = new StatsStore();

  public Queues(Database database, InstantSource clock, Namespaces namespaces) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
    this.tokens = PageTokens.shared(database, clock);
  }

  /** Queues in the order of their names. */
  public record Listed(
      List<ListedQueue> queues, String nextPageToken, String prevPageToken, boolean hasMore) {}

  /**
   * One page of the queues that have waiting runs or live workers.
   *
   * @param only the queues that are wanted; empty means all
   * @param token of the page before or after; empty means the first page
   */
  public Listed list(String namespace, Set<String> only, int size, String token) {
    namespaces.requireKnown(namespace);
    var pages = new NamePages(tokens, namespace, "queues " + new TreeSet<>(only));
    NamePages.From from = pages.read(token);
    return database.inTransaction(tx -> {
      List<String> found = names(tx, namespace, only, from, size + 1);
      NamePages.Cut<String> page = pages.cut(found, from, size, name -> name);
      return new Listed(
          look(tx, namespace, page.items()),
          page.nextPageToken(),
          page.prevPageToken(),
          page.hasMore());
    });
  }

  private List<String> names(
      Transaction tx, String namespace, Set<String> only, NamePages.From from, int limit) {
    return only.isEmpty()
        ? store.names(tx, namespace, from.forward(), from.name(), limit)
        : store.names(tx, namespace, only, from.forward(), from.name(), limit);
  }

  /** How many queues the list has. */
  public RunLists.Count count(String namespace, Set<String> only) {
    int limit = RunLists.EXACT_COUNT;
    int found =
        database
            .inTransaction(tx -> names(tx, namespace, only, NamePages.From.START, limit + 1))
            .size();
    return new RunLists.Count(Math.min(found, limit), found > limit);
  }

  private List<ListedQueue> look(Transaction tx, String namespace, List<String> names) {
    if (names.isEmpty()) {
      return List.of();
    }
    Instant now = clock.instant();
    List<Waiting> waiting = store.waiting(tx, namespace, names, RunLists.EXACT_COUNT + 1, now);
    Map<String, ListedQueue.Crew> crews = store.crews(tx, namespace, names);
    Map<String, ListedQueue.Pace> paces = store.paces(tx, namespace, names, now);
    List<ListedQueue> queues = new ArrayList<>();
    for (String name : names) {
      ListedQueue.Crew crew = crews.getOrDefault(name, ListedQueue.Crew.NOBODY);
      List<Waiting> here = waiting.stream().filter(w -> w.taskQueue().equals(name)).toList();
      queues.add(
          new ListedQueue(
              name,
              sum(here, crew.slotsUsed(), waiting.size() == QueueStore.MAX_PAIRS),
              crew,
              paces.getOrDefault(name, ListedQueue.Pace.NONE)));
    }
    return queues;
  }

  /** What waits anywhere, of as many queues as one look may cost. */
  public Backlog backlog() {
    return database.inTransaction(tx -> {
      Instant now = clock.instant();
      List<Backlog.Queue> queues = new ArrayList<>();
      for (Namespace namespace : registry.list(tx, true, "", MAX_NAMESPACES)) {
        int room = MAX_QUEUES - queues.size();
        if (room > 0) {
          queues.addAll(waitingIn(tx, namespace.name(), room, now));
        }
      }
      return new Backlog(queues, stats.schedulesLate(tx, now));
    });
  }

  private List<Backlog.Queue> waitingIn(Transaction tx, String namespace, int room, Instant now) {
    List<String> names = store.names(tx, namespace, true, "", room);
    if (names.isEmpty()) {
      return List.of();
    }
    int countTo = Math.clamp(COUNTED_RUNS / names.size(), 100, RunLists.EXACT_COUNT);
    Map<String, List<Waiting>> waiting =
        store.waiting(tx, namespace, names, countTo, now).stream()
            .collect(Collectors.groupingBy(Waiting::taskQueue));
    Map<String, ListedQueue.Crew> crews = store.crews(tx, namespace, names);
    return names.stream()
        .map(name -> {
          ListedQueue.Runs runs = sum(waiting.getOrDefault(name, List.of()), 0, false);
          Instant oldest = runs.oldestReadyAt();
          return new Backlog.Queue(
              new QueueKey(namespace, name),
              runs.ready(),
              oldest == null ? Duration.ZERO : Duration.between(oldest, now),
              crews.getOrDefault(name, ListedQueue.Crew.NOBODY).online());
        })
        .toList();
  }

  private static ListedQueue.Runs sum(Collection<Waiting> waiting, long running, boolean cutOff) {
    long ready = 0;
    long later = 0;
    long sleeping = 0;
    long retrying = 0;
    Instant oldest = null;
    List<TypeVersion> unserved = new ArrayList<>();
    for (Waiting some : waiting) {
      ready += some.ready();
      later += some.later();
      sleeping += some.sleeping();
      retrying += some.retrying();
      oldest = earlier(oldest, some.oldestReadyAt());
      if (some.ready() > 0 && !some.served()) {
        unserved.add(some.type());
      }
    }
    long limit = RunLists.EXACT_COUNT;
    return new ListedQueue.Runs(
        Math.min(ready, limit),
        oldest,
        Math.min(running, limit),
        Math.min(sleeping, limit),
        Math.min(retrying, limit),
        cutOff || ready > limit || later > limit || running > limit,
        unserved);
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isBefore(other) ? one : other;
  }
}
