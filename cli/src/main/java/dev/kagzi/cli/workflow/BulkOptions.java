package dev.kagzi.cli.workflow;

import dev.kagzi.cli.batch.BatchProgress;
import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.FilterOptions;
import dev.kagzi.cli.command.Ids;
import dev.kagzi.cli.command.RunFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.WorkflowFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What a verb acts on: runs that are named, one after the other with a result for each, or all that
 * match a filter, as a batch of the server.
 */
final class BulkOptions {
  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private FilterOptions filter = new FilterOptions();
  @Mixin private ChangeOptions change = new ChangeOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Parameters(
      arity = "0..*",
      paramLabel = "RUN",
      description = "Runs by id, external id or the end of an id; - reads them. Or use a filter.")
  private List<String> runs = new ArrayList<>();

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "With a filter: so many runs per second at most.")
  private double rate;

  @Option(
      names = "--detach",
      description = "With a filter: starts the batch and does not follow it.")
  private boolean detach;

  /**
   * What is done to each run.
   *
   * @param word what it is called, such as {@code cancel}
   * @param isGrave whether to ask even for one run
   * @param one does it to one run
   */
  record Verb(String word, BatchOperation operation, boolean terminate, boolean isGrave, One one) {}

  /** Acts on one run. */
  @FunctionalInterface
  interface One {
    Answer act(Server server, String runId, String reason);
  }

  int run(Session session, Verb verb) {
    var server = client.open(session);
    var selection = filter.filter(session, server);
    var filtered = !selection.equals(WorkflowFilter.getDefaultInstance());
    if (filtered != runs.isEmpty()) {
      throw CommandFailedException.usage(
          filtered
              ? "name runs or select them by flags, not both"
              : "%s what? (expected: runs, -, or a filter such as --status failed --since 1h)"
                  .formatted(verb.word()));
    }
    return filtered
        ? batch(session, server, verb, selection)
        : oneByOne(session, server, verb, Ids.read(session, runs));
  }

  private int oneByOne(Session session, Server server, Verb verb, List<String> meant) {
    if (verb.isGrave() || meant.size() > 1 || runs.contains(Ids.STANDARD_INPUT)) {
      askUnlessDry(session, "%s %s".formatted(verb.word(), Words.count(meant.size(), "run")));
    }
    var finder = new RunFinder(server);
    var printer = output.printer(session);
    var worst = ExitCode.OK;
    var done = 0;
    try (var progress = new Progress(session)) {
      for (var run : meant) {
        progress.show("%s: %d of %d runs".formatted(verb.word(), done++, meant.size()));
        try {
          var runId = finder.find(run);
          if (change.isDryRun()) {
            progress.clear();
            session.out().println("would %s %s".formatted(verb.word(), runId));
            continue;
          }
          var answer = verb.one().act(server, runId, change.reason());
          progress.clear();
          printer.print(answer);
        } catch (CommandFailedException e) {
          progress.clear();
          (run + ": " + e.getMessage())
              .lines()
              .forEach(line -> session.err().println("kagzi: " + line));
          worst = worst == ExitCode.OK ? e.code() : worst;
        }
      }
    }
    return worst.number();
  }

  private void askUnlessDry(Session session, String question) {
    if (!change.isDryRun()) {
      change.confirm(session, question);
    }
  }

  private int batch(Session session, Server server, Verb verb, WorkflowFilter selection) {
    var request =
        StartBatchRequest.newBuilder()
            .setNamespace(server.namespace())
            .setOperation(verb.operation())
            .setFilter(selection)
            .setReason(change.reason())
            .setRatePerSecond(rate)
            .setTerminate(verb.terminate());
    var counted =
        server.workflows(stub -> stub.startBatch(request.clone().setDryRun(true).build()));
    var total = counted.getBatch().getTotal();
    var shown = (counted.getTotalIsLowerBound() ? "at least " : "") + Words.count(total, "run");
    if (total == 0 || change.isDryRun()) {
      output
          .printer(session)
          .print(
              new Answer(
                  counted,
                  List.of(counted),
                  List.of(),
                  look -> "would %s %s%n".formatted(verb.word(), shown)));
      return ExitCode.OK.number();
    }
    change.confirm(session, "%s %s".formatted(verb.word(), shown));
    var batchId = start(session, server, request.setRequestId(server.newId()).build());
    return new BatchProgress(session, server, output).follow(batchId, detach);
  }

  private static String start(Session session, Server server, StartBatchRequest request) {
    try {
      return server.workflows(stub -> stub.startBatch(request)).getBatch().getBatchId();
    } catch (CancellationException told) {
      session.err().println("the batch may have been started: kagzi batch list");
      throw told;
    }
  }
}
