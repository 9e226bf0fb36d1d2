package dev.kagzi.cli.schedule;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.Tails;
import dev.kagzi.v1.ListSchedulesRequest;
import dev.kagzi.v1.Schedule;
import java.util.ArrayList;
import java.util.List;

/** Finds the schedule that somebody means: by its name, its id, or the end of its id. */
record ScheduleFinder(Server server) {
  private static final int PAGE = 1000;

  String find(String meant) {
    return Tails.find("schedule", meant, () -> candidates(meant));
  }

  private List<String> candidates(String meant) {
    var all = all();
    var named = all.stream().filter(it -> it.getName().equals(meant)).findFirst();
    // The finder compares ends, and a name is its own end.
    return named.isPresent() ? List.of(meant) : all.stream().map(Schedule::getScheduleId).toList();
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
