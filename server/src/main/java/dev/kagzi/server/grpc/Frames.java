package dev.kagzi.server.grpc;

import com.google.protobuf.MessageLite;
import java.util.List;

/**
 * What the frames are made of that a server sends on one kind of stream. Thread-safe.
 *
 * @param <R> one reply
 * @param <F> a frame of them
 */
interface Frames<R extends MessageLite, F> {

  /** The reply to a call that failed. */
  R refusal(long correlationId, Throwable failure);

  /** A frame of these replies, and of whatever else there is to be said. */
  F of(List<R> replies);

  /** Whether there is something to be said beside replies. */
  default boolean hasNews() {
    return false;
  }
}
