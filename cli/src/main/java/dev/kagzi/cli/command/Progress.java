package dev.kagzi.cli.command;

import dev.kagzi.cli.shell.Session;
import java.time.Duration;

/**
 * Tells on a terminal how far something is that takes long; says nothing in the first two seconds,
 * and nothing at all where nobody reads it, or where a line cannot be taken back. Not thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final String CLEAR_LINE = "\r\u001b[K";

  /** Cut off at the edge, because what is wrapped could not be taken back. */
  private static final String ON_ONE_LINE = CLEAR_LINE + "\u001b[?7l%s\u001b[?7h";

  private final Session session;
  private final Duration patience;
  private final boolean canShow;
  private final long began = System.nanoTime();
  private boolean shown;

  Progress(Session session, Duration patience) {
    this.session = session;
    this.patience = patience;
    this.canShow = session.terminal().err() && !session.variable("TERM").orElse("").equals("dumb");
  }

  public Progress(Session session) {
    this(session, PATIENCE);
  }

  /** Shows a line in place of the one before. */
  public void show(String line) {
    var elapsed = Duration.ofNanos(System.nanoTime() - began);
    if (canShow && elapsed.compareTo(patience) >= 0) {
      session.err().print(ON_ONE_LINE.formatted(line));
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
