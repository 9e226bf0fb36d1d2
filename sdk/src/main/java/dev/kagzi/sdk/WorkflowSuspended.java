package dev.kagzi.sdk;

/**
 * Unwinds a workflow whose run leaves this worker for now: it sleeps, waits for a later retry, was
 * asked to stop, or its lease has moved on. It is control flow and no failure, so it is an {@link
 * Error} that {@code catch (Exception e)} does not see and carries no stack trace. Code that must
 * catch {@link Throwable} has to let it pass; the context refuses everything afterwards by throwing
 * it again.
 */
public final class WorkflowSuspended extends Error {

  private static final long serialVersionUID = 1;

  /**
   * Ends this execution of the workflow body.
   *
   * @param why what the run waits for, as the end of a sentence
   */
  public WorkflowSuspended(String why) {
    super(
        "The run leaves this worker: %s. This is control flow of Kagzi; do not catch it"
            .formatted(why),
        null,
        false,
        false);
  }
}
