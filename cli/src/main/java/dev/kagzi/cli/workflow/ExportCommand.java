package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.sdk.client.KagziClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a history in the form that replays read. */
@Command(
    name = "export",
    description = "Writes the history of a run as JSON, for replay tests and bug reports.",
    footer = "Example: kagzi wf export order-42 --to src/test/resources/order-42.json")
final class ExportCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private RunArgument run = new RunArgument();

  @Option(
      names = "--to",
      paramLabel = "FILE",
      description = "Where to write it. Default: the standard output.")
  private @Nullable Path file;

  ExportCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var runId = run.find(session, server);
    // The run must be there, or the SDK would speak of it in its own words.
    new Runs(server).get(runId, false);
    try (var sdk =
        KagziClient.builder(server.settings().address().value())
            .namespace(server.namespace())
            .connect()) {
      write(
          Progress.during(
              session,
              "fetching the history of " + Look.shortId(runId),
              () -> sdk.handle(runId).exportHistory()));
    }
    return ExitCode.OK.number();
  }

  private void write(String history) {
    if (file == null) {
      session.out().println(history);
      return;
    }
    try {
      Files.writeString(session.folder().resolve(file), history + "\n");
    } catch (IOException e) {
      throw new CommandFailedException("--to %s cannot be written: %s".formatted(file, e));
    }
  }
}
