package dev.kagzi.engine.operation;

import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.PartitionStore;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sees to it that the day a run id points to has its partitions before the id is used: ahead of
 * time as a rule, on the spot when time jumps.
 */
public final class Partitions {

  private static final int DAYS_AHEAD = 7;

  private final Database database;
  private final PartitionStore store = new PartitionStore();
  private final Set<LocalDate> known = ConcurrentHashMap.newKeySet();

  public Partitions(Database database) {
    this.database = database;
  }

  /** Makes yesterday's to next week's partitions, as far as they are missing. */
  public void makeAhead(Instant now) {
    LocalDate today = dayOf(now);
    for (int day = -1; day <= DAYS_AHEAD; day++) {
      make(today.plusDays(day));
    }
  }

  /** Makes the partitions of the day of a run id, if need be. */
  public void requireFor(Instant mintedAt) {
    LocalDate day = dayOf(mintedAt);
    if (!known.contains(day)) {
      make(day);
    }
  }

  /** Another database answers, which may not have what the last one had. */
  public void forget() {
    known.clear();
  }

  private void make(LocalDate day) {
    if (known.contains(day)) {
      return;
    }
    database.inTransaction(tx -> {
      store.createDay(tx, day);
      return true;
    });
    known.add(day);
  }

  private static LocalDate dayOf(Instant moment) {
    return moment.atZone(ZoneOffset.UTC).toLocalDate();
  }
}
