package dev.kagzi.cli.schedule;

import com.google.protobuf.Message;
import dev.kagzi.cli.command.Labels;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.command.Payloads;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.output.Words;
import dev.kagzi.v1.ListSchedulesResponse;
import dev.kagzi.v1.PreviewScheduleResponse;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.ScheduleFiring;
import dev.kagzi.v1.SkipReason;
import java.util.List;

/** Schedules as people read them. Stateless. */
final class ScheduleView {
  private ScheduleView() {}

  static String table(ListSchedulesResponse response, Look look) {
    var table =
        new Table("SCHEDULE", "NAME", "TYPE", "STATUS", "CRON", "ZONE", "NEXT", "LAST", "LAST RUN");
    for (var schedule : response.getSchedulesList()) {
      table.row(
          Look.shortId(schedule.getScheduleId()),
          Look.orNone(schedule.getName()),
          schedule.getRun().getWorkflowType(),
          look.status(schedule.getStatus()),
          schedule.getCronExpr(),
          Look.orNone(schedule.getTimezone()),
          look.at(schedule.getNextFireAt()),
          last(schedule, look),
          Look.shortId(schedule.getLastRunId()));
    }
    return table.text()
        + PageOptions.footer(response.getSchedulesCount(), "schedule", response.getPage());
  }

  /** A new schedule has looked at every tick until now, and yet has never fired. */
  private static String last(Schedule schedule, Look look) {
    return schedule.getLastRunId().isEmpty() ? Look.NONE : look.at(schedule.getLastFiredAt());
  }

  static String text(Schedule schedule, List<ScheduleFiring> firings, Look look) {
    var run = schedule.getRun();
    return """
    %s   %s   %s%s
    cron      %s   %s   %s
    next      %s   last %s
    starts    %s   queue %s   version %s   labels %s
    input     %s
    overlap   %s   catches up at most %d
    %s%s\
    """
        .formatted(
            look.paint().strong(name(schedule)),
            schedule.getScheduleId(),
            look.status(schedule.getStatus()),
            schedule.getPauseReason().isEmpty() ? "" : "   " + schedule.getPauseReason(),
            schedule.getCronExpr(),
            Look.orNone(schedule.getTimezone()),
            schedule.getCronInWords(),
            look.at(schedule.getNextFireAt()),
            last(schedule, look),
            run.getWorkflowType(),
            Look.orNone(run.getTaskQueue()),
            Look.orNone(run.getVersion()),
            Labels.shown(run.getLabelsMap()),
            Look.orNone(Payloads.text(run.getInput())),
            Words.lower(schedule.getOverlapPolicy()),
            schedule.getMaxCatchup(),
            schedule.getError().isEmpty()
                ? ""
                : look.paint().bad("cannot fire: " + schedule.getError()) + "\n",
            firings.isEmpty() ? "" : "\n" + firings(firings, look));
  }

  /** What somebody hears who has written a schedule. */
  static Answer written(Message response, Schedule schedule, String word) {
    return Answer.one(
        response,
        schedule.getScheduleId(),
        look ->
            "schedule %s %s: %s, next %s%n"
                .formatted(
                    name(schedule),
                    word,
                    schedule.getCronInWords(),
                    look.at(schedule.getNextFireAt())));
  }

  static String name(Schedule schedule) {
    return schedule.getName().isEmpty()
        ? Look.shortId(schedule.getScheduleId())
        : schedule.getName();
  }

  private static String firings(List<ScheduleFiring> firings, Look look) {
    var table = new Table("TICK", "OUTCOME", "RUN", "STATUS", "TOOK");
    for (var firing : firings) {
      table.row(
          look.at(firing.getFireAt()),
          outcome(firing),
          Look.shortId(firing.getRunId()),
          firing.hasRun() ? look.status(firing.getRun().getStatus()) : Look.NONE,
          look.took(firing.getRun().getCreatedAt(), firing.getRun().getFinishedAt()));
    }
    return table.text("  ");
  }

  private static String outcome(ScheduleFiring firing) {
    var outcome = Words.lower(firing.getOutcome()) + (firing.getManual() ? " by hand" : "");
    return firing.getSkipReason() == SkipReason.SKIP_REASON_UNSPECIFIED
        ? outcome
        : outcome + " (" + Words.lower(firing.getSkipReason()) + ")";
  }

  /** Moments to come, always in full: they are compared with a calendar. */
  static String times(PreviewScheduleResponse response) {
    var text = new StringBuilder();
    if (!response.getCronInWords().isEmpty()) {
      text.append(response.getCronInWords()).append('\n');
    }
    response.getFireAtList().forEach(at -> text.append(Look.instant(at)).append('\n'));
    return text.toString();
  }
}
