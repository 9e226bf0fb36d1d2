package dev.kagzi.sdk.internal;

import io.grpc.MethodDescriptor;
import java.util.List;

/**
 * What travels on one kind of stream. Thread-safe, but for {@link #of}, which is called by one
 * thread after the other.
 *
 * @param <C> one call
 * @param <R> one reply
 * @param <Q> a frame of calls
 * @param <F> a frame of replies
 */
interface Frames<C, R, Q, F> {

  /** What the streams are called, for people. */
  String name();

  MethodDescriptor<Q, F> method();

  /** Whether something is to be said although nobody calls. */
  default boolean hasGreeting() {
    return false;
  }

  /**
   * A frame of these calls.
   *
   * @param senderWaits whether it is one call whose caller sends the frame himself
   */
  Q of(List<C> calls, boolean senderWaits);

  List<R> replies(F frame);

  long correlationId(R reply);

  /** How many callers may soon be back with their next call, because of what a frame brought. */
  int comingBack(F frame);

  /** Hears what a frame says beside replies; must not block. */
  default void heard(F frame) {}
}
