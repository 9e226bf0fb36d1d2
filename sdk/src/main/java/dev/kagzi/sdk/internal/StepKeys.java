package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import java.util.HashMap;
import java.util.Map;

/**
 * Numbers the steps of a run in call order: the second use of a key is {@code key#2}. Belongs to
 * the workflow's thread, because another order would give other numbers.
 */
final class StepKeys {

  private final Map<StepKey, Integer> uses = new HashMap<>();

  StepKey next(StepKey key) {
    return key.occurrence(uses.merge(key, 1, Integer::sum));
  }
}
