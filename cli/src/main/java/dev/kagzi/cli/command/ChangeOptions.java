package dev.kagzi.cli.command;

import com.google.protobuf.Message;
import dev.kagzi.cli.output.Printer;
import dev.kagzi.cli.shell.Session;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags of what changes something and may be regretted. */
public final class ChangeOptions {
  @Option(names = "--reason", paramLabel = "TEXT", description = "Why; it is kept.")
  private String reason = "";

  @Option(
      names = {"-y", "--yes"},
      description = "Does not ask; needed where nobody can be asked.")
  private boolean yes;

  @Mixin private DryRun dryRun = new DryRun();

  public String reason() {
    return reason;
  }

  public boolean isDryRun() {
    return dryRun.isWanted();
  }

  /** Whether it is only to be shown what would be asked of the server; then shows it. */
  public boolean shows(Session session, String call, Message request) {
    return dryRun.shows(session, call, request);
  }

  /** Asks, unless the answer is known. */
  public void confirm(Session session, String question) {
    if (!yes) {
      Confirmation.ask(session, question);
    }
  }

  /** {@code --dry-run} alone, for what takes no reason. */
  public static final class DryRun {
    @Option(names = "--dry-run", description = "Shows what would be done, and does nothing.")
    private boolean wanted;

    public boolean isWanted() {
      return wanted;
    }

    public boolean shows(Session session, String call, Message request) {
      if (wanted) {
        session.err().println("would call " + call + " with:");
        session.out().println(Printer.json(request));
      }
      return wanted;
    }
  }
}
