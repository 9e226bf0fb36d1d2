package dev.kagzi.cli.doctor;

import java.util.Locale;

/** Numbers of bytes as people read them. Stateless. */
final class Sizes {
  /** A payload that is larger makes every claim and every list of its run slow. */
  static final long LARGE_PAYLOAD = 1024 * 1024;

  private static final double KILO = 1024;

  private Sizes() {}

  /** {@code 1.0 MB}, {@code 12 kB}, {@code 79.3 GB}. */
  static String words(long bytes) {
    if (bytes < LARGE_PAYLOAD) {
      return "%.0f kB".formatted(Math.ceil(bytes / KILO));
    }
    var megabytes = bytes / KILO / KILO;
    return megabytes < KILO
        ? String.format(Locale.ROOT, "%.1f MB", megabytes)
        : String.format(Locale.ROOT, "%.1f GB", megabytes / KILO);
  }
}
