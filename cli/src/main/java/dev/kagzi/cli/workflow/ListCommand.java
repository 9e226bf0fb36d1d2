package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.FilterOptions;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.ListWorkflowsResponse;
import dev.kagzi.v1.WorkflowRun;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists runs. */
@Command(
    name = "list",
    aliases = "ls",
    description = "Lists runs, newest first.",
    footer = "Example: kagzi wf list --status failed --since 1h")
final class ListCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private FilterOptions filter = new FilterOptions();
  @Mixin private PageOptions pages = new PageOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private WatchOptions watch = new WatchOptions();

  @Option(names = "--payloads", description = "Fetches inputs and outputs too, for json and jsonl.")
  private boolean payloads;

  ListCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    watch.print(session, output.printer(session), () -> answer(server));
    return ExitCode.OK.number();
  }

  private Answer answer(Server server) {
    var request =
        ListWorkflowsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setFilter(filter.filter(session))
            .setIncludePayloads(payloads)
            .setIncludeTotalCount(output.isForPeople());
    var response =
        pages.fetch(
            (size, token) ->
                server.workflows(stub ->
                    stub.listWorkflows(request.setPageSize(size).setPageToken(token).build())),
            ListWorkflowsResponse::getPage,
            ListWorkflowsResponse::getRunsCount,
            ListCommand::merge);
    return Answer.list(
        response,
        response.getRunsList(),
        WorkflowRun::getRunId,
        look -> RunTable.text(response.getRunsList(), response.getPage(), look));
  }

  private static ListWorkflowsResponse merge(List<ListWorkflowsResponse> pages) {
    var all = pages.getLast().toBuilder().clearRuns();
    pages.forEach(page -> all.addAllRuns(page.getRunsList()));
    return all.build();
  }
}
