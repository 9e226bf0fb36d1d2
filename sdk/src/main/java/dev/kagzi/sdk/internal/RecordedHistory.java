package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run has done before, found by key and never by position. Filled before the workflow begins
 * and then asked by its thread; only {@link #isReplaying} may be called from others.
 */
final class RecordedHistory {

  private final Map<String, HistoryItem> items = new HashMap<>();
  private final Map<String, HistoryItem> unasked = new LinkedHashMap<>();
  private final Set<String> ahead = new HashSet<>();
  private volatile boolean replaying;

  void add(Iterable<HistoryItem> page) {
    for (HistoryItem item : page) {
      items.put(item.getStepKey(), item);
      if (Patches.isMarker(item)) {
        // Code may stop asking for it once no run needs the old way any more.
        continue;
      }
      if (hasHappened(item)) {
        ahead.add(item.getStepKey());
      }
      if (item.getSettled()) {
        unasked.put(item.getStepKey(), item);
        replaying = true;
      }
    }
  }

  /** What is recorded under a key, if anything; from the first new key on, the run is live. */
  @Nullable HistoryItem ask(StepKey key) {
    HistoryItem item = items.get(key.value());
    unasked.remove(key.value());
    ahead.remove(key.value());
    if (unasked.isEmpty() || item == null || !item.getSettled()) {
      replaying = false;
    }
    return item;
  }

  /**
   * Whether the run came to this step in its present course: all but what only superseded attempts
   * tell of, which a person has sent it back before.
   */
  private static boolean hasHappened(HistoryItem item) {
    return item.getStatus() != StepStatus.STEP_STATUS_PENDING || item.getAttempt() == 0;
  }

  /** What is recorded under a key, without asking for it. */
  @Nullable HistoryItem peek(StepKey key) {
    return items.get(key.value());
  }

  /** Whether the run has been further than the code is now. */
  boolean isAhead() {
    return !ahead.isEmpty();
  }

  boolean contains(StepKey key) {
    return items.containsKey(key.value());
  }

  /** Whether the code still goes over what it has done before. */
  boolean isReplaying() {
    return replaying;
  }

  /** A settled step that the code has not asked for. */
  Optional<HistoryItem> firstUnasked() {
    return unasked.values().stream().findFirst();
  }
}
