package dev.kagzi.e2e.killmatrix;

import dev.kagzi.faults.FaultyDataSource.Moment;
import java.time.Duration;
import java.util.List;

/** A server that dies when it executes a certain statement. */
interface Victim extends AutoCloseable {

  /** How victims are made. */
  interface Maker {
    /**
     * Starts one.
     *
     * @param statement parts of the statement, in their order
     * @param armed whether the statement counts from the start, or only after {@link #arm}
     */
    Victim start(String jdbcUrl, List<String> statement, Moment moment, boolean armed);
  }

  Peer peer();

  void arm();

  boolean awaitDeath(Duration limit) throws InterruptedException;

  /** Removes what is left of it. */
  @Override
  void close();
}
