package dev.kagzi.cli.command;

import dev.kagzi.cli.client.CallFailures;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds the run that somebody means: by its id, its external id, or the last digits of its id. */
public final class RunFinder {
  private static final Pattern TAIL = Pattern.compile("[\\p{XDigit}-]{4,35}");
  private static final int ENOUGH = 5;

  private final Server server;

  public RunFinder(Server server) {
    this.server = server;
  }

  /** The id of the run that is meant; a whole id is not looked up. */
  public String find(String meant) {
    return Tails.isWhole(meant)
        ? meant
        : server.during(
            "looking for run '%s'".formatted(meant), () -> byOtherName(meant).getRunId());
  }

  private WorkflowRun byOtherName(String meant) {
    return byExternalId(meant)
        .or(() -> byTail(meant))
        .orElseThrow(() ->
            CommandFailedException.notFound(
                """
                no run '%s' in namespace %s (looked for a run id, an external id and the end of a run id, at least 4 digits of it)
                try: kagzi wf list\
                """
                    .formatted(meant, server.namespace())));
  }

  private Optional<WorkflowRun> byExternalId(String meant) {
    var request =
        GetWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setExternalId(meant)
            .build();
    try {
      return Optional.of(server.workflows(stub -> stub.getWorkflow(request)).getRun());
    } catch (CommandFailedException e) {
      if (e.code() == ExitCode.NOT_FOUND && isAboutTheRun(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static boolean isAboutTheRun(CommandFailedException failure) {
    return CallFailures.reason(failure).equals("RUN_NOT_FOUND");
  }

  private Optional<WorkflowRun> byTail(String meant) {
    if (!TAIL.matcher(meant).matches()) {
      return Optional.empty();
    }
    var found = withTail(meant);
    if (found.size() > 1) {
      throw CommandFailedException.usage(
          "'%s' is the end of several run ids (expected: more digits)%n%s"
              .formatted(
                  meant,
                  found.stream()
                      .limit(ENOUGH)
                      .map(RunFinder::line)
                      .collect(Collectors.joining("\n"))));
    }
    return found.stream().findFirst();
  }

  private static String line(WorkflowRun run) {
    return "  %s  %s  %s"
        .formatted(run.getRunId(), run.getWorkflowType(), Words.of(run.getStatus()));
  }

  /** A page may be short although there is more, because one call looks at so many rows only. */
  private List<WorkflowRun> withTail(String tail) {
    var found = new ArrayList<WorkflowRun>();
    var request =
        ListWorkflowsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setPageSize(ENOUGH)
            .setFilter(WorkflowFilter.newBuilder().setRunIdSuffix(tail));
    while (true) {
      var page = server.workflows(stub -> stub.listWorkflows(request.build()));
      found.addAll(page.getRunsList());
      if (found.size() > 1 || !page.getPage().getHasMore()) {
        return found;
      }
      request.setPageToken(page.getPage().getNextPageToken());
    }
  }

  /** How a run is named in a line. */
  public static String name(WorkflowRun run) {
    return Look.shortId(run.getRunId()) + "  " + run.getWorkflowType();
  }
}
