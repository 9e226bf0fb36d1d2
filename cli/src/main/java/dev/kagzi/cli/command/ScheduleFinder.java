package dev.kagzi.cli.command;

import dev.kagzi.cli.client.Server;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.Schedule;
import java.util.ArrayList;
import java.util.List;

/** Finds the schedule that somebody means: by its name, its id, or the end of its id. */
public record ScheduleFinder(Server server) {
  private static final int PAGE = 1000;

  /** The id of the schedule that is meant; a whole id is not looked up. */
  public String find(String meant) {
    return Tails.isWhole(meant)
        ? meant
        : server.during("looking for schedule '%s'".formatted(meant), () -> byOtherName(meant));
  }

  private String byOtherName(String meant) {
    var all = all();
    return all.stream()
        .filter(schedule -> schedule.getName().equals(meant))
        .findFirst()
        .map(Schedule::getScheduleId)
        .orElseGet(() ->
            Tails.find(
                server,
                "schedule",
                meant,
                () -> all.stream().map(Schedule::getScheduleId).toList()));
  }

  private List<Schedule> all() {
    var request =
        ListSchedulesRequest.newBuilder().setNamespace(server.namespace()).setPageSize(PAGE);
    var schedules = new ArrayList<Schedule>();
    String token;
    do {
      var page = server.schedules(stub -> stub.listSchedules(request.build()));
      schedules.addAll(page.getSchedulesList());
      token = page.getPage().getNextPageToken();
      request.setPageToken(token);
    } while (!token.isEmpty());
    return schedules;
  }
}
