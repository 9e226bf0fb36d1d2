package dev.kagzi.cli.output;

/** How moments are written. */
public enum TimeMode {
  /** {@code 4m ago}, {@code in 22h}. */
  RELATIVE,
  /** RFC 3339 in UTC. */
  ISO
}
