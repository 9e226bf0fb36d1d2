package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The row of a live run as a transaction sees it while it holds the row's lock.
 *
 * @param openSagas in how many sagas it is: as long as it is in one, nobody ends it who could have
 *     it undone; from outside it is asked to end itself
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

  /** The same run after it has entered or left sagas. */
  public LiveRun withOpenSagas(int open) {
    return new LiveRun(runId, target, status, epoch, lockedBy, availableAt, open, stop);
  }

  /** Whether a worker that shows this fence holds the run. */
  public boolean isHeldUnder(Fence fence) {
    return status == RunStatus.RUNNING
        && epoch == fence.epoch()
        && target.namespace().equals(fence.namespace());
  }
}
