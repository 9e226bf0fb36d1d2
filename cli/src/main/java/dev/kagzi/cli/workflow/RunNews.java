package dev.kagzi.cli.workflow;

import dev.kagzi.cli.command.Payloads;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.WorkflowRun;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells on the standard error what has happened to a run since it was last looked at, a line for
 * each thing. Not thread-safe.
 */
final class RunNews {
  private static final int NAME_WIDTH = 24;

  /** How long a run may stand still before that is worth a word. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Session session;
  private final Runs runs;
  private final Look look;
  private final String runId;
  private final Set<String> told = new HashSet<>();
  private final long began = System.nanoTime();
  private boolean explained;

  RunNews(Session session, Runs runs, Look look, String runId) {
    this.session = session;
    this.runs = runs;
    this.look = look;
    this.runId = runId;
  }

  void tellStart(String type) {
    say(look.paint().strong(Look.shortId(runId)) + "  " + type);
  }

  /** Looks, and tells what is new. */
  void tell() {
    // The run may have been followed for long, and "in 2s" means from now.
    var current = look.asOf(session.now());
    for (var step : runs.steps(runId, true, false)) {
      var line = StepLine.of(step, current);
      if (!line.isEmpty() && told.add(key(step))) {
        say(line);
      }
    }
  }

  /** Looks, and tells what is new; why there is nothing new, if that will not change by itself. */
  void tellOrExplain() {
    tell();
    if (told.isEmpty() && !explained && System.nanoTime() - began > PATIENCE.toNanos()) {
      explained = true;
      var explanation = runs.explain(runId);
      if (explanation.getVerdict() == HealthStatus.HEALTH_STATUS_UNHEALTHY) {
        say(look.paint().odd("! " + explanation.getSentence()));
        runs.meantType(explanation.getRun().getWorkflowType())
            .ifPresent(it -> say("  " + unknownType(explanation.getRun(), it)));
        RunText.suggestions(explanation).lines().forEach(line -> say(line));
      }
    }
  }

  private static String unknownType(WorkflowRun run, String meant) {
    return "no worker has ever registered '%s' (did you mean '%s'?); kagzi wf cancel %s takes it back"
        .formatted(run.getWorkflowType(), meant, Look.shortId(run.getRunId()));
  }

  private static String key(Step step) {
    return step.getStepKey() + " " + step.getAttempt() + " " + step.getStatus();
  }

  void tellEnd(WorkflowRun run) {
    say(look.status(run.getStatus()) + " in " + Runs.took(run, look));
  }

  private void say(String line) {
    session.err().println("  " + line);
    session.err().flush();
  }

  /** One thing that happened to a step. */
  private static final class StepLine {
    private StepLine() {}

    /**
     * Empty if it is not worth a line: a short step that runs, or a note of the workflow itself.
     */
    static String of(Step step, Look look) {
      if (step.getKind() == StepKind.STEP_KIND_MARKER) {
        return "";
      }
      var paint = look.paint();
      var name = padded(step.getStepKey());
      return switch (step.getStatus()) {
        case STEP_STATUS_COMPLETED ->
            paint.good("✔")
                + " "
                + name
                + " "
                + look.took(step.getStartedAt(), step.getFinishedAt());
        case STEP_STATUS_FAILED, STEP_STATUS_INTERRUPTED ->
            paint.bad("✗") + " " + name + " " + failure(step);
        case STEP_STATUS_CANCELLED -> paint.odd("–") + " " + name + " cancelled";
        case STEP_STATUS_RUNNING -> waiting(step, name, look);
        default -> "";
      };
    }

    private static String padded(String name) {
      return name + " ".repeat(Math.max(0, NAME_WIDTH - name.length()));
    }

    private static String failure(Step step) {
      return "attempt %d: %s".formatted(step.getAttempt(), Payloads.line(step.getError()));
    }

    private static String waiting(Step step, String name, Look look) {
      return switch (step.getKind()) {
        case STEP_KIND_SLEEP -> "⏲ " + name + " sleeps, wakes " + look.at(step.getWakeAt());
        case STEP_KIND_EVENT -> "⏲ " + name + " waits for event '" + step.getEventName() + "'";
        case STEP_KIND_CHILD_WORKFLOW ->
            "⏲ " + name + " waits for child " + Look.shortId(step.getChildRunId());
        default -> "";
      };
    }
  }
}
