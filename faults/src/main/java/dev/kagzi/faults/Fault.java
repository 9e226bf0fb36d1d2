package dev.kagzi.faults;

import dev.kagzi.faults.FaultyDataSource.Moment;

/**
 * Something that goes wrong around a statement.
 *
 * @param moment when; about a commit, before and after the statement mean before and after it
 * @param action what
 */
public record Fault(Moment moment, Action action) {

  /** What goes wrong. */
  public enum Action {
    /** The socket is closed, and the caller told so. */
    LOSE_CONNECTION,
    /** Nothing but a pause. */
    DELAY,
    /** The database's side of the connection ends, as by an operator. */
    KILL_BACKEND,
    /** Whoever uses the data source dies: all connections are cut off, and it gets no others. */
    DIE,
    /** The process ends on the spot. */
    HALT
  }
}
