package dev.kagzi.e2e.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** What is done to the cluster, and how often in twenty times. */
enum Fault {
  KILL_WORKER(4),
  PAUSE_WORKER(3),
  KILL_SERVER(3),
  PAUSE_SERVER(1),
  CUT_LINK(2),
  SILENCE_LINK(1),
  DELAY_LINK(1),
  KILL_BACKENDS(2),
  KILL_POSTGRES(1),
  PAUSE_POSTGRES(1),
  TERMINATE(1);

  private final int share;

  Fault(int share) {
    this.share = share;
  }

  /** Whether it takes the database from everybody. */
  boolean isOutage() {
    return this == KILL_POSTGRES || this == PAUSE_POSTGRES || this == KILL_BACKENDS;
  }

  /**
   * Faults like cards of a shuffled deck: at random, but each as often as its share says, also
   * where only one deck is drawn.
   */
  static final class Deck {
    private final Random random;
    private final List<Fault> extra;
    private final Deque<Fault> cards = new ArrayDeque<>();

    /**
     * A deck for ever.
     *
     * @param extra cards beyond the usual twenty
     */
    Deck(Random random, List<Fault> extra) {
      this.random = random;
      this.extra = List.copyOf(extra);
    }

    Fault draw() {
      if (cards.isEmpty()) {
        var fresh = new ArrayList<>(extra);
        for (Fault fault : values()) {
          fresh.addAll(Collections.nCopies(fault.share, fault));
        }
        Collections.shuffle(fresh, random);
        cards.addAll(fresh);
      }
      return cards.pop();
    }
  }
}
