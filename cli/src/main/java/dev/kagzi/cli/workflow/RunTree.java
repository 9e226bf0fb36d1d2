package dev.kagzi.cli.workflow;

import dev.kagzi.cli.output.Look;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
import java.util.ArrayList;
import java.util.List;

/** A run, its steps, its children and theirs, as a tree. Asks the server for each level. */
final class RunTree {
  /** Deep enough for everything. */
  static final int ALL = 100;

  /** Of more rows than this on one level, those in the middle that went well are folded. */
  private static final int FOLD_BEYOND = 20;

  private static final int KEPT_AT_THE_ENDS = 5;
  private static final int MOST_CHILDREN = 100;
  private static final int DETAIL_WIDTH = 70;

  private final Runs runs;
  private final Look look;
  private final int depth;
  private final boolean folds;

  RunTree(Runs runs, Look look, int depth, boolean folds) {
    this.runs = runs;
    this.look = look;
    this.depth = depth;
    this.folds = folds;
  }

  /** One row of a level, with what is below it. */
  private record Node(String line, List<Node> below, boolean isFine) {}

  String text(String runId) {
    return runs.server()
        .during("looking at the children of " + Look.shortId(runId), () -> tree(runId));
  }

  private String tree(String runId) {
    var run = runs.get(runId, false).getRun();
    var text = new StringBuilder(line(run)).append('\n');
    append(text, "", steps(runId, depth));
    return text.toString();
  }

  private String line(WorkflowRun run) {
    return "%s  %s  %s  %s"
        .formatted(
            look.paint().strong(run.getWorkflowType()),
            Look.shortId(run.getRunId()),
            look.status(run.getStatus()),
            Runs.took(run, look));
  }

  private List<Node> steps(String runId, int levels) {
    var nodes = new ArrayList<Node>();
    for (var step : runs.steps(runId, false, true)) {
      if (step.getKind() != StepKind.STEP_KIND_MARKER) {
        nodes.add(node(runId, step, levels));
      }
    }
    return nodes;
  }

  private Node node(String runId, Step step, int levels) {
    var fine = step.getStatus() == StepStatus.STEP_STATUS_COMPLETED;
    if (step.getKind() != StepKind.STEP_KIND_CHILD_WORKFLOW || levels == 0) {
      return new Node(line(step), List.of(), fine);
    }
    var below = new ArrayList<Node>();
    for (var child : children(runId, step)) {
      below.add(new Node(line(child), steps(child.getRunId(), levels - 1), fine));
    }
    return new Node(line(step), below, fine);
  }

  /** One child, or the items of a fan-out, which are known by their parent and its step. */
  private List<WorkflowRun> children(String runId, Step step) {
    if (!step.getChildRunId().isEmpty()) {
      return List.of(runs.get(step.getChildRunId(), false).getRun());
    }
    var request =
        ListWorkflowsRequest.newBuilder()
            .setNamespace(runs.server().namespace())
            .setPageSize(MOST_CHILDREN)
            .setFilter(WorkflowFilter.newBuilder().setParentRunId(runId))
            .build();
    return runs.server().workflows(stub -> stub.listWorkflows(request)).getRunsList().stream()
        .filter(run -> run.getParentStepKey().equals(step.getStepKey()))
        .toList();
  }

  private String line(Step step) {
    var attempts = step.getAttempt() > 1 ? "  attempt " + step.getAttempt() : "";
    var detail =
        step.getKind() == StepKind.STEP_KIND_CHILD_WORKFLOW && !step.hasError()
            ? ""
            : Look.cut(StepTable.detail(step, look), DETAIL_WIDTH);
    return "%s %s  %s%s%s"
        .formatted(
            icon(step),
            step.getStepKey(),
            look.took(step.getStartedAt(), step.getFinishedAt()),
            attempts,
            detail.isEmpty() ? "" : "  " + look.paint().faint(detail));
  }

  private String icon(Step step) {
    return switch (step.getStatus()) {
      case STEP_STATUS_COMPLETED -> look.paint().good("✔");
      case STEP_STATUS_FAILED, STEP_STATUS_INTERRUPTED -> look.paint().bad("✗");
      case STEP_STATUS_CANCELLED -> look.paint().odd("–");
      case STEP_STATUS_RUNNING ->
          step.getKind() == StepKind.STEP_KIND_FUNCTION ? look.paint().busy("▶") : "⏲";
      default -> "·";
    };
  }

  private void append(StringBuilder text, String indent, List<Node> nodes) {
    for (var i = 0; i < nodes.size(); i++) {
      var end = folds ? endOfFold(nodes, i) : i;
      if (end > i) {
        text.append(indent).append("├─ … %d more that went well (--no-fold)%n".formatted(end - i));
        i = end - 1;
        continue;
      }
      var last = i == nodes.size() - 1;
      text.append(indent).append(last ? "└─ " : "├─ ").append(nodes.get(i).line()).append('\n');
      append(text, indent + (last ? "   " : "│  "), nodes.get(i).below());
    }
  }

  /** Where a run of rows ends that begins here and can be left out; here if there is none. */
  private static int endOfFold(List<Node> nodes, int from) {
    if (nodes.size() <= FOLD_BEYOND || from < KEPT_AT_THE_ENDS) {
      return from;
    }
    var end = from;
    while (end < nodes.size() - KEPT_AT_THE_ENDS && nodes.get(end).isFine()) {
      end++;
    }
    return end > from + 1 ? end : from;
  }
}
