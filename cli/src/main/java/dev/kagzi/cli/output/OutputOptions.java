package dev.kagzi.cli.output;

import dev.kagzi.cli.shell.Session;
import picocli.CommandLine.Option;

/** The flags that say how an answer looks; the same for every command that asks a server. */
public final class OutputOptions {
  private static final String NO_COLOUR_VARIABLE = "NO_COLOR";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "table, json (the server's answer untouched), jsonl, ids or none.")
  private Format format = Format.TABLE;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      description = "auto (on a terminal, unless NO_COLOR is set), always or never.")
  private ColourMode colour = ColourMode.AUTO;

  @Option(
      names = "--time",
      paramLabel = "FORM",
      description = "relative (4m ago) or iso (RFC 3339 in UTC).")
  private TimeMode time = TimeMode.RELATIVE;

  /** A printer for the standard output. */
  public Printer printer(Session session) {
    return new Printer(session, format, () -> look(session, session.terminal().out()));
  }

  /** How texts on the standard error look, such as the progress of a run. */
  public Look errorLook(Session session) {
    return look(session, session.terminal().err());
  }

  /** How texts on the standard output look that are no answer of a server's. */
  public Look look(Session session) {
    return look(session, session.terminal().out());
  }

  public Format format() {
    return format;
  }

  /** Whether a person is to read the answer. */
  public boolean isForPeople() {
    return format == Format.TABLE;
  }

  private Look look(Session session, boolean terminal) {
    return new Look(Paint.of(isColoured(session, terminal)), time, session.now());
  }

  private boolean isColoured(Session session, boolean terminal) {
    return switch (colour) {
      case ALWAYS -> true;
      case NEVER -> false;
      case AUTO -> terminal && session.variable(NO_COLOUR_VARIABLE).isEmpty();
    };
  }
}
