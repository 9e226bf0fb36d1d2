package dev.kagzi.cli.schedule;

import com.google.protobuf.Message;
import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.Asked;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.DeleteScheduleRequest;
import dev.kagzi.v1.FiringOutcome;
import dev.kagzi.v1.PauseScheduleRequest;
import dev.kagzi.v1.ResumeScheduleRequest;
import dev.kagzi.v1.Schedule;
import dev.kagzi.v1.TriggerScheduleRequest;
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
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions change,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = client.open(session);
    var request =
        PauseScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(new ScheduleFinder(server).find(schedule))
            .setReason(change.reason())
            .build();
    if (!change.shows(session, "PauseSchedule", request)) {
      var response = server.schedules(stub -> stub.pauseSchedule(request));
      print(output, response, response.getSchedule(), "paused");
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "resume",
      description = "Lets a schedule fire again; it catches up.",
      footer = "Example: kagzi schedule resume nightly")
  int resume(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions change,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = client.open(session);
    var request =
        ResumeScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(new ScheduleFinder(server).find(schedule))
            .setReason(change.reason())
            .build();
    if (!change.shows(session, "ResumeSchedule", request)) {
      var response = server.schedules(stub -> stub.resumeSchedule(request));
      print(output, response, response.getSchedule(), "resumed");
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "delete",
      description = "Deletes a schedule; its runs stay. Asks first.",
      footer = "Example: kagzi schedule delete nightly --yes")
  int delete(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions change,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = client.open(session);
    var id = new ScheduleFinder(server).find(schedule);
    var request =
        DeleteScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(id)
            .setReason(change.reason())
            .build();
    if (!change.shows(session, "DeleteSchedule", request)) {
      change.confirm(session, "delete schedule " + schedule);
      var response = server.schedules(stub -> stub.deleteSchedule(request));
      var word = response.getDeleted() ? "deleted" : "was not there";
      output
          .printer(session)
          .print(Answer.one(response, id, look -> "schedule %s %s%n".formatted(schedule, word)));
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "trigger",
      description = "Starts a run of a schedule now, also when it is paused.",
      footer = "Example: kagzi schedule trigger nightly")
  int trigger(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions change,
      @Parameters(paramLabel = "SCHEDULE", description = SCHEDULE) String schedule) {
    var server = client.open(session);
    var request =
        TriggerScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(new ScheduleFinder(server).find(schedule))
            .setRequestId(server.newId())
            .setReason(change.reason())
            .build();
    if (change.shows(session, "TriggerSchedule", request)) {
      return ExitCode.OK.number();
    }
    var response = server.schedules(stub -> stub.triggerSchedule(request));
    var firing = response.getFiring();
    var fired = firing.getOutcome() == FiringOutcome.FIRING_OUTCOME_FIRED;
    output
        .printer(session)
        .print(
            Answer.one(
                response,
                firing.getRunId(),
                look ->
                    fired
                        ? firing.getRunId() + "\n"
                        : "nothing was started: a run of %s is still live%n".formatted(schedule)));
    return (fired ? ExitCode.OK : ExitCode.ERROR).number();
  }

  private void print(OutputOptions output, Message response, Schedule schedule, String word) {
    output
        .printer(session)
        .print(
            Answer.one(
                response,
                schedule.getScheduleId(),
                look ->
                    "schedule %s %s, next %s%n"
                        .formatted(
                            ScheduleView.name(schedule),
                            word,
                            schedule.hasNextFireAt()
                                ? look.at(schedule.getNextFireAt())
                                : Look.NONE)));
  }
}
