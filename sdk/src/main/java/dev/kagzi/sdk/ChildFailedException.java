package dev.kagzi.sdk;

import java.util.List;

/**
 * A child run has ended without a result: it has failed, was cancelled or ran out of time. The kind
 * and the type are those of the child's own error. Thrown on the first run as on every replay.
 */
public final class ChildFailedException extends StepFailedException {

  private static final long serialVersionUID = 1;

  private final String childRunId;

  /**
   * The recorded end of a child; the other parameters are those of {@link StepFailedException}.
   *
   * @param childRunId the run that has ended
   */
  public ChildFailedException(
      String step,
      String childRunId,
      ErrorKind kind,
      String errorType,
      List<String> supertypes,
      String errorMessage) {
    super(step, 1, kind, errorType, supertypes, errorMessage);
    this.childRunId = childRunId;
  }

  /** The id of the run that has ended. */
  public String childRunId() {
    return childRunId;
  }
}
