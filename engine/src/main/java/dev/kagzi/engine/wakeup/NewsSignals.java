package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WorkerId;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells workers that waits of runs they hold have ended: those with a stream to this server
 * directly, those of other servers through {@link Remote}. A hint like all news: a worker that
 * hears nothing asks again by itself.
 */
public final class NewsSignals {

  /**
   * Waits that have ended.
   *
   * @param stepKeys which; empty if any of the run may have
   */
  public record EndedWaits(WorkerId worker, RunId runId, int epoch, List<String> stepKeys) {
    public EndedWaits {
      stepKeys = List.copyOf(stepKeys);
    }
  }

  /** Hears about the runs of one worker. Called after the commit; must not block. */
  public interface Listener {

    void waitsEnded(EndedWaits news);
  }

  /** Carries news to other servers. Must not block. */
  public interface Remote {

    void waitsEnded(EndedWaits news);
  }

  private final ConcurrentMap<WorkerId, List<Listener>> listeners = new ConcurrentHashMap<>();
  private final Remote remote;

  public NewsSignals(Remote remote) {
    this.remote = remote;
  }

  /** From now on the listener hears of the worker's runs; a worker may have several. */
  public void listen(WorkerId worker, Listener listener) {
    listeners.compute(
        worker,
        (id, list) -> {
          List<Listener> present = list == null ? new CopyOnWriteArrayList<>() : list;
          present.add(listener);
          return present;
        });
  }

  /** The listener no longer hears of the worker's runs. */
  public void forget(WorkerId worker, Listener listener) {
    listeners.computeIfPresent(
        worker,
        (id, list) -> {
          list.remove(listener);
          return list.isEmpty() ? null : list;
        });
  }

  /** This server has ended waits. A worker that is known here needs no other server's word. */
  public void waitsEnded(EndedWaits news) {
    if (!heard(news)) {
      remote.waitsEnded(news);
    }
  }

  /** Somebody has ended waits; says whether the worker has a stream to this server. */
  public boolean heard(EndedWaits news) {
    List<Listener> list = listeners.getOrDefault(news.worker(), List.of());
    list.forEach(listener -> listener.waitsEnded(news));
    return !list.isEmpty();
  }
}
