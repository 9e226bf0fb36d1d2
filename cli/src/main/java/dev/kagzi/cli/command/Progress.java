package dev.kagzi.cli.command;

import dev.kagzi.cli.shell.Session;
import java.time.Duration;

/**
 * Tells on a terminal how far something is that takes long; says nothing in the first two seconds,
 * and nothing at all where nobody reads it. Not thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final Session session;
  private final long began = System.nanoTime();
  private boolean shown;

  public Progress(Session session) {
    this.session = session;
  }

  /** Shows a line in place of the one before. */
  public void show(String line) {
    var elapsed = Duration.ofNanos(System.nanoTime() - began);
    if (session.terminal().err() && elapsed.compareTo(PATIENCE) >= 0) {
      session.err().print(CLEAR_LINE + line);
      session.err().flush();
      shown = true;
    }
  }

  /** Takes the line away, for something else to be written. */
  public void clear() {
    if (shown) {
      session.err().print(CLEAR_LINE);
      session.err().flush();
      shown = false;
    }
  }

  @Override
  public void close() {
    clear();
  }
}
