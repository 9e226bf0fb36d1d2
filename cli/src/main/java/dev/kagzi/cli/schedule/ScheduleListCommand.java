package dev.kagzi.cli.schedule;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.ListSchedulesResponse;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.WorkflowStatus;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists schedules. */
@Command(
    name = "list",
    aliases = "ls",
    description = "Lists schedules, newest first.",
    footer = "Example: kagzi schedule list --status paused")
final class ScheduleListCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private WatchOptions watch = new WatchOptions();
  @Mixin private PageOptions pages = new PageOptions();

  @Option(names = "--status", paramLabel = "STATUS", description = "scheduled or paused.")
  private @Nullable String status;

  @Option(names = "--type", paramLabel = "TYPE", description = "The workflow it starts.")
  private String type = "";

  @Option(names = "--queue", paramLabel = "QUEUE", description = "The queue of its runs.")
  private String queue = "";

  ScheduleListCommand(Session session) {
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
        ListSchedulesRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWorkflowType(type)
            .setTaskQueue(queue);
    if (status != null) {
      request.setStatus(Words.read(WorkflowStatus.class, "--status", status));
    }
    var response =
        pages.fetch(
            (size, token) ->
                server.schedules(stub ->
                    stub.listSchedules(request.setPageSize(size).setPageToken(token).build())),
            ListSchedulesResponse::getPage,
            ListSchedulesResponse::getSchedulesCount,
            ScheduleListCommand::merge);
    return Answer.list(
        response,
        response.getSchedulesList(),
        Schedule::getScheduleId,
        look -> ScheduleView.table(response, look));
  }

  private static ListSchedulesResponse merge(List<ListSchedulesResponse> pages) {
    var all = pages.getLast().toBuilder().clearSchedules();
    pages.forEach(page -> all.addAllSchedules(page.getSchedulesList()));
    return all.build();
  }
}
