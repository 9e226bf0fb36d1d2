package dev.kagzi.cli.schedule;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ScheduleFinder;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.ListScheduleRunsRequest;
import dev.kagzi.v1.ScheduleFiring;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a schedule and its latest ticks. */
@Command(
    name = "show",
    description = "Shows a schedule, when it fires next, and what became of its latest ticks.",
    footer = "Example: kagzi schedule show nightly --ticks 20")
final class ScheduleShowCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ShowOptions show = new ShowOptions();

  @Parameters(paramLabel = "SCHEDULE", description = "Its name, its id or the end of its id.")
  private String schedule = "";

  @Option(
      names = "--ticks",
      paramLabel = "N",
      description = "How many of the latest ticks to show, 1 to 1000. Default: 10.")
  private int ticks = 10;

  ScheduleShowCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = show.open(session);
    var id = new ScheduleFinder(server).find(schedule);
    return show.print(session, () -> answer(server, id));
  }

  private Answer answer(Server server, String id) {
    var request =
        GetScheduleRequest.newBuilder().setNamespace(server.namespace()).setScheduleId(id).build();
    var response = server.schedules(stub -> stub.getSchedule(request));
    return Answer.one(
        response,
        response.getSchedule().getScheduleId(),
        look -> ScheduleView.text(response.getSchedule(), firings(server, id), look));
  }

  private List<ScheduleFiring> firings(Server server, String id) {
    var request =
        ListScheduleRunsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(id)
            .setPageSize(ticks)
            .build();
    return server.schedules(stub -> stub.listScheduleRuns(request)).getFiringsList();
  }
}
