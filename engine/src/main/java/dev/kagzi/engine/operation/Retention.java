package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.PartitionStore;
import dev.kagzi.engine.store.RetentionStore;
import dev.kagzi.engine.store.RetentionStore.Cutoff;
import dev.kagzi.engine.store.RunListStore;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes ended runs that have been kept long enough. A day of which nothing has to stay is removed
 * as a whole, which costs the same however many runs it has; from other days the old runs are
 * deleted in pages. Everything may be broken off anywhere and done again, also by several servers.
 */
public final class Retention {

  private static final Logger log = LoggerFactory.getLogger(Retention.class);
  private static final int PAGE = 1000;

  /** So that a turn ends: what is left is for the next one. */
  private static final int MOST_PAGES = 200;

  private final Database database;
  private final int defaultDays;
  private final PartitionStore partitions = new PartitionStore();
  private final RetentionStore store = new RetentionStore();
  private final RunListStore runs = new RunListStore();

  /**
   * Keeps what namespaces say.
   *
   * @param defaultDays for those that say nothing; 0 means for ever
   */
  public Retention(Database database, int defaultDays) {
    this.database = database;
    this.defaultDays = defaultDays;
  }

  /** What one turn removed. */
  public record Removed(int days, int runs) {}

  /** Removes what may go. What could not be removed is told by a failure after all the rest. */
  public Removed prune(Instant now) {
    List<Cutoff> cutoffs = database.inTransaction(tx -> store.cutoffs(tx, defaultDays, now));
    Set<LocalDate> begun = database.inTransaction(partitions::leaving);
    List<DatabaseException> failures = new ArrayList<>();
    int days = 0;
    int deleted = 0;
    for (LocalDate day : database.inTransaction(partitions::days)) {
      List<Cutoff> over = cutoffs.stream().filter(cutoff -> isOver(day, cutoff)).toList();
      if (begun.contains(day) || (!over.isEmpty() && mayGo(day, cutoffs))) {
        days += removed(day, failures) ? 1 : 0;
      } else if (deleted < MOST_PAGES * PAGE) {
        deleted += deleteFrom(day, over);
      }
    }
    cutoffs.forEach(this::deleteRecords);
    deleteTicksOfTheGone();
    if (days + deleted > 0) {
      log.info("retention has removed {} days as a whole, and {} runs of others", days, deleted);
    }
    if (!failures.isEmpty()) {
      throw failures.getLast();
    }
    return new Removed(days, deleted);
  }

  /**
   * Whether the day had ended when something had to have ended to go: one that had not is left
   * alone, so that it can go as a whole later. So runs stay for up to a day longer than they must.
   */
  private static boolean isOver(LocalDate day, Cutoff cutoff) {
    return !day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().isAfter(cutoff.before());
  }

  private boolean mayGo(LocalDate day, List<Cutoff> cutoffs) {
    return database.inTransaction(
        tx -> !store.hasLiveRuns(tx, day) && !store.mustStay(tx, day, cutoffs));
  }

  /** A day that cannot go keeps no other from going; the next turn finds it again. */
  private boolean removed(LocalDate day, List<DatabaseException> failures) {
    try {
      return remove(day);
    } catch (DatabaseException failure) {
      // As a rule another server was faster.
      if (database.inTransaction(partitions::days).contains(day)) {
        failures.add(failure);
      }
      return false;
    }
  }

  /**
   * First nobody can find the runs of the day any more; only then is it certain that none of them
   * is brought back to life, and that what belongs to them belongs to nobody.
   */
  private boolean remove(LocalDate day) {
    partitions.detachRuns(database, day);
    boolean revived =
        database.inTransaction(tx -> {
          boolean live = store.hasLiveRuns(tx, day);
          if (live) {
            partitions.attachRuns(tx, day);
          }
          return live;
        });
    if (revived) {
      return false;
    }
    while (database.inTransaction(tx -> store.deleteBelongings(tx, day, PAGE)) > 0) {
      log.debug("what belonged to the runs of {} is being deleted", day);
    }
    partitions.drop(database, day);
    return true;
  }

  private int deleteFrom(LocalDate day, List<Cutoff> cutoffs) {
    int deleted = 0;
    for (Cutoff cutoff : cutoffs) {
      int page = PAGE;
      while (page == PAGE && deleted < MOST_PAGES * PAGE) {
        page =
            database.inTransaction(tx -> {
              List<RunId> old = store.oldRuns(tx, day, cutoff, PAGE);
              return old.isEmpty() ? 0 : runs.delete(tx, cutoff.namespace(), old);
            });
        deleted += page;
      }
    }
    return deleted;
  }

  /** Old batches, and old ticks of schedules. */
  private void deleteRecords(Cutoff cutoff) {
    int pages = 0;
    while (pages < MOST_PAGES && database.inTransaction(tx -> deletePage(tx, cutoff)) > 0) {
      pages++;
    }
  }

  private int deletePage(Transaction tx, Cutoff cutoff) {
    int ofBatches = store.deleteBatches(tx, cutoff, PAGE);
    List<RunId> schedules = store.lockWithOldFirings(tx, cutoff, PAGE);
    return schedules.isEmpty()
        ? ofBatches
        : ofBatches + store.deleteFirings(tx, schedules, cutoff, PAGE);
  }

  /** Ticks of deleted schedules, however old; many schedules of few ticks are many turns' work. */
  private void deleteTicksOfTheGone() {
    int pages = 0;
    for (RunId schedule : database.inTransaction(tx -> store.findGone(tx, MOST_PAGES))) {
      while (pages < MOST_PAGES
          && database.inTransaction(tx -> store.deleteFiringsOf(tx, schedule, PAGE)) > 0) {
        pages++;
      }
    }
  }
}
