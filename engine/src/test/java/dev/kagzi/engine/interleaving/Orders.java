package dev.kagzi.engine.interleaving;

import java.util.ArrayList;
import java.util.List;

/**
 * All ways to decide, depth first: an attempt follows the decisions of the one before it up to the
 * last that could have been another, and takes that other one.
 */
final class Orders {

  private record Decision(int taken, int ways) {}

  private final List<Decision> path = new ArrayList<>();
  private int depth;
  private int tried;

  /** Begins another attempt; false if there is none left. */
  boolean next() {
    if (tried > 0 && !turn()) {
      return false;
    }
    depth = 0;
    tried++;
    return true;
  }

  private boolean turn() {
    while (!path.isEmpty()) {
      Decision last = path.remove(path.size() - 1);
      if (last.taken() + 1 < last.ways()) {
        path.add(new Decision(last.taken() + 1, last.ways()));
        return true;
      }
    }
    return false;
  }

  /** Decides between so many ways. */
  int choose(int ways) {
    if (depth == path.size()) {
      path.add(new Decision(0, ways));
    }
    Decision decision = path.get(depth++);
    if (decision.ways() != ways) {
      throw new IllegalStateException(
          "the same decisions led to %d ways once and to %d now".formatted(decision.ways(), ways));
    }
    return decision.taken();
  }

  int tried() {
    return tried;
  }
}
