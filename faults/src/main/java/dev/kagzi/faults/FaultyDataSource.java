package dev.kagzi.faults;

import dev.kagzi.faults.Fault.Action;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Loses connections in transactions with a certain statement, as when a server or its database
 * dies: really, by closing the socket, and at a moment that a seeded random chooses. The caller
 * cannot tell one moment from another.
 */
public final class FaultyDataSource {

  /** When something goes wrong. */
  public enum Moment {
    /** The statement never reaches the database. */
    BEFORE_THE_STATEMENT,
    /** The statement is done and will be undone. */
    AFTER_THE_STATEMENT,
    /** The same, with all that followed it in its transaction. */
    BEFORE_THE_COMMIT,
    /** It is done for good, but nobody says so. */
    AFTER_THE_COMMIT
  }

  private static final Moment[] MOMENTS = Moment.values();

  private final String marker;
  private final Random random;
  private final PlannedFaults faults;
  private int left;
  private boolean insisting;

  /**
   * @param marker a part of the statement
   * @param losses how many there will be in all; then it is a data source as any other
   */
  public FaultyDataSource(DataSource target, String marker, long seed, int losses) {
    this.marker = marker;
    this.random = new Random(seed);
    this.left = losses;
    this.faults = new PlannedFaults(target, this::draw);
  }

  public DataSource dataSource() {
    return faults.dataSource();
  }

  /** From now on every such transaction is hit, until told otherwise; else two of three. */
  public synchronized void insist(boolean always) {
    insisting = always;
  }

  public synchronized boolean isSpent() {
    return left == 0;
  }

  /** How many connections were lost at each moment. */
  public Map<Moment, Integer> losses() {
    Map<Moment, Integer> losses = new EnumMap<>(Moment.class);
    faults.hits().forEach((fault, times) -> losses.put(fault.moment(), times));
    return losses;
  }

  private synchronized @Nullable Fault draw(String sql) {
    if (!sql.contains(marker) || left == 0 || (random.nextInt(3) == 0 && !insisting)) {
      return null;
    }
    left--;
    return new Fault(MOMENTS[random.nextInt(MOMENTS.length)], Action.LOSE_CONNECTION);
  }
}
