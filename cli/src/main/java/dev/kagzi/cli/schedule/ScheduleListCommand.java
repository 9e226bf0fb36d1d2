package dev.kagzi.cli.schedule;

import dev.kagzi.cli.command.ListOptions;
import dev.kagzi.cli.command.Statuses;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.ListSchedulesResponse;
import dev.kagzi.v1.Schedule;
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

  @Mixin private ListOptions list = new ListOptions();

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
    var server = list.open(session);
    var request =
        ListSchedulesRequest.newBuilder()
            .setNamespace(server.namespace())
            .setWorkflowType(type)
            .setTaskQueue(queue);
    if (status != null) {
      request.setStatus(Statuses.ofSchedule(status));
    }
    return list.print(
        session,
        server,
        (size, token) ->
            server.schedules(
                stub -> stub.listSchedules(request.setPageSize(size).setPageToken(token).build())),
        new ListOptions.Rows<>(
            ListSchedulesResponse::getSchedulesList, Schedule::getScheduleId, ScheduleView::table));
  }
}
