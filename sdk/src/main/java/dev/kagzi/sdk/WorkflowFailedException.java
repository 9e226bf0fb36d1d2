package dev.kagzi.sdk;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A run ended without a result; thrown to whoever asked for the result. */
public final class WorkflowFailedException extends KagziException {

  private static final long serialVersionUID = 1;

  private final String runId;
  private final RunStatus status;
  private final String errorType;
  private final String errorMessage;
  private final @Nullable String failedStep;

  /**
   * The end of a run.
   *
   * @param runId the run
   * @param status how it ended: failed, cancelled or timed out
   * @param errorType the class name of the error, empty where there was none
   * @param errorMessage the error in words
   * @param failedStep the key of the step that ended it, if one did
   */
  public WorkflowFailedException(
      String runId,
      RunStatus status,
      String errorType,
      String errorMessage,
      @Nullable String failedStep) {
    super(sentence(runId, status, errorType, errorMessage, failedStep));
    this.runId = runId;
    this.status = status;
    this.errorType = errorType;
    this.errorMessage = errorMessage;
    this.failedStep = failedStep;
  }

  private static String sentence(
      String runId, RunStatus status, String type, String message, @Nullable String step) {
    String where = step == null ? "" : " in step '" + step + "'";
    String what = type.isEmpty() ? message : type + ": " + message;
    return "run %s is %s%s%s".formatted(runId, status, where, what.isBlank() ? "" : ": " + what);
  }

  /** The run that failed; of a run that continued as new, the last one. */
  public String runId() {
    return runId;
  }

  /** How the run ended. */
  public RunStatus status() {
    return status;
  }

  /** The class name of the error, empty where there was none. */
  public String errorType() {
    return errorType;
  }

  /** The error in words. */
  public String errorMessage() {
    return errorMessage;
  }

  /** The key of the step that ended the run, if one did. */
  public Optional<String> failedStep() {
    return Optional.ofNullable(failedStep);
  }
}
