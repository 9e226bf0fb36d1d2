package dev.kagzi.cli.shell;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The one line of a terminal that tells what is going on. Who took it first keeps it: what a whole
 * command does says more than what one of its calls does. Thread-safe.
 */
public final class StatusLine {
  private final AtomicReference<@Nullable Progress> owner = new AtomicReference<>();

  boolean take(Progress progress) {
    return owner.compareAndSet(null, progress);
  }

  void leave(Progress progress) {
    owner.compareAndSet(progress, null);
  }
}
