package dev.kagzi.engine.domain;

import java.util.List;

/**
 * How long a history may become, because each pass over a workflow reads all of it. Held by the
 * place in the call order that a worker gives each step: that costs nothing, and whoever numbers
 * its calls, as replay wants it, is held exactly. What undoes a run's work or notes its decisions
 * may still be recorded beyond, so that a run that has met the limit can end in good order.
 *
 * @param most how many steps there are at most
 */
public record StepCap(int most) {

  /** How many times as many rows there may be with everything, however a worker numbers them. */
  private static final int WITH_EVERYTHING = 3;

  /** How many settled rows a history never exceeds by much. */
  public int rows() {
    return most * WITH_EVERYTHING;
  }

  /**
   * Accepts a step at its place.
   *
   * @throws EngineException if it lies beyond what a run may have
   */
  public void require(RunId runId, int seq, StepKind kind, StepTraits traits) {
    boolean extra = kind == StepKind.MARKER || traits.compensation();
    if (seq > (extra ? rows() : most)) {
      throw refusal(runId);
    }
  }

  /** The same for steps that another one's outcome cancels. */
  public void require(RunId runId, List<CancelledStep> steps) {
    steps.forEach(step -> require(runId, step.seq(), step.kind(), step.traits()));
  }

  /** What is said to a worker that asks for one step more. */
  public EngineException refusal(RunId runId) {
    return new EngineException(
        ErrorCode.TOO_MANY_STEPS,
        "run %s asks for more than %d steps (expected: it continues as a new run before)"
            .formatted(runId, most));
  }
}
