package dev.kagzi.cli.shell;

import java.util.Arrays;
import java.util.stream.Collectors;

/** How the command ends, for scripts. The numbers are stable. */
public enum ExitCode {
  OK(0, "ok"),
  ERROR(1, "error"),
  USAGE(2, "wrong usage or configuration"),
  AUTH(3, "not allowed"),
  NOT_FOUND(4, "not found"),
  RUN_FAILED(5, "the run failed"),
  TIMED_OUT(6, "timed out waiting"),
  /** Given by the JVM itself, as 143 is after SIGTERM. */
  INTERRUPTED(130, "interrupted");

  private final int number;
  private final String meaning;

  ExitCode(int number, String meaning) {
    this.number = number;
    this.meaning = meaning;
  }

  public int number() {
    return number;
  }

  /** All numbers with their meanings, for help texts. */
  public static String table() {
    return Arrays.stream(values())
        .map(code -> code.number + " " + code.meaning)
        .collect(Collectors.joining(", "));
  }
}
