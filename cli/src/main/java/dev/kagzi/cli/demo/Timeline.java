package dev.kagzi.cli.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Prints what happens, with the time since the beginning. */
final class Timeline {
  private final PrintStream out;
  private final long began;

  Timeline(PrintStream out, long beganNanos) {
    this.out = out;
    this.began = beganNanos;
  }

  void say(long nanos, String what) {
    out.printf(Locale.ROOT, "  %6.2f s  %s%n", seconds(nanos - began), what);
    out.flush();
  }

  static double seconds(long nanos) {
    return (double) nanos / TimeUnit.SECONDS.toNanos(1);
  }
}
