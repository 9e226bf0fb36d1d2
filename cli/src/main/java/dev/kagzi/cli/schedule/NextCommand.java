package dev.kagzi.cli.schedule;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.ScheduleFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.PreviewScheduleRequest;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says when a schedule fires, or would. */
@Command(
    name = "next",
    description = "Says when a schedule, or a cron expression before it is used, fires next.",
    footer = "Example: kagzi schedule next --cron '30 9 * * MON-FRI' --timezone Europe/Berlin")
final class NextCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "SCHEDULE",
      description = "Its name, its id or the end of its id.")
  private @Nullable String schedule;

  @Option(names = "--cron", paramLabel = "CRON", description = "An expression instead.")
  private String cron = "";

  @Option(names = "--timezone", paramLabel = "ZONE", description = "For --cron. Default: UTC.")
  private String timezone = "";

  @Option(names = "--count", paramLabel = "N", description = "How many, 1 to 1000. Default: 5.")
  private int count = 5;

  NextCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    if ((schedule == null) == cron.isEmpty()) {
      throw CommandFailedException.usage("next of what? (expected: a schedule, or --cron)");
    }
    var server = client.open(session);
    var request =
        PreviewScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(schedule == null ? "" : new ScheduleFinder(server).find(schedule))
            .setCronExpr(cron)
            .setTimezone(timezone)
            .setCount(count)
            .build();
    var response = server.schedules(stub -> stub.previewSchedule(request));
    var times = response.getFireAtList().stream().map(at -> Look.instant(at).toString()).toList();
    output
        .printer(session)
        .print(
            new Answer(response, List.of(response), times, look -> ScheduleView.times(response)));
    return ExitCode.OK.number();
  }
}
