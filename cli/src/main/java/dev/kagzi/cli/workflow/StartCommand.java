package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Starts a run and prints its id, and nothing else, for scripts to take. */
@Command(
    name = "start",
    description = "Starts a run and prints its id.",
    footer = "Example: kagzi wf start process-order '{\"order\":42}' --id order-42")
final class StartCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private StartOptions start = new StartOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ChangeOptions.DryRun dryRun = new ChangeOptions.DryRun();

  StartCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var request = start.request(session, server);
    if (!dryRun.shows(session, request)) {
      var response = start(session, server, request);
      output
          .printer(session)
          .print(Answer.one(response, response.getRunId(), look -> response.getRunId() + "\n"));
    }
    return ExitCode.OK.number();
  }

  /** Starts a run, and tells what a person should know beside its id. */
  static StartWorkflowResponse start(Session session, Server server, StartWorkflowRequest request) {
    try {
      var response = server.workflows(stub -> stub.startWorkflow(request));
      tell(session, response);
      return response;
    } catch (CancellationException told) {
      session.err().println("the run may have been started: " + look(request));
      throw told;
    }
  }

  /** The command that finds a run whose id nobody has heard of. */
  private static String look(StartWorkflowRequest request) {
    return request.getExternalId().isEmpty()
        ? "kagzi wf list --type %s --since 1m".formatted(request.getWorkflowType())
        : "kagzi wf show " + request.getExternalId();
  }

  private static void tell(Session session, StartWorkflowResponse response) {
    if (response.getAlreadyExists()) {
      session
          .err()
          .println(
              "nothing was started: the run with this id is " + Words.of(response.getStatus()));
    }
    response.getWarningsList().forEach(session.err()::println);
  }
}
