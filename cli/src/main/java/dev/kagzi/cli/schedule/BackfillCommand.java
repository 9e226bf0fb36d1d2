package dev.kagzi.cli.schedule;

import com.google.protobuf.Timestamp;
import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.command.ScheduleFinder;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.BackfillScheduleResponse;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.OverlapPolicy;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fires what was missed. */
@Command(
    name = "backfill",
    description = "Fires the ticks of a past time that have not been fired; asks first.",
    footer = "Example: kagzi schedule backfill nightly --since 7d --yes")
final class BackfillCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ChangeOptions change = new ChangeOptions();

  @Parameters(paramLabel = "SCHEDULE", description = "Its name, its id or the end of its id.")
  private String schedule = "";

  @Option(
      names = "--since",
      required = true,
      paramLabel = "TIME",
      description = "Ticks after this: 7d ago, or RFC 3339.")
  private String since = "";

  @Option(names = "--until", paramLabel = "TIME", description = "Ticks up to this. Default: now.")
  private String until = "0s";

  @Option(
      names = "--overlap",
      paramLabel = "POLICY",
      description = "For these ticks: allow, skip or cancel-other. Default: the schedule's.")
  private @Nullable String overlap;

  BackfillCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var now = now(server);
    var request =
        BackfillScheduleRequest.newBuilder()
            .setNamespace(server.namespace())
            .setScheduleId(new ScheduleFinder(server).find(schedule))
            .setFrom(Moments.past("--since", since, now))
            .setTo(past(now))
            .setReason(change.reason());
    if (overlap != null) {
      request.setOverlapPolicy(Words.read(OverlapPolicy.class, "--overlap", overlap));
    }
    var counted = fire(server, request.clone().setDryRun(true));
    if (change.isDryRun()) {
      print(counted, "would fire");
      return ExitCode.OK.number();
    }
    change.confirm(session, "fire %s of %s".formatted(ticks(counted), schedule));
    print(fire(server, request), "fired");
    return ExitCode.OK.number();
  }

  /** The clock here may be ahead of the server's, which fires nothing of the future. */
  private static Instant now(Server server) {
    var request = GetServerInfoRequest.getDefaultInstance();
    return Look.instant(server.admin(stub -> stub.getServerInfo(request)).getEngineTime());
  }

  private Timestamp past(Instant now) {
    var end = Moments.past("--until", until, now);
    if (Look.instant(end).isAfter(now)) {
      throw CommandFailedException.usage(
          "--until: '%s' is in the future (expected: now or before)".formatted(until));
    }
    return end;
  }

  /** One call fires so many ticks only, and says where to go on. */
  private BackfillScheduleResponse fire(Server server, BackfillScheduleRequest.Builder request) {
    var sum = BackfillScheduleResponse.newBuilder();
    try (var progress = new Progress(session)) {
      while (true) {
        progress.show(
            "%s %s of %s so far"
                .formatted(
                    request.getDryRun() ? "counted" : "fired",
                    Words.count(sum.getFired(), "tick"),
                    schedule));
        var part = server.schedules(stub -> stub.backfillSchedule(request.build()));
        sum.setFired(sum.getFired() + part.getFired())
            .setAlreadyFired(sum.getAlreadyFired() + part.getAlreadyFired())
            .setSkipped(sum.getSkipped() + part.getSkipped())
            .addAllRunIds(part.getRunIdsList());
        if (!part.hasContinueFrom()) {
          return sum.build();
        }
        request.setFrom(part.getContinueFrom());
      }
    }
  }

  private static String ticks(BackfillScheduleResponse response) {
    return Words.count(response.getFired(), "tick");
  }

  private void print(BackfillScheduleResponse response, String word) {
    output
        .printer(session)
        .print(
            new Answer(
                response,
                List.of(response),
                response.getRunIdsList(),
                look ->
                    "%s %s of %s; %d had been fired before, %d skipped%n"
                        .formatted(
                            word,
                            ticks(response),
                            schedule,
                            response.getAlreadyFired(),
                            response.getSkipped())));
  }
}
