package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.ComponentHealth;
import dev.kagzi.engine.domain.Health;

/**
 * Looks how full the heap is, garbage included. A collector that has room keeps well away from the
 * limit, so one that is near it works hard, or the server runs out of memory soon. Stateless.
 */
final class MemoryCheck {
  private static final long MUCH_PERCENT = 90;
  private static final long MEGABYTE = 1024 * 1024;

  private MemoryCheck() {}

  /** The heap of this JVM. */
  static ComponentHealth look() {
    Runtime runtime = Runtime.getRuntime();
    return judge(runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory());
  }

  static ComponentHealth judge(long used, long limit) {
    String text = "%d of %d MB of heap in use".formatted(ceil(used), ceil(limit));
    return used * 100 > limit * MUCH_PERCENT
        ? new ComponentHealth("memory", Health.DEGRADED, text + "; give the server more with -Xmx")
        : new ComponentHealth("memory", Health.HEALTHY, text);
  }

  private static long ceil(long bytes) {
    return (bytes + MEGABYTE - 1) / MEGABYTE;
  }
}
