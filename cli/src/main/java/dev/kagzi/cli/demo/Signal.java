package dev.kagzi.cli.demo;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What a worker of the demonstration tells its parent, one line each. Immutable.
 *
 * @param step the step it is about, empty if it is about none
 */
record Signal(Kind kind, String step) {
  private static final String PREFIX = "demo-signal ";

  /** What happened in the worker. */
  enum Kind {
    /** The worker begins a pass over the workflow. */
    CLAIMED,
    /** A step's side effect has happened. */
    EXECUTED,
    /** A step's recorded result was taken. */
    REPLAYED,
    /** The worker stands between two steps, and waits to be killed. */
    WAITING
  }

  static Signal of(Kind kind) {
    return new Signal(kind, "");
  }

  String line() {
    return (PREFIX + kind.name().toLowerCase(Locale.ROOT) + " " + step).strip();
  }

  /** Reads a line; empty if it is something else that the worker printed. */
  static Optional<Signal> parse(String line) {
    if (!line.startsWith(PREFIX)) {
      return Optional.empty();
    }
    var words = line.substring(PREFIX.length()).split(" ", 2);
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.name().equalsIgnoreCase(words[0]))
        .map(kind -> new Signal(kind, words.length == 2 ? words[1] : ""))
        .findFirst();
  }
}
