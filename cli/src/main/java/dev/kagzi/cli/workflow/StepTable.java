package dev.kagzi.cli.workflow;

import dev.kagzi.cli.command.Payloads;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import java.util.List;

/** Steps in rows. Stateless. */
final class StepTable {
  private static final int DETAIL_WIDTH = 60;

  private StepTable() {}

  static String text(List<Step> steps, Look look) {
    var table = new Table("#>", "STEP", "KIND", "STATUS", "TRY>", "STARTED", "TOOK>", "DETAIL");
    for (var step : steps) {
      table.row(
          step.getSeq(),
          name(step, look),
          kind(step.getKind()),
          look.status(step.getStatus()),
          step.getAttempt(),
          look.at(step.getStartedAt()),
          took(step, look),
          Look.cut(detail(step, look), DETAIL_WIDTH));
    }
    return table.text("  ");
  }

  private static String name(Step step, Look look) {
    var name = (step.getParallelGroupId().isEmpty() ? "" : "├ ") + step.getStepKey();
    var undone = step.getCompensation() ? name + " (undoes)" : name;
    return step.getQuiet() || step.hasSupersededAt() ? look.paint().faint(undone) : undone;
  }

  static String kind(StepKind kind) {
    return switch (kind) {
      case STEP_KIND_FUNCTION -> "function";
      case STEP_KIND_SLEEP -> "sleep";
      case STEP_KIND_CHILD_WORKFLOW -> "child";
      case STEP_KIND_EVENT -> "event";
      case STEP_KIND_MARKER -> "marker";
      default -> Look.NONE;
    };
  }

  /** Only what has ended has taken a time; of the rest the start is told. */
  private static String took(Step step, Look look) {
    return step.hasFinishedAt() ? look.took(step.getStartedAt(), step.getFinishedAt()) : Look.NONE;
  }

  static String detail(Step step, Look look) {
    if (step.hasSupersededAt()) {
      return "replaced by a retry" + (step.hasError() ? ": " + Payloads.line(step.getError()) : "");
    }
    if (step.hasError()) {
      var retry = look.isAhead(step.getRetryAt()) ? ", next try " + look.at(step.getRetryAt()) : "";
      return Payloads.line(step.getError()) + retry;
    }
    if (!step.getChildRunId().isEmpty()) {
      return "run " + Look.shortId(step.getChildRunId());
    }
    if (step.getStatus() == StepStatus.STEP_STATUS_RUNNING) {
      return open(step, look);
    }
    var failed = step.getFailures() > 0 ? step.getFailures() + " failed before  " : "";
    return failed + (step.getTimedOut() ? "timed out" : Payloads.text(step.getOutput()));
  }

  private static String open(Step step, Look look) {
    return switch (step.getKind()) {
      case STEP_KIND_SLEEP -> "wakes " + look.at(step.getWakeAt());
      case STEP_KIND_EVENT ->
          "waits for '%s'%s"
              .formatted(
                  step.getEventName(),
                  step.hasTimeoutAt() ? ", until " + look.at(step.getTimeoutAt()) : "");
      default -> "";
    };
  }
}
