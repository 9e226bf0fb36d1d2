package dev.kagzi.e2e.recovery;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What the tests measured, printed so that it can be found in the output of a build. */
public final class Figures {

  private Figures() {}

  public static void print(String name, Object value) {
    System.out.println("figure: " + name + " " + value);
  }

  /** Prints and returns the time since a reading of {@link System#nanoTime}. */
  public static double printSeconds(String name, long sinceNanos) {
    return printSeconds(name, Duration.ofNanos(System.nanoTime() - sinceNanos));
  }

  public static double printSeconds(String name, Duration duration) {
    double seconds = (double) duration.toNanos() / TimeUnit.SECONDS.toNanos(1);
    print(name, String.format(Locale.ROOT, "%.2f s", seconds));
    return seconds;
  }
}
