package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.CallFailures;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ListOptions;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.command.Payloads;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.config.Suggestion;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.GetStepRequest;
import dev.kagzi.v1.GetStepResponse;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListStepsResponse;
import dev.kagzi.v1.Step;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The steps of a run. */
@Command(
    name = "step",
    description = "Lists the steps of a run, or shows one with every attempt.",
    footer = "Example: kagzi step show order-42 charge")
public final class StepCommand {
  private final Session session;

  public StepCommand(Session session) {
    this.session = session;
  }

  @Command(
      name = "list",
      description = "Lists the steps of a run in call order.",
      footer = "Example: kagzi step list order-42 --attempts")
  int list(
      @Mixin ListOptions list,
      @Parameters(paramLabel = "RUN", description = RunArgument.DESCRIPTION) String run,
      @Option(names = "--attempts", description = "A row per attempt rather than per step.")
          boolean attempts) {
    var server = list.open(session);
    var request =
        ListStepsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(RunArgument.find(session, server, run))
            .setAllAttempts(attempts)
            .setIncludePayloads(true);
    return list.print(
        session,
        server,
        (size, token) ->
            server.admin(
                stub -> stub.listSteps(request.setPageSize(size).setPageToken(token).build())),
        new ListOptions.Rows<>(
            ListStepsResponse::getStepsList,
            Step::getStepKey,
            (response, look) ->
                StepTable.text(response.getStepsList(), look)
                    + PageOptions.footer(response.getStepsCount(), "step", response.getPage())));
  }

  @Command(
      name = "show",
      description = "Shows a step: input, output, and every attempt with its stack trace.",
      footer = "Example: kagzi step show order-42 charge")
  int show(
      @Mixin ShowOptions show,
      @Parameters(paramLabel = "RUN", description = RunArgument.DESCRIPTION) String run,
      @Parameters(paramLabel = "STEP", description = "Its key, as lists show it.") String step,
      @Option(
              names = "--attempt",
              paramLabel = "N",
              defaultValue = "0",
              description = "Only this attempt. Default: the latest, and all others below it.")
          int attempt) {
    var server = show.open(session);
    var request =
        GetStepRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(RunArgument.find(session, server, run))
            .setStepKey(step)
            .setAttempt(attempt)
            .build();
    return show.print(
        session,
        () -> {
          var response = get(server, request);
          return Answer.one(response, step, look -> text(response, attempt > 0, look));
        });
  }

  private static GetStepResponse get(Server server, GetStepRequest request) {
    try {
      return server.admin(stub -> stub.getStep(request));
    } catch (CommandFailedException failure) {
      throw CallFailures.reason(failure).equals("STEP_NOT_FOUND") && request.getAttempt() == 0
          ? unknown(server, request)
          : failure;
    }
  }

  private static CommandFailedException unknown(Server server, GetStepRequest request) {
    var keys =
        new Runs(server)
            .steps(request.getRunId(), false, false).stream().map(Step::getStepKey).toList();
    var id = Look.shortId(request.getRunId());
    return CommandFailedException.notFound(
        "run %s has no step '%s'%s; kagzi step list %1$s shows %s"
            .formatted(
                id,
                request.getStepKey(),
                Suggestion.nearest(request.getStepKey(), keys)
                    .map(" (did you mean '%s'?)"::formatted)
                    .orElse(""),
                Words.count(keys.size(), "step")));
  }

  private static String text(GetStepResponse response, boolean alone, Look look) {
    var step = response.getStep();
    var text = new StringBuilder();
    text.append(
        "%s   run %s   %s   %s%n"
            .formatted(
                look.paint().strong(step.getStepKey()),
                Look.shortId(step.getRunId()),
                StepTable.kind(step.getKind()),
                look.status(step.getStatus())));
    addPayload(text, "input ", Payloads.text(step.getInput()));
    addPayload(text, "output", Payloads.text(step.getOutput()));
    var attempts = alone ? List.of(step) : response.getAttemptsList();
    var traces = new HashMap<ErrorDetail, Integer>();
    for (var each : attempts) {
      text.append('\n').append(attempt(each, look)).append(error(each, traces, look));
    }
    return text.toString();
  }

  /** A trace that was printed already is not worth another screen. */
  private static String error(Step step, Map<ErrorDetail, Integer> printed, Look look) {
    if (!step.hasError()) {
      return "";
    }
    var before = printed.putIfAbsent(step.getError(), step.getAttempt());
    return before == null
        ? RunText.error(step.getError(), look)
        : "%s   (as in attempt %d)%n"
            .formatted(look.paint().bad(Payloads.line(step.getError())), before);
  }

  private static void addPayload(StringBuilder text, String name, String value) {
    if (!value.isEmpty()) {
      text.append(name).append("  ").append(value).append('\n');
    }
  }

  private static String attempt(Step step, Look look) {
    return "attempt %d  %s  %s  took %s  worker %s%s%n"
        .formatted(
            step.getAttempt(),
            look.status(step.getStatus()),
            look.at(step.getStartedAt()),
            look.took(step.getStartedAt(), step.getFinishedAt()),
            Look.shortId(step.getWorkerId()),
            look.isAhead(step.getRetryAt()) ? "  next try " + look.at(step.getRetryAt()) : "");
  }
}
