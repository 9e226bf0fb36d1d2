package dev.kagzi.cli.shell;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells on a terminal how far something is that takes long; says nothing in the first two seconds,
 * and nothing at all where nobody reads it, or where a line cannot be taken back.
 *
 * <p>Whoever works says what he does before he does it. If a single call takes longer than anybody
 * is patient, the line is shown from a thread of its own; nobody else writes to the standard error
 * while there is a line, and a progress within another one says nothing. Thread-safe.
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
  private @Nullable String line;
  private @Nullable Thread waiter;
  private boolean shown;
  private boolean closed;

  Progress(Session session, Duration patience) {
    this.session = session;
    this.patience = patience;
    this.canShow =
        session.terminal().err()
            && !session.variable("TERM").orElse("").equals("dumb")
            && session.statusLine().take(this);
  }

  public Progress(Session session) {
    this(session, PATIENCE);
  }

  /** Does something in one go. */
  public static <R> R during(Session session, String line, Supplier<R> work) {
    try (var progress = new Progress(session)) {
      progress.show(line);
      return work.get();
    }
  }

  /** Shows a line in place of the one before, now or when it is time for one. */
  public synchronized void show(String text) {
    if (!canShow) {
      return;
    }
    line = text;
    if (nanosLeft() <= 0) {
      write(text);
    } else if (waiter == null) {
      waiter = Thread.ofVirtual().start(this::showInTime);
    }
  }

  private long nanosLeft() {
    return patience.toNanos() - (System.nanoTime() - began);
  }

  private synchronized void showInTime() {
    try {
      for (var left = nanosLeft(); left > 0 && !closed; left = nanosLeft()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException nobodyDoesThat) {
      Thread.currentThread().interrupt();
    }
    if (line != null) {
      write(line);
    }
  }

  private void write(String text) {
    session.err().print(ON_ONE_LINE.formatted(text));
    session.err().flush();
    shown = true;
  }

  /** Takes the line away, for something else to be written. */
  public synchronized void clear() {
    line = null;
    if (shown) {
      session.err().print(CLEAR_LINE);
      session.err().flush();
      shown = false;
    }
  }

  @Override
  public synchronized void close() {
    clear();
    session.statusLine().leave(this);
    closed = true;
    notifyAll();
  }
}
