package dev.kagzi.sdk;

import java.util.List;

/**
 * The worker of an {@linkplain StepBuilder#atMostOnce at-most-once} step was lost while the step
 * ran: nobody knows how far it came, and it will not be executed again. Thrown on the first run as
 * on every replay.
 */
public final class StepInterruptedException extends StepFailedException {

  private static final long serialVersionUID = 1;

  /** The recorded end of a step; the parameters are those of {@link StepFailedException}. */
  public StepInterruptedException(
      String step, int attempts, String errorType, List<String> supertypes, String errorMessage) {
    super(step, attempts, ErrorKind.INTERRUPTED, errorType, supertypes, errorMessage);
  }
}
