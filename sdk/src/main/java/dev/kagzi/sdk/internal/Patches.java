package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepKind;
import java.util.HashMap;
import java.util.Map;

/**
 * Changes of the code that runs go along with or not: decided where a run first asks, and the same
 * ever after. Belongs to the workflow's thread.
 */
final class Patches {

  private static final String PREFIX = "patched:";

  private final RunPass pass;
  private final Markers markers;
  private final Map<String, Boolean> decided = new HashMap<>();

  Patches(RunPass pass, Markers markers) {
    this.pass = pass;
    this.markers = markers;
  }

  /** Whether a recorded step is the marker of a patch, which code may stop asking for. */
  static boolean isMarker(HistoryItem item) {
    return item.getKind() == StepKind.STEP_KIND_MARKER && item.getStepKey().startsWith(PREFIX);
  }

  boolean patched(String id) {
    StepKey marker = StepKey.of(PREFIX + id);
    boolean past = pass.isPastWithout(marker);
    Boolean known = decided.get(id);
    if (known != null) {
      return known;
    }
    if (!past) {
      markers.patched(pass.askFor(StepKind.STEP_KIND_MARKER, marker));
    }
    decided.put(id, !past);
    return !past;
  }
}
