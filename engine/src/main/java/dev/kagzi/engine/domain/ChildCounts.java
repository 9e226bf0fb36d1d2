package dev.kagzi.engine.domain;

/**
 * How far a fan-out has come.
 *
 * @param complete there will be no more items than these
 */
public record ChildCounts(int items, int started, int ended, boolean complete, int maxConcurrent) {

  /** How many children may be started now, as far as one transaction goes. */
  public int startable(int limit) {
    int room = maxConcurrent == 0 ? limit : maxConcurrent - (started - ended);
    return Math.max(0, Math.min(Math.min(room, limit), items - started));
  }

  /** Whether all children there will ever be have ended. */
  public boolean isOver() {
    return complete && ended == items;
  }
}
