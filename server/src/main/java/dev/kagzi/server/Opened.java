package dev.kagzi.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a start has opened so far; closed in reverse order, unless it is kept. */
final class Opened implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Opened.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  /** The start has succeeded. */
  void keep() {
    parts.clear();
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception failure) {
        log.warn("could not close after a failed start: {}", failure.toString());
      }
    }
  }
}
