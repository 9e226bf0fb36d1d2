package dev.kagzi.cli.schedule;

import com.google.protobuf.Message;
import dev.kagzi.cli.command.Asked;
import dev.kagzi.cli.command.EditOptions;
import dev.kagzi.cli.command.ScheduleFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.FiringOutcome;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.TriggerScheduleResponse;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Templates that start runs at cron times; the verbs here need no more than a name. */
@Command(
    name = "schedule",
    aliases = "cron",
    description = "Creates, shows, pauses and fires schedules.",
    footer = "Example: kagzi schedule create nightly-report '0 2 * * *' --name nightly")
public final class ScheduleCommand {
  private static final String SCHEDULE = "Its name, its id or the end of its id.";

  private final Session session;

  private ScheduleCommand(Session session) {
    this.session = session;
  }

  /** The noun with its verbs. */
  public static CommandLine of(Session session, Asked asked) {
    var level = new CommandLine(new ScheduleCommand(session));
    asked
        .add(level, CreateCommand.class, () -> new CreateCommand(session))
        .add(level, UpdateCommand.class, () -> new UpdateCommand(session))
        .add(level, ScheduleListCommand.class, () -> new ScheduleListCommand(session))
        .add(level, ScheduleShowCommand.class, () -> new ScheduleShowCommand(session))
        .add(level, BackfillCommand.class, () -> new BackfillCommand(session))
        .add(level, NextCommand.class, () -> new NextCommand(session));
    return level;
  }

  @Command(
      name = "pause",
      description = "Stops a schedule from firing.",
      footer = "Example: kagzi schedule pause nightly --reason 'month end'")
  int pause(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = edit.open(session);
    var request =
        PauseScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(new ScheduleFinder(server).find(schedule))
            .setReason(edit.reason())
            .build();
    return edit.apply(
        session,
        request,
        wanted -> server.schedules(stub -> stub.pauseSchedule(wanted)),
        response -> changed(response, response.getSchedule(), "paused"));
  }

  @Command(
      name = "resume",
      description = "Lets a schedule fire again; it catches up.",
      footer = "Example: kagzi schedule resume nightly")
  int resume(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = edit.open(session);
    var request =
        ResumeScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(new ScheduleFinder(server).find(schedule))
            .setReason(edit.reason())
            .build();
    return edit.apply(
        session,
        request,
        wanted -> server.schedules(stub -> stub.resumeSchedule(wanted)),
        response -> changed(response, response.getSchedule(), "resumed"));
  }

  @Command(
      name = "delete",
      description = "Deletes a schedule; its runs stay. Asks first.",
      footer = "Example: kagzi schedule delete nightly --yes")
  int delete(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = edit.open(session);
    var id = new ScheduleFinder(server).find(schedule);
    var request =
        DeleteScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(id)
            .setReason(edit.reason())
            .build();
    return edit.applyAsked(
        session,
        "delete schedule " + schedule,
        request,
        wanted -> server.schedules(stub -> stub.deleteSchedule(wanted)),
        response -> {
          var word = response.getDeleted() ? "deleted" : "was not there";
          return Answer.one(response, id, look -> "schedule %s %s%n".formatted(schedule, word));
        });
  }

  @Command(
      name = "trigger",
      description = "Starts a run of a schedule now, also when it is paused.",
      footer = "Example: kagzi schedule trigger nightly")
  int trigger(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = edit.open(session);
    var request =
        TriggerScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(new ScheduleFinder(server).find(schedule))
            .setRequestId(server.newId())
            .setReason(edit.reason())
            .build();
    return edit.made(
            session,
            request,
            wanted -> server.schedules(stub -> stub.triggerSchedule(wanted)),
            response -> triggered(response, schedule))
        .filter(response -> !hasFired(response))
        .map(response -> ExitCode.ERROR)
        .orElse(ExitCode.OK)
        .number();
  }

  private static boolean hasFired(TriggerScheduleResponse response) {
    return response.getFiring().getOutcome() == FiringOutcome.FIRING_OUTCOME_FIRED;
  }

  private static Answer triggered(TriggerScheduleResponse response, String schedule) {
    var runId = response.getFiring().getRunId();
    return Answer.one(
        response,
        runId,
        look ->
            hasFired(response)
                ? runId + "\n"
                : "nothing was started: a run of %s is still live%n".formatted(schedule));
  }

  private static Answer changed(Message response, Schedule schedule, String word) {
    return Answer.one(
        response,
        schedule.getScheduleId(),
        look ->
            "schedule %s %s%s%n"
                .formatted(
                    ScheduleView.name(schedule),
                    word,
                    schedule.hasNextFireAt() ? ", next " + look.at(schedule.getNextFireAt()) : ""));
  }
}
