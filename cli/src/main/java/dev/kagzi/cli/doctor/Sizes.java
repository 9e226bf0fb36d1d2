package dev.kagzi.cli.doctor;

import java.util.Locale;

/** Numbers of bytes as people read them. Stateless. */
final class Sizes {
  /** A payload that is larger makes every claim and every list of its run slow. */
  static final long LARGE_PAYLOAD = 1024 * 1024;

  private static final double KILO = 1024;

  private Sizes() {}

  /** {@code 1.0 MB}, {@code 12 kB}. */
  static String words(long bytes) {
    return bytes < LARGE_PAYLOAD
        ? "%.0f kB".formatted(Math.ceil(bytes / KILO))
        : String.format(Locale.ROOT, "%.1f MB", bytes / KILO / KILO);
  }
}
