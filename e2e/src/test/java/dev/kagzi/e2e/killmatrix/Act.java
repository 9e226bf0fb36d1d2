package dev.kagzi.e2e.killmatrix;

import com.google.protobuf.Message;
import java.util.function.Function;

/**
 * A call that is made at a server that dies of it, and repeated at another one.
 *
 * @param call the call itself, the same each time
 * @param check looks at the answer to the repetition and at what was done
 */
record Act<M extends Message>(Function<Peer, M> call, Check<M> check) {

  /** Looks at the answer to a repeated call. */
  @FunctionalInterface
  interface Check<M> {
    /**
     * Throws if something is not as it should be.
     *
     * @param done whether the call was carried out before its server died
     */
    void answered(M answer, boolean done);
  }

  /** Repeats the call at a server and looks at what it answers. */
  void repeat(Peer survivor, boolean done) {
    check.answered(call.apply(survivor), done);
  }
}
