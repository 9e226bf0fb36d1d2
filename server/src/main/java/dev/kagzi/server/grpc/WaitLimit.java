package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import java.util.concurrent.Semaphore;

/** How many callers may wait at this server at the same time. Thread-safe. */
final class WaitLimit {

  static final int MAX_WAITING = 20_000;

  private final Semaphore free = new Semaphore(MAX_WAITING);

  /** Lets a caller in, who must {@link #leave}. */
  void enter() {
    if (!free.tryAcquire()) {
      throw new EngineException(
          ErrorCode.OVERLOADED, "%d callers wait here already".formatted(MAX_WAITING));
    }
  }

  void leave() {
    free.release();
  }
}
