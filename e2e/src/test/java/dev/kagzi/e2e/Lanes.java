package dev.kagzi.e2e;

/**
 * Tests that keep many processes busy: one of a lane at a time, beside those that mostly wait. Only
 * tests that measure what the machine can do, or take all of it, are {@code @Isolated}.
 */
public final class Lanes {
  /** Servers and workers that are killed under load. */
  public static final String PROCESSES = "processes";

  /** The command as people start it, which starts everything else. */
  public static final String COMMAND = "command";

  private Lanes() {}
}
