package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The row of a live run as a transaction sees it while it holds the row's lock.
 *
 * @param openSagas in how many sagas it is: as long as it is in one, it is not ended from outside
 *     but asked to end itself
 */
public record LiveRun(
    RunId runId,
    RunTarget target,
    RunStatus status,
    int epoch,
    @Nullable WorkerId lockedBy,
    @Nullable Instant availableAt,
    int openSagas,
    @Nullable StopRequest stop) {

  /** Whether a worker that shows this fence holds the run. */
  public boolean isHeldUnder(Fence fence) {
    return status == RunStatus.RUNNING
        && epoch == fence.epoch()
        && target.namespace().equals(fence.namespace());
  }
}
