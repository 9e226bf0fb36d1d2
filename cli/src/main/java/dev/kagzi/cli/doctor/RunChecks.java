package dev.kagzi.cli.doctor;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Words;
import dev.kagzi.engine.store.HandlerStore;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Looks at the newest runs of a namespace: handlers that fail, and payloads that are too large. */
final class RunChecks {
  private static final int MOST = 1000;
  private static final int MOST_PARENTS = 100;
  private static final Duration LATELY = Duration.ofHours(1);

  private final Server server;
  private final Instant now;

  RunChecks(Server server, Instant now) {
    this.server = server;
    this.now = now;
  }

  List<Finding> look() {
    var failed =
        newest(
            WorkflowFilter.newBuilder()
                .addStatuses(WorkflowStatus.WORKFLOW_STATUS_FAILED)
                .addStatuses(WorkflowStatus.WORKFLOW_STATUS_TIMED_OUT)
                .setFinishedAfter(Look.timestamp(now.minus(LATELY)))
                .build(),
            MOST);
    var findings = new ArrayList<Finding>();
    findings.add(handlers(failed));
    findings.addAll(loops(failed));
    findings.add(payloads(newest(WorkflowFilter.getDefaultInstance(), MOST)));
    return findings;
  }

  private List<WorkflowRun> newest(WorkflowFilter filter, int most) {
    var request =
        ListWorkflowsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setFilter(filter)
            .setPageSize(most)
            .build();
    return server.workflows(stub -> stub.listWorkflows(request)).getRunsList();
  }

  /** A handler's own failure is handled by nobody, so that nobody may have heard of either. */
  private static Finding handlers(List<WorkflowRun> failed) {
    var handlers = failed.stream().filter(RunChecks::isHandler).toList();
    if (handlers.isEmpty()) {
      return Finding.ok("no failure handler has failed in the last hour");
    }
    var text =
        "of the %s of the last hour, %s"
            .formatted(
                Words.count(failed.size(), "newest failure"),
                handlers.size() == 1
                    ? "1 is that of a failure handler"
                    : handlers.size() + " are those of failure handlers");
    return Finding.warning(
        "%s (%s), which nobody handles; kagzi wf show %s tells why the newest failed"
            .formatted(
                text,
                handlers.stream()
                    .map(WorkflowRun::getWorkflowType)
                    .distinct()
                    .collect(Collectors.joining(", ")),
                handlers.getFirst().getRunId()));
  }

  /**
   * Failures of a handler's children that the same handler is started for. What a handler starts by
   * a client does not say who started it.
   */
  private List<Finding> loops(List<WorkflowRun> failed) {
    var handlers = handlersAmongParents(failed);
    var again = failed.stream().filter(run -> isHandledByItsParent(run, handlers)).toList();
    return again.isEmpty()
        ? List.of()
        : List.of(
            Finding.warning(
                "%s started by the failure handler that is to handle their failure, which may go on for ever;"
                        .formatted(Words.count(again.size(), "failed run"))
                    + " give a handler's children no handler, or another one; kagzi wf show %s is the newest of them"
                        .formatted(again.getFirst().getRunId())));
  }

  private static boolean isHandledByItsParent(WorkflowRun run, Map<String, String> handlers) {
    var type = handlers.get(run.getParentRunId());
    return type != null
        && (type.equals(run.getOnFailureWorkflow()) || type.equals(HandlerStore.NAMESPACE_HANDLER));
  }

  /** The types of those parents that are failure handlers, by run id. */
  private Map<String, String> handlersAmongParents(List<WorkflowRun> runs) {
    var ids =
        runs.stream()
            .map(WorkflowRun::getParentRunId)
            .filter(id -> !id.isEmpty())
            .distinct()
            .limit(MOST_PARENTS)
            .toList();
    if (ids.isEmpty()) {
      return Map.of();
    }
    return newest(WorkflowFilter.newBuilder().addAllRunIds(ids).build(), MOST_PARENTS).stream()
        .filter(RunChecks::isHandler)
        .collect(Collectors.toMap(WorkflowRun::getRunId, WorkflowRun::getWorkflowType));
  }

  private static boolean isHandler(WorkflowRun run) {
    return !run.getHandlerForRunId().isEmpty();
  }

  private static Finding payloads(List<WorkflowRun> runs) {
    var limit = Sizes.words(Sizes.LARGE_PAYLOAD);
    var large =
        runs.stream()
            .filter(run -> bytes(run) > Sizes.LARGE_PAYLOAD)
            .sorted(Comparator.comparingLong(RunChecks::bytes).reversed())
            .toList();
    return large.isEmpty()
        ? Finding.ok(
            "no input or output over %s in the newest %s"
                .formatted(limit, Words.count(runs.size(), "run")))
        : Finding.warning(
            "an input or output over %s in %d of the newest %s, the largest %s in run %s;"
                    .formatted(
                        limit,
                        large.size(),
                        Words.count(runs.size(), "run"),
                        Sizes.words(bytes(large.getFirst())),
                        large.getFirst().getRunId())
                + " keep what is large elsewhere and pass where it is");
  }

  private static long bytes(WorkflowRun run) {
    return Math.max(run.getInputBytes(), run.getOutputBytes());
  }
}
