package dev.kagzi.sdk;

import java.util.List;

/**
 * A step has failed for good. The workflow may catch it and go on; it is thrown on the first run as
 * on every replay. The original exception does not exist any more when a run is replayed, so it is
 * never the cause; ask for it by type with {@link #is}.
 */
public sealed class StepFailedException extends KagziException
    permits StepInterruptedException, ChildFailedException {

  private static final long serialVersionUID = 1;

  private final String step;
  private final ErrorKind kind;
  private final String errorType;
  private final String errorMessage;
  private final int attempts;
  private final List<String> supertypes;

  /**
   * The recorded end of a step.
   *
   * @param step the step's key
   * @param attempts how many attempts were made
   * @param kind what sort of trouble the last attempt ended with
   * @param errorType the class name of the last attempt's exception
   * @param supertypes the class names of its superclasses
   * @param errorMessage the message of the last attempt's exception
   */
  public StepFailedException(
      String step,
      int attempts,
      ErrorKind kind,
      String errorType,
      List<String> supertypes,
      String errorMessage) {
    super(
        "step '%s' failed after %d attempt(s): %s: %s"
            .formatted(step, attempts, errorType, errorMessage));
    this.step = step;
    this.attempts = attempts;
    this.kind = kind;
    this.errorType = errorType;
    this.supertypes = List.copyOf(supertypes);
    this.errorMessage = errorMessage;
  }

  /** The key of the step. */
  public final String step() {
    return step;
  }

  /** What sort of trouble the last attempt ended with. */
  public final ErrorKind kind() {
    return kind;
  }

  /** The class name of the exception that the last attempt ended with. */
  public final String errorType() {
    return errorType;
  }

  /** The message of the exception that the last attempt ended with. */
  public final String errorMessage() {
    return errorMessage;
  }

  /** How many attempts were made. */
  public final int attempts() {
    return attempts;
  }

  /** Whether the last attempt ended with an exception of this class or a subclass of it. */
  public final boolean is(Class<? extends Throwable> type) {
    return errorType.equals(type.getName()) || supertypes.contains(type.getName());
  }
}
