package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.QueueKey;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Tells the dispatcher of a queue, if one listens here, that there is or will be work. */
public final class WorkSignals {

  /** Hears about one queue. Called after the commit that made the news true; must not block. */
  public interface Listener {

    /** A run may be claimed now. */
    void workReady();

    /** A run may be claimed at that time. */
    void workDueAt(Instant at);
  }

  private final ConcurrentMap<QueueKey, Listener> listeners = new ConcurrentHashMap<>();

  /** From now on the listener hears of the queue; there is one per queue and server. */
  public void listen(QueueKey queue, Listener listener) {
    listeners.put(queue, listener);
  }

  public void workReady(QueueKey queue) {
    Listener listener = listeners.get(queue);
    if (listener != null) {
      listener.workReady();
    }
  }

  public void workDueAt(QueueKey queue, Instant at) {
    Listener listener = listeners.get(queue);
    if (listener != null) {
      listener.workDueAt(at);
    }
  }
}
