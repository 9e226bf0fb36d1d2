package dev.kagzi.sdk;

import org.jspecify.annotations.Nullable;

/** There is no such run in this namespace, or it has been pruned. */
public final class WorkflowNotFoundException extends KagziException {

  private static final long serialVersionUID = 1;

  private final String runId;

  /** Names the run that was looked for. */
  public WorkflowNotFoundException(String runId, @Nullable Throwable cause) {
    super(
        "No run %s in this namespace (expected: the id of a run that retention has kept)"
            .formatted(runId),
        cause);
    this.runId = runId;
  }

  /** The run that was looked for. */
  public String runId() {
    return runId;
  }
}
