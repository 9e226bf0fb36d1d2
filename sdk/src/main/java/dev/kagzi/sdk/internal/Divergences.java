package dev.kagzi.sdk.internal;

import dev.kagzi.v1.Divergence;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepKind;

/** Where code and history part, in words. */
final class Divergences {

  private Divergences() {}

  static Divergence otherKind(HistoryItem recorded, StepKind found) {
    return Divergence.newBuilder()
        .setExpectedStepKey(recorded.getStepKey())
        .setExpectedKind(recorded.getKind())
        .setFoundStepKey(recorded.getStepKey())
        .setFoundKind(found)
        .setMessage(
            "'%s' was recorded as %s and the code asks for it as %s"
                .formatted(recorded.getStepKey(), recorded.getKind(), found))
        .build();
  }

  /**
   * A step that the code has not asked for.
   *
   * @param ending how the code ended, in words
   */
  static Divergence unasked(HistoryItem item, String ending) {
    return Divergence.newBuilder()
        .setExpectedStepKey(item.getStepKey())
        .setExpectedKind(item.getKind())
        .setMessage(
            "the code %s without asking for '%s', which was recorded"
                .formatted(ending, item.getStepKey()))
        .build();
  }
}
