package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.QueueKey;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Tells whoever hands out the work of a queue that there is or will be some: the dispatcher of this
 * server directly, those of other servers through {@link Remote}.
 */
public final class WorkSignals {

  /** Hears about one queue. Called after the commit that made the news true; must not block. */
  public interface Listener {

    /** A run may be claimed now. */
    void workReady();

    /** A run may be claimed at that time. */
    void workDueAt(Instant at);
  }

  /** Carries news to other servers. Must not block. */
  public interface Remote {

    /** A run of a queue may be claimed at that time, which may have come. */
    void workDueAt(QueueKey queue, Instant at);
  }

  private final ConcurrentMap<QueueKey, Listener> listeners = new ConcurrentHashMap<>();
  private final Remote remote;
  private volatile Handoff handoff = Handoff.TO_NOBODY;

  public WorkSignals(Remote remote) {
    this.remote = remote;
  }

  /** From now on runs that are started here may be handed out at once. */
  public void handOverBy(Handoff shortWay) {
    handoff = shortWay;
  }

  /** What a batch may hand out by itself. */
  public Handoff.Offer offer() {
    return handoff.offer();
  }

  /** From now on the listener hears of the queue; there is one per queue and server. */
  public void listen(QueueKey queue, Listener listener) {
    listeners.put(queue, listener);
  }

  /** The listener no longer hears of the queue. */
  public void forget(QueueKey queue, Listener listener) {
    listeners.remove(queue, listener);
  }

  /** This server has made a run claimable. */
  public void workReady(QueueKey queue) {
    Listener listener = listeners.get(queue);
    if (listener != null) {
      listener.workReady();
    }
    remote.workDueAt(queue, Instant.EPOCH);
  }

  /** This server has made a run claimable from a moment on. */
  public void workDueAt(QueueKey queue, Instant at) {
    heard(queue, at);
    remote.workDueAt(queue, at);
  }

  /** Another server, or a look at the database, says when a queue has work. */
  public void heard(QueueKey queue, Instant dueAt) {
    Listener listener = listeners.get(queue);
    if (listener != null) {
      listener.workDueAt(dueAt);
    }
  }
}
