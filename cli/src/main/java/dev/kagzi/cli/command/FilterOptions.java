package dev.kagzi.cli.command;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.WaitReason;
import dev.kagzi.v1.WorkflowFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that select runs; the same for lists and for what changes many. */
public final class FilterOptions {
  @Option(
      names = "--status",
      split = ",",
      paramLabel = "STATUS",
      description = "pending, running, sleeping, completed, failed, cancelled, timed-out.")
  private List<String> statuses = new ArrayList<>();

  @Option(names = "--type", split = ",", paramLabel = "TYPE", description = "The workflow type.")
  private List<String> types = new ArrayList<>();

  @Option(names = "--queue", split = ",", paramLabel = "QUEUE", description = "The task queue.")
  private List<String> queues = new ArrayList<>();

  @Option(
      names = "--version",
      split = ",",
      paramLabel = "VERSION",
      description = "The version; '' is the empty one.")
  private List<String> versions = new ArrayList<>();

  @Option(
      names = "--label",
      paramLabel = "KEY[=VALUE]",
      description = "A label, or just its key. May be repeated.")
  private List<String> labels = new ArrayList<>();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Created after: 1h ago, or RFC 3339.")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "Created before: 1h ago, or RFC 3339.")
  private @Nullable String until;

  @Option(names = "--finished-since", paramLabel = "TIME", description = "Ended after.")
  private @Nullable String finishedSince;

  @Option(names = "--finished-until", paramLabel = "TIME", description = "Ended before.")
  private @Nullable String finishedUntil;

  @Option(names = "--failed-step", paramLabel = "STEP", description = "The step it failed at.")
  private String failedStep = "";

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "A part of the error's message, in any case.")
  private String error = "";

  @Option(
      names = "--error-type",
      paramLabel = "CLASS",
      description = "The error's class name, full or simple.")
  private String errorType = "";

  @Option(
      names = "--error-kind",
      split = ",",
      paramLabel = "KIND",
      description = "The error's kind, such as timeout or network-error.")
  private List<String> errorKinds = new ArrayList<>();

  @Option(
      names = "--waiting-for",
      split = ",",
      paramLabel = "REASON",
      description = "retry, sleep, child, event or non-determinism.")
  private List<String> waitReasons = new ArrayList<>();

  @Option(
      names = "--id-prefix",
      paramLabel = "TEXT",
      description = "The beginning of the external id.")
  private String externalIdPrefix = "";

  @Option(
      names = "--parent",
      paramLabel = "RUN",
      description = "Children of this run: its id, its external id or the end of its id.")
  private String parent = "";

  @Option(
      names = "--schedule",
      paramLabel = "SCHEDULE",
      description = "Runs of this schedule: its name, its id or the end of its id.")
  private String schedule = "";

  @Option(
      names = "--worker",
      paramLabel = "WORKER",
      description = "Held by this worker: its id, or the end of it.")
  private String worker = "";

  /**
   * What the flags select; without any, everything.
   *
   * @param server knows what is not named by a whole id
   */
  public WorkflowFilter filter(Session session, Server server) {
    var now = session.now();
    var filter =
        WorkflowFilter.newBuilder()
            .addAllWorkflowTypes(types)
            .addAllTaskQueues(queues)
            .addAllVersions(versions)
            .addAllLabels(labels)
            .setFailedStepKey(failedStep)
            .setErrorContains(error)
            .setErrorType(errorType)
            .setExternalIdPrefix(externalIdPrefix)
            .setParentRunId(found(parent, new RunFinder(server)::find))
            .setScheduleId(found(schedule, new ScheduleFinder(server)::find))
            .setWorkerId(found(worker, new WorkerFinder(server)::find));
    statuses.forEach(word -> filter.addStatuses(Statuses.ofRun(word)));
    errorKinds.forEach(
        word -> filter.addErrorKinds(Words.read(ErrorKind.class, "--error-kind", word)));
    waitReasons.forEach(
        word -> filter.addWaitReasons(Words.read(WaitReason.class, "--waiting-for", word)));
    addTimes(filter, now);
    return filter.build();
  }

  private static String found(String typed, UnaryOperator<String> find) {
    return typed.isEmpty() ? typed : find.apply(typed);
  }

  private void addTimes(WorkflowFilter.Builder filter, Instant now) {
    if (since != null) {
      filter.setCreatedAfter(Moments.past("--since", since, now));
    }
    if (until != null) {
      filter.setCreatedBefore(Moments.past("--until", until, now));
    }
    if (finishedSince != null) {
      filter.setFinishedAfter(Moments.past("--finished-since", finishedSince, now));
    }
    if (finishedUntil != null) {
      filter.setFinishedBefore(Moments.past("--finished-until", finishedUntil, now));
    }
  }
}
