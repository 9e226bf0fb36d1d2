package dev.kagzi.engine.domain;

import org.jspecify.annotations.Nullable;

/** Explains to a worker why its write changed nothing. */
public final class Fencing {

  private Fencing() {}

  /**
   * Why a fence does not hold.
   *
   * @param live the run's row, if it is live
   * @param ended the run's end, if it has ended
   */
  public static EngineException refusal(
      Fence fence, @Nullable LiveRun live, @Nullable EndedRun ended) {
    if (live != null && live.target().namespace().equals(fence.namespace())) {
      return new EngineException(
          ErrorCode.LEASE_LOST,
          "run %s is %s under epoch %d, not held under epoch %d: drop the result"
              .formatted(fence.runId(), live.status(), live.epoch(), fence.epoch()));
    }
    if (ended != null && ended.namespace().equals(fence.namespace())) {
      return ended.status() == RunStatus.CANCELLED
          ? new EngineException(
              ErrorCode.RUN_CANCELLED, "run %s was cancelled".formatted(fence.runId()))
          : new EngineException(
              ErrorCode.RUN_TERMINAL,
              "run %s has ended: %s".formatted(fence.runId(), ended.status()));
    }
    return notFound(fence.runId());
  }

  /** Why a worker may not end a run that it holds. */
  public static EngineException insideSaga(LiveRun run) {
    return new EngineException(
        ErrorCode.SAGA_OPEN,
        "run %s is inside %d sagas (expected: each is closed, its work done or undone)"
            .formatted(run.runId(), run.openSagas()));
  }

  public static EngineException notFound(RunId runId) {
    return new EngineException(
        ErrorCode.RUN_NOT_FOUND, "run %s does not exist in this namespace".formatted(runId));
  }
}
