package dev.kagzi.cli.workflow;

import dev.kagzi.cli.command.Payloads;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;

/**
 * The end of a run: its output alone on the standard output, for a pipe; what went wrong on the
 * standard error.
 */
record Outcome(Session session, OutputOptions output) {

  /** Prints it, and says how to end. */
  int print(AwaitWorkflowResponse response) {
    var run = response.getRun();
    var completed = run.getStatus() == WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
    var answer =
        Answer.one(
            response,
            run.getRunId(),
            look -> completed ? Payloads.text(run.getOutput()) + "\n" : "");
    output.printer(session).print(answer);
    if (!completed) {
      session.err().println("kagzi: " + sentence(run));
    }
    return (completed ? ExitCode.OK : ExitCode.RUN_FAILED).number();
  }

  private static String sentence(WorkflowRun run) {
    var step = run.getFailedStepKey().isEmpty() ? "" : " in step '" + run.getFailedStepKey() + "'";
    var error = run.hasError() ? ": " + Payloads.line(run.getError()) : "";
    return "run %s %s%s%s; kagzi wf show %s tells more"
        .formatted(
            Look.shortId(run.getRunId()),
            Words.of(run.getStatus()),
            step,
            error,
            Look.shortId(run.getRunId()));
  }
}
