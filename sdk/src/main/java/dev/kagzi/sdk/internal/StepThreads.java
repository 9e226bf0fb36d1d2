package dev.kagzi.sdk.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place that decides what kind of thread a step runs on. Each step gets its own, so that a
 * stuck one can be left behind. Virtual threads since Java 24; before, a virtual thread that blocks
 * inside {@code synchronized} keeps its carrier, so steps get platform threads. The system property
 * {@value #OVERRIDE} ({@code virtual} or {@code platform}) overrides it.
 */
final class StepThreads {

  static final String OVERRIDE = "kagzi.step-threads";

  private static final Logger LOG = LoggerFactory.getLogger(StepThreads.class);
  private static final int FIRST_WITHOUT_PINNING = 24;

  private volatile boolean virtual;

  StepThreads() {
    this(System.getProperty(OVERRIDE, ""), Runtime.version().feature());
  }

  StepThreads(String override, int javaVersion) {
    this.virtual =
        switch (override) {
          case "virtual" -> true;
          case "platform" -> false;
          case "" -> javaVersion >= FIRST_WITHOUT_PINNING;
          default ->
              throw new IllegalArgumentException(
                  "%s: '%s' (expected: virtual or platform)".formatted(OVERRIDE, override));
        };
    LOG.debug("Steps run on {} threads", virtual ? "virtual" : "platform");
  }

  /**
   * From now on steps get platform threads. A step that does not heed its interruption may compute
   * without end, and on a virtual thread it would take a carrier with it each time it is tried.
   */
  void avoidCarriers() {
    virtual = false;
  }

  Thread unstarted(String name, Runnable work) {
    Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
    return builder.name(name).unstarted(work);
  }
}
