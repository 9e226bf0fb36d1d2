package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.FilterOptions;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.CountGroup;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.CountWorkflowsResponse;
import dev.kagzi.v1.CountWorkflowsResponse.Group;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Counts runs. */
@Command(
    name = "count",
    description = "Counts runs, in groups if wanted; exact to 10,000.",
    footer = "Example: kagzi wf count --group-by error --since 1h")
final class CountCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ShowOptions show = new ShowOptions();
  @Mixin private FilterOptions filter = new FilterOptions();

  @Option(
      names = "--group-by",
      paramLabel = "WHAT",
      description = "status, type, queue, version or error.")
  private @Nullable GroupBy groupBy;

  /** What runs can be counted by. */
  private enum GroupBy {
    STATUS(CountGroup.COUNT_GROUP_STATUS),
    TYPE(CountGroup.COUNT_GROUP_WORKFLOW_TYPE),
    QUEUE(CountGroup.COUNT_GROUP_TASK_QUEUE),
    VERSION(CountGroup.COUNT_GROUP_VERSION),
    ERROR(CountGroup.COUNT_GROUP_ERROR);

    private final CountGroup wire;

    GroupBy(CountGroup wire) {
      this.wire = wire;
    }
  }

  CountCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = show.open(session);
    return show.print(session, () -> answer(server));
  }

  private Answer answer(Server server) {
    var group = groupBy;
    var request =
        CountWorkflowsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setFilter(filter.filter(session, server));
    if (group == null) {
      var response = server.workflows(stub -> stub.countWorkflows(request.build()));
      if (response.getCount() == 0) {
        server.requireNamespace();
      }
      return Answer.one(response, "" + response.getCount(), look -> total(response) + "\n");
    }
    var response =
        server.workflows(stub -> stub.countWorkflows(request.setGroupBy(group.wire).build()));
    return Answer.list(
        response, response.getGroupsList(), Group::getExampleRunId, look -> table(group, response));
  }

  private static String table(GroupBy groupBy, CountWorkflowsResponse response) {
    var table = new Table("RUNS>", groupBy.name().toUpperCase(Locale.ROOT), "NEWEST");
    for (var group : response.getGroupsList()) {
      table.row(
          number(group.getCount(), group.getIsLowerBound()),
          Look.orNone(group.getName().replaceFirst("^WORKFLOW_STATUS_", "")),
          Look.shortId(group.getExampleRunId()));
    }
    return table.text() + total(response) + " in all\n";
  }

  private static String total(CountWorkflowsResponse response) {
    return number(response.getCount(), response.getIsLowerBound());
  }

  private static String number(long count, boolean lowerBound) {
    return count + (lowerBound ? "+" : "");
  }
}
