package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step that the workflow asked for.
 *
 * @param key its key, numbered
 * @param kind what it is
 * @param seq its place in the call order of the run
 * @param recorded what is known about it from before
 * @param group the branches it was begun with, if it is one
 */
record StepCall(
    StepKey key,
    StepKind kind,
    int seq,
    @Nullable HistoryItem recorded,
    @Nullable BranchGroup group) {

  /** The same as one of the branches of a group. */
  StepCall within(BranchGroup begunTogether) {
    return new StepCall(key, kind, seq, recorded, begunTogether);
  }

  boolean isSettled() {
    return recorded != null && recorded.getSettled();
  }

  /** Whether something outside of the run ends it. */
  boolean isEndedByNews() {
    return kind == StepKind.STEP_KIND_EVENT || kind == StepKind.STEP_KIND_CHILD_WORKFLOW;
  }

  /** The number of the next attempt: one more than the last recorded one. */
  int nextAttempt() {
    return recorded == null ? 1 : recorded.getAttempt() + 1;
  }

  StepAttempt attempt(int number, Instant startedAt) {
    var attempt =
        StepAttempt.newBuilder()
            .setStepKey(key.value())
            .setKind(kind)
            .setAttempt(number)
            .setSeq(seq)
            .setStartedAt(WireTimes.fromInstant(startedAt));
    if (group != null) {
      group.writeTo(attempt);
    }
    return attempt.build();
  }
}
