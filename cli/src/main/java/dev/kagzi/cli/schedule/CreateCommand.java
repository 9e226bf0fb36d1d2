package dev.kagzi.cli.schedule;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.OverlapPolicy;
import dev.kagzi.v1.RunTemplate;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates a schedule. */
@Command(
    name = "create",
    description = "Creates a schedule that starts a workflow at cron times.",
    footer = "Example: kagzi schedule create nightly-report '0 2 * * *' --name nightly")
final class CreateCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ChangeOptions.DryRun dryRun = new ChangeOptions.DryRun();
  @Mixin private TemplateOptions template = new TemplateOptions();

  @Parameters(index = "0", paramLabel = "TYPE", description = "The workflow to start.")
  private String type = "";

  @Parameters(
      index = "1",
      paramLabel = "CRON",
      description = "5 fields, 6 with seconds first, or 7 with the year last.")
  private String cron = "";

  @Option(names = "--name", paramLabel = "NAME", description = "Unique in the namespace.")
  private String name = "";

  @Option(names = "--timezone", paramLabel = "ZONE", description = "IANA name. Default: UTC.")
  private String timezone = "";

  @Option(
      names = "--overlap",
      paramLabel = "POLICY",
      description = "While a run is still live: allow, skip or cancel-other.")
  private @Nullable String overlap;

  @Option(
      names = "--max-catchup",
      paramLabel = "N",
      description = "Missed ticks to make up for at most. Default: 100.")
  private @Nullable Integer maxCatchup;

  @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.")
  private String description = "";

  @Option(names = "--paused", description = "Does not fire before it is resumed.")
  private boolean paused;

  CreateCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var base = RunTemplate.newBuilder().setWorkflowType(type).build();
    var request =
        CreateScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRequestId(server.newId())
            .setName(name)
            .setCronExpr(cron)
            .setTimezone(timezone)
            .setDescription(description)
            .setPaused(paused)
            .setRun(template.applyTo(session, base));
    if (overlap != null) {
      request.setOverlapPolicy(Words.read(OverlapPolicy.class, "--overlap", overlap));
    }
    if (maxCatchup != null) {
      request.setMaxCatchup(maxCatchup);
    }
    return dryRun.apply(
        session,
        output,
        request.build(),
        wanted -> server.schedules(stub -> stub.createSchedule(wanted)),
        response ->
            ScheduleView.written(
                response,
                response.getSchedule(),
                response.getAlreadyExists() ? "exists already" : "created"));
  }
}
