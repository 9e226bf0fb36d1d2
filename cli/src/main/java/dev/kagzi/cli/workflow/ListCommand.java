package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.FilterOptions;
import dev.kagzi.cli.command.ListOptions;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.ListWorkflowsResponse;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
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

  @Mixin private FilterOptions filter = new FilterOptions();
  @Mixin private ListOptions list = new ListOptions();

  @Option(names = "--payloads", description = "Fetches inputs and outputs too, for json and jsonl.")
  private boolean payloads;

  private WorkflowFilter selected = WorkflowFilter.getDefaultInstance();

  ListCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = list.open(session);
    return list.print(
        session,
        server,
        (size, token) -> page(server, size, token),
        new ListOptions.Rows<>(
            ListWorkflowsResponse::getRunsList,
            WorkflowRun::getRunId,
            (response, look) -> RunTable.text(response.getRunsList(), response.getPage(), look)));
  }

  /** "An hour ago" moves from look to look, and not from page to page. */
  private ListWorkflowsResponse page(Server server, int size, String token) {
    if (token.isEmpty()) {
      selected = filter.filter(session, server);
    }
    var request =
        ListWorkflowsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setFilter(selected)
            .setIncludePayloads(payloads)
            .setIncludeTotalCount(list.isForPeople())
            .setPageSize(size)
            .setPageToken(token)
            .build();
    return server.workflows(stub -> stub.listWorkflows(request));
  }
}
