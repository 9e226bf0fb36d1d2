package dev.kagzi.server.grpc;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The open streams of this server, and the threads that work for them. Thread-safe. */
final class OpenStreams {

  private final Executor executor;
  private final Set<CallStream<?, ?, ?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  OpenStreams(Executor executor) {
    this.executor = executor;
  }

  Executor executor() {
    return executor;
  }

  void add(CallStream<?, ?, ?> stream) {
    open.add(stream);
    if (draining) {
      stream.finish();
    }
  }

  void remove(CallStream<?, ?, ?> stream) {
    open.remove(stream);
  }

  /** Ends all streams in good order, and those that are still opened at once. */
  void drain() {
    draining = true;
    open.forEach(CallStream::finish);
  }
}
