package dev.kagzi.sdk.internal;

import dev.kagzi.v1.FailStepRequest;
import java.util.Optional;
import java.util.function.Supplier;

/** Goes on with a run whose thread was left behind in a step. */
@FunctionalInterface
interface Heir {

  /**
   * Goes on, on another thread.
   *
   * @param lastWords what became of the step, if that is to be reported before
   */
  void goOn(Optional<Supplier<FailStepRequest>> lastWords);
}
