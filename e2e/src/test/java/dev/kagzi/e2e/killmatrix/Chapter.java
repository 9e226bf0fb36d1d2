package dev.kagzi.e2e.killmatrix;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What happens around the death of a server in one of its loops.
 *
 * @param meanwhile done while no server runs
 * @param trigger asks the server that will die for something its loop acts on; null if there is
 *     nothing to ask for, and then it may die before it serves
 * @param verify looks, at the server that comes after it, whether all is done
 */
record Chapter(Runnable meanwhile, @Nullable Consumer<Peer> trigger, Runnable verify) {

  static Chapter after(Runnable meanwhile, Runnable verify) {
    return new Chapter(meanwhile, null, verify);
  }
}
