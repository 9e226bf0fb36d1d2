package dev.kagzi.cli.output;

/** The forms in which an answer can be printed. */
public enum Format {
  /** For people. */
  TABLE,
  /** The server's answer as protobuf JSON, untouched. */
  JSON,
  /** The same on one line; one line per row of a list. */
  JSONL,
  /** Full ids, one per line, for the next command of a pipe. */
  IDS,
  /** Nothing but the exit code. */
  NONE
}
