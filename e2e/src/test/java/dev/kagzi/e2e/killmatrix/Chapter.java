package dev.kagzi.e2e.killmatrix;

import java.util.function.Consumer;

/**
 * What happens around the death of a server in one of its loops.
 *
 * @param meanwhile done while no server runs
 * @param trigger asks the server that will die for something its loop acts on
 * @param verify looks, at the server that comes after it, whether all is done
 */
record Chapter(Runnable meanwhile, Consumer<Peer> trigger, Runnable verify) {

  private static final Consumer<Peer> NOTHING = peer -> {};

  static Chapter after(Runnable meanwhile, Runnable verify) {
    return new Chapter(meanwhile, NOTHING, verify);
  }

  /** Whether it needs a server that serves; some die before they do. */
  boolean isTriggered() {
    return trigger != NOTHING;
  }
}
