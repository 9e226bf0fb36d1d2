package dev.kagzi.cli.output;

/** When to use colours. */
public enum ColourMode {
  /** On a terminal, unless {@code NO_COLOR} is set. */
  AUTO,
  ALWAYS,
  NEVER
}
