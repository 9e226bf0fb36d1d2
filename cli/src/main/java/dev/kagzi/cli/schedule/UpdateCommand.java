package dev.kagzi.cli.schedule;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.ScheduleFinder;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.GetScheduleRequest;
import dev.kagzi.v1.OverlapPolicy;
import dev.kagzi.v1.UpdateScheduleRequest;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes a schedule. */
@Command(
    name = "update",
    description = "Changes what is given and leaves the rest; runs that were started stay.",
    footer = "Example: kagzi schedule update nightly --cron '0 3 * * *'")
final class UpdateCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ChangeOptions.DryRun dryRun = new ChangeOptions.DryRun();
  @Mixin private TemplateOptions template = new TemplateOptions();

  @Parameters(paramLabel = "SCHEDULE", description = "Its name, its id or the end of its id.")
  private String schedule = "";

  @Option(names = "--cron", paramLabel = "CRON", description = "When it fires, from now on.")
  private @Nullable String cron;

  @Option(names = "--name", paramLabel = "NAME", description = "Another name.")
  private @Nullable String name;

  @Option(names = "--timezone", paramLabel = "ZONE", description = "IANA name.")
  private @Nullable String timezone;

  @Option(
      names = "--overlap",
      paramLabel = "POLICY",
      description = "While a run is still live: allow, skip or cancel-other.")
  private @Nullable String overlap;

  @Option(
      names = "--max-catchup",
      paramLabel = "N",
      description = "Missed ticks to make up for at most.")
  private @Nullable Integer maxCatchup;

  @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.")
  private @Nullable String description;

  @Option(names = "--type", paramLabel = "TYPE", description = "Another workflow to start.")
  private @Nullable String type;

  UpdateCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    return dryRun.apply(
        session,
        output,
        request(server),
        wanted -> server.schedules(stub -> stub.updateSchedule(wanted)),
        response -> ScheduleView.written(response, response.getSchedule(), "updated"));
  }

  private UpdateScheduleRequest request(Server server) {
    var id = new ScheduleFinder(server).find(schedule);
    var request =
        UpdateScheduleRequest.newBuilder().setNamespace(server.namespace()).setScheduleId(id);
    if (cron != null) {
      request.setCronExpr(cron);
    }
    if (name != null) {
      request.setName(name);
    }
    if (timezone != null) {
      request.setTimezone(timezone);
    }
    if (overlap != null) {
      request.setOverlapPolicy(Words.read(OverlapPolicy.class, "--overlap", overlap));
    }
    if (maxCatchup != null) {
      request.setMaxCatchup(maxCatchup);
    }
    if (description != null) {
      request.setDescription(description);
    }
    if (type != null || template.isGiven()) {
      replaceTemplate(server, id, request);
    }
    return request.build();
  }

  /** The wire replaces a template as a whole, so what is not given is taken from the old one. */
  private void replaceTemplate(Server server, String id, UpdateScheduleRequest.Builder request) {
    var get =
        GetScheduleRequest.newBuilder().setNamespace(server.namespace()).setScheduleId(id).build();
    var old = server.schedules(stub -> stub.getSchedule(get)).getSchedule().getRun().toBuilder();
    if (type != null) {
      old.setWorkflowType(type);
    }
    request.setRun(template.applyTo(session, old.build()));
  }
}
