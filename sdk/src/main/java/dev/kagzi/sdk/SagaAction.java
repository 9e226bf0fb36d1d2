package dev.kagzi.sdk;

/** The body of a saga without a result. */
@FunctionalInterface
public interface SagaAction {

  /**
   * Does the work.
   *
   * @param saga where to register how to undo it
   * @throws Exception whatever makes the saga undo what was done
   */
  void run(Saga saga) throws Exception;
}
