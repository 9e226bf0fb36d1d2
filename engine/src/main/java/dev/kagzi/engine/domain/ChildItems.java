package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.util.List;

/**
 * Some items of a fan-out, one after the other.
 *
 * @param last there are no items after these
 */
public record ChildItems(int firstIndex, List<Payload> inputs, boolean last) {

  /** What one step may start. */
  public static final int MOST = 100_000;

  public ChildItems {
    inputs = List.copyOf(inputs);
  }

  /** The index after the last of these. */
  public int end() {
    return firstIndex + inputs.size();
  }
}
