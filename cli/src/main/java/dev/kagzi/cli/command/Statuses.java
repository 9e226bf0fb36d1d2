package dev.kagzi.cli.command;

import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_PAUSED;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_SCHEDULED;

import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.v1.WorkflowStatus;
import java.util.List;
import java.util.Locale;

/** The states that the contract has for runs and for schedules, which share none. Stateless. */
public final class Statuses {
  private static final String FLAG = "--status";
  private static final List<WorkflowStatus> OF_SCHEDULES =
      List.of(WORKFLOW_STATUS_SCHEDULED, WORKFLOW_STATUS_PAUSED);
  private static final List<WorkflowStatus> OF_RUNS =
      Words.known(WorkflowStatus.class).stream()
          .filter(status -> !OF_SCHEDULES.contains(status))
          .toList();

  private Statuses() {}

  /** Reads the state of a run. */
  public static WorkflowStatus ofRun(String typed) {
    return read(typed, OF_RUNS, OF_SCHEDULES, "schedules and never one of runs", "schedule list");
  }

  /** Reads the state of a schedule. */
  public static WorkflowStatus ofSchedule(String typed) {
    return read(typed, OF_SCHEDULES, OF_RUNS, "runs and never one of schedules", "wf list");
  }

  private static WorkflowStatus read(
      String typed,
      List<WorkflowStatus> known,
      List<WorkflowStatus> others,
      String whose,
      String command) {
    Words.find(others, typed)
        .ifPresent(other -> {
          throw CommandFailedException.usage(
              "%s: '%s' is a state of %s; try: kagzi %s %s %s"
                  .formatted(FLAG, typed, whose, command, FLAG, typed.toLowerCase(Locale.ROOT)));
        });
    return Words.read(known, FLAG, typed);
  }
}
