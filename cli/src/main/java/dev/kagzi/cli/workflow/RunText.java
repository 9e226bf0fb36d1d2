package dev.kagzi.cli.workflow;

import dev.kagzi.cli.command.Labels;
import dev.kagzi.cli.command.Payloads;
import dev.kagzi.cli.output.Look;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.ExplainWorkflowResponse;
import dev.kagzi.v1.WorkflowRun;
import java.util.ArrayList;
import java.util.List;

/** One run as people read it: what it is, why it is so, what it went through. Stateless. */
final class RunText {
  private RunText() {}

  /** The lines above the steps. */
  static String header(WorkflowRun run, Look look) {
    var lines = new ArrayList<String>();
    lines.add(
        String.join(
            "   ",
            present(
                look.paint().strong(run.getWorkflowType()) + "  " + run.getRunId(),
                named("id", run.getExternalId()),
                named("namespace", run.getNamespace()),
                named("queue", run.getTaskQueue()),
                named("version", run.getVersion()))));
    lines.add(
        String.join(
            "   ",
            present(
                look.status(run.getStatus()),
                "started " + look.at(run.getCreatedAt()),
                run.hasFinishedAt() ? "took " + Runs.took(run, look) : "",
                "attempts " + run.getAttempts(),
                run.getCrashes() > 0 ? look.paint().odd("crashes " + run.getCrashes()) : "",
                run.getRetries() > 0 ? "retried " + run.getRetries() : "",
                named("worker", Look.shortId(run.getWorkerId())),
                run.hasDeadlineAt() ? "deadline " + look.at(run.getDeadlineAt()) : "")));
    addRelations(run, lines);
    return String.join("\n", lines) + "\n";
  }

  private static void addRelations(WorkflowRun run, List<String> lines) {
    var relations =
        present(
            named("parent", Look.shortId(run.getParentRunId())),
            named("schedule", run.getScheduleId()),
            named("forked from", Look.shortId(run.getForkedFromRunId())),
            named("continues", Look.shortId(run.getContinuedFromRunId())),
            named("continued as", Look.shortId(run.getContinuedAsRunId())),
            named("handles failure of", Look.shortId(run.getHandlerForRunId())),
            run.getLabelsCount() > 0 ? "labels " + Labels.shown(run.getLabelsMap()) : "");
    if (!relations.isEmpty()) {
      lines.add(String.join("   ", relations));
    }
  }

  private static List<String> present(String... parts) {
    var present = new ArrayList<String>();
    for (var part : parts) {
      if (!part.isEmpty()) {
        present.add(part);
      }
    }
    return present;
  }

  private static String named(String name, String value) {
    return value.isEmpty() || value.equals(Look.NONE) ? "" : name + "=" + value;
  }

  /** Why the run is where it is, in the server's words. */
  static String why(ExplainWorkflowResponse explanation, Look look) {
    return "Why: " + painted(explanation, explanation.getSentence(), look) + "\n";
  }

  /** The same with what it rests on, and what to do. */
  static String explanation(ExplainWorkflowResponse explanation, Look look) {
    var text = new StringBuilder();
    text.append(painted(explanation, explanation.getSentence(), look)).append('\n');
    for (var evidence : explanation.getEvidenceList()) {
      var mark =
          switch (evidence.getStatus()) {
            case HEALTH_STATUS_HEALTHY -> look.paint().good("✔");
            case HEALTH_STATUS_UNHEALTHY -> look.paint().bad("✗");
            default -> look.paint().odd("!");
          };
      text.append("  %s %s: %s%n".formatted(mark, evidence.getSubject(), evidence.getFinding()));
    }
    return text.append(suggestions(explanation)).toString();
  }

  /** What to do, in the server's words, and the commands for it where there are some. */
  static String suggestions(ExplainWorkflowResponse explanation) {
    var text = new StringBuilder();
    explanation
        .getSuggestionsList()
        .forEach(suggestion -> text.append("  → ").append(suggestion.getText()).append('\n'));
    commands(explanation.getRun())
        .forEach(command -> text.append("    kagzi ").append(command).append('\n'));
    return text.toString();
  }

  private static List<String> commands(WorkflowRun run) {
    var id = Look.shortId(run.getRunId());
    return switch (run.getStatus()) {
      case WORKFLOW_STATUS_FAILED, WORKFLOW_STATUS_TIMED_OUT ->
          run.getFailedStepKey().isEmpty()
              ? List.of("wf retry " + id)
              : List.of(
                  "step show %s '%s'".formatted(id, run.getFailedStepKey()), "wf retry " + id);
      default -> List.of();
    };
  }

  private static String painted(ExplainWorkflowResponse explanation, String text, Look look) {
    return switch (explanation.getVerdict()) {
      case HEALTH_STATUS_UNHEALTHY -> look.paint().bad(text);
      case HEALTH_STATUS_DEGRADED -> look.paint().odd(text);
      default -> text;
    };
  }

  /** Input and output in full. */
  static String payloads(WorkflowRun run) {
    var output = run.hasOutput() ? "\noutput  " + Payloads.text(run.getOutput()) : "";
    return "input   " + Payloads.text(run.getInput()) + output + "\n";
  }

  /** An error with its causes and stack trace. */
  static String error(ErrorDetail error, Look look) {
    var text = new StringBuilder();
    text.append(look.paint().bad(error.getType() + ": " + error.getMessage())).append('\n');
    error.getStackTrace().lines().skip(1).forEach(line -> text.append(line).append('\n'));
    if (error.hasCause()) {
      text.append("caused by ").append(error(error.getCause(), look));
    }
    return text.toString();
  }
}
