package dev.kagzi.engine.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Plays histories: new ones from a seed, and given ones again. */
final class History {

  /** Operations after which the two must not only have said the same but be the same. */
  private static final int LOOK_AFTER = 20;

  /** A history up to the operation about which the two disagree. */
  record Disagreement(List<Op> ops, String about) {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < ops.size(); i++) {
        text.append("%n%3d. %s: %s".formatted(i + 1, ops.get(i).actor(), ops.get(i)));
      }
      return text + "%n%s".formatted(about);
    }
  }

  private final Duel duel;

  History(Duel duel) {
    this.duel = duel;
  }

  /** Makes a history up and plays it. */
  Optional<Disagreement> play(long seed, int length) {
    duel.begin();
    OpGenerator generator = new OpGenerator(new Random(seed), duel.world());
    List<Op> ops = new ArrayList<>();
    for (int i = 1; i <= length; i++) {
      Op op = generator.next();
      ops.add(op);
      String about = duel.play(op);
      if (about == null && (i % LOOK_AFTER == 0 || i == length)) {
        about = duel.differences();
      }
      if (about != null) {
        return Optional.of(new Disagreement(ops, about));
      }
    }
    return Optional.empty();
  }

  /** Plays a given history and compares everything after each operation. */
  Optional<Disagreement> replay(List<Op> ops) {
    duel.begin();
    for (int i = 0; i < ops.size(); i++) {
      @Nullable String about = duel.play(ops.get(i));
      if (about == null) {
        about = duel.differences();
      }
      if (about != null) {
        return Optional.of(new Disagreement(List.copyOf(ops.subList(0, i + 1)), about));
      }
    }
    return Optional.empty();
  }

  /**
   * Makes a counterexample short: takes out ever smaller pieces, for as long as what is left is one
   * still, about whatever the two then disagree.
   */
  Disagreement shrink(Disagreement found) {
    Disagreement best = replay(found.ops()).orElse(found);
    int piece = Math.max(1, best.ops().size() / 2);
    while (true) {
      Optional<Disagreement> shorter = takeOut(best, piece);
      if (shorter.isPresent()) {
        best = shorter.get();
        piece = Math.min(piece, Math.max(1, best.ops().size() / 2));
      } else if (piece == 1) {
        return best;
      } else {
        piece = piece / 2;
      }
    }
  }

  private Optional<Disagreement> takeOut(Disagreement from, int piece) {
    List<Op> ops = from.ops();
    for (int end = ops.size(); end > 0; end -= piece) {
      int start = Math.max(0, end - piece);
      List<Op> less = new ArrayList<>(ops.subList(0, start));
      less.addAll(ops.subList(end, ops.size()));
      Optional<Disagreement> found = replay(less);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }
}
