package dev.kagzi.cli.workflow;

import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.command.Payloads;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.output.Words;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.WaitReason;
import dev.kagzi.v1.WorkflowRun;
import java.util.List;

/** Runs in rows. Stateless. */
public final class RunTable {
  private static final int ERROR_WIDTH = 50;
  private static final int ID_WIDTH = 32;

  private RunTable() {}

  public static String text(List<WorkflowRun> runs, PageInfo page, Look look) {
    var failures = runs.stream().anyMatch(WorkflowRun::hasError);
    return (failures ? withErrors(runs, look) : plain(runs, look))
        + PageOptions.footer(runs.size(), "run", page);
  }

  private static String plain(List<WorkflowRun> runs, Look look) {
    var table = new Table("RUN", "TYPE", "ID", "STATUS", "QUEUE", "ATTEMPTS>", "STARTED", "TOOK");
    for (var run : runs) {
      table.row(
          Look.shortId(run.getRunId()),
          run.getWorkflowType(),
          Look.cut(Look.orNone(run.getExternalId()), ID_WIDTH),
          status(run, look),
          run.getTaskQueue(),
          run.getAttempts(),
          look.at(run.getCreatedAt()),
          Runs.took(run, look));
    }
    return table.text();
  }

  private static String withErrors(List<WorkflowRun> runs, Look look) {
    var table =
        new Table(
            "RUN", "TYPE", "ID", "STATUS", "FAILED STEP", "ERROR", "ATTEMPTS>", "STARTED", "TOOK");
    for (var run : runs) {
      table.row(
          Look.shortId(run.getRunId()),
          run.getWorkflowType(),
          Look.cut(Look.orNone(run.getExternalId()), ID_WIDTH),
          status(run, look),
          Look.orNone(run.getFailedStepKey()),
          run.hasError() ? Look.cut(Payloads.line(run.getError()), ERROR_WIDTH) : Look.NONE,
          run.getAttempts(),
          look.at(run.getCreatedAt()),
          Runs.took(run, look));
    }
    return table.text();
  }

  /** The state, and what it waits for. */
  private static String status(WorkflowRun run, Look look) {
    var status = look.status(run.getStatus());
    return run.getWaitReason() == WaitReason.WAIT_REASON_UNSPECIFIED
        ? status
        : status + " " + look.paint().faint("(" + Words.lower(run.getWaitReason()) + ")");
  }
}
