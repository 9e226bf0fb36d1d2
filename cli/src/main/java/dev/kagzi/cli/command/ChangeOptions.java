package dev.kagzi.cli.command;

import com.google.protobuf.Message;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Printer;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags of what changes something and may be regretted. */
public final class ChangeOptions {
  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description =
          "Why; kept with what is cancelled, paused, disabled or drained and with batches, else"
              + " written to the server's log.")
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

  DryRun dryRun() {
    return dryRun;
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

    /** Makes a call and prints its answer, or shows what it would be. */
    public <Q extends Message, R> int apply(
        Session session,
        OutputOptions output,
        Q request,
        Function<Q, R> call,
        Function<R, Answer> answer) {
      made(session, output, request, call, answer);
      return ExitCode.OK.number();
    }

    <Q extends Message, R> Optional<R> made(
        Session session,
        OutputOptions output,
        Q request,
        Function<Q, R> call,
        Function<R, Answer> answer) {
      if (shows(session, request)) {
        return Optional.empty();
      }
      var response = call.apply(request);
      output.printer(session).print(answer.apply(response));
      return Optional.of(response);
    }

    /** Whether it is only to be shown what would be asked of the server; then shows it. */
    public boolean shows(Session session, Message request) {
      if (wanted) {
        var call = request.getDescriptorForType().getName().replaceFirst("Request$", "");
        session.err().println("would call " + call + " with:");
        session.out().println(Printer.json(request));
      }
      return wanted;
    }
  }
}
