package dev.kagzi.sdk.internal;

import dev.kagzi.v1.HistoryItem;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Who the child of a branch is, as soon as somebody knows. Thread-safe. */
final class StartedChild {

  private final CountDownLatch told = new CountDownLatch(1);
  private volatile @Nullable String runId;

  void isKnown(@Nullable HistoryItem recorded) {
    if (recorded != null && !recorded.getChildRunId().isEmpty()) {
      isKnown(recorded.getChildRunId());
    }
  }

  void isKnown(String id) {
    runId = id;
    told.countDown();
  }

  /** Nobody will say more. */
  void isOver() {
    told.countDown();
  }

  /** Waits until it is known whether there is a child; the id, if there is. */
  @Nullable String await(Branches branches) {
    RunPass pass = branches.pass();
    pass.requireWorkflowThread();
    pass.requireOpen();
    if (told.getCount() == 0) {
      return runId;
    }
    HeldRun held = pass.claim().held();
    held.beginWait();
    try {
      told.await();
      return runId;
    } catch (InterruptedException e) {
      throw branches.stopped();
    } finally {
      held.endWait();
    }
  }
}
