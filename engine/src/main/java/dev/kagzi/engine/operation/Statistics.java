package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Stats;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.StatsStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures about the runs of a namespace. Only reads, and not more than it may. Thread-safe. */
public final class Statistics {

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final StatsStore store = new StatsStore();

  public Statistics(Database database, InstantSource clock, Namespaces namespaces) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
  }

  /**
   * What a caller wants.
   *
   * @param workflowType the only type, or null
   * @param taskQueue the only queue, or null
   * @param window how far back
   * @param bucket how long one stretch of time is
   */
  public record Wish(
      String namespace,
      @Nullable String workflowType,
      @Nullable String taskQueue,
      Duration window,
      Duration bucket) {}

  public Stats look(Wish wish) {
    namespaces.requireKnown(wish.namespace());
    Instant now = clock.instant();
    var choice =
        new StatsStore.Choice(
            wish.namespace(), wish.workflowType(), wish.taskQueue(), now.minus(wish.window()), now);
    return database.inTransaction(tx -> {
      Map<RunStatus, Long> live = store.live(tx, choice);
      StatsStore.Whole whole = store.whole(tx, choice);
      long counted = live.values().stream().mapToLong(Long::longValue).sum();
      return new Stats(
          live,
          counted >= StatsStore.MAX_LIVE,
          filled(store.buckets(tx, choice, wish.bucket()), choice.from(), wish),
          whole.summary(),
          store.workersOnline(tx, choice),
          store.schedulesLate(tx, choice),
          whole.countedFrom());
    });
  }

  private static List<Stats.Bucket> filled(
      Map<Integer, Stats.Bucket> found, Instant from, Wish wish) {
    List<Stats.Bucket> buckets = new ArrayList<>();
    Instant end = from.plus(wish.window());
    Instant at = from;
    for (int i = 0; at.isBefore(end); i++) {
      buckets.add(found.getOrDefault(i, Stats.Bucket.empty(at)));
      at = from.plus(wish.bucket().multipliedBy(i + 1L));
    }
    return List.copyOf(buckets);
  }
}
