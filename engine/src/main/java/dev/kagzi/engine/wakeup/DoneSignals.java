package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.RunId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tells those who await a run that it has ended. A waiter is an entry here, not a thread. */
public final class DoneSignals {

  /** Carries news to other servers. Must not block. */
  public interface Remote {

    void runDone(RunId runId);
  }

  private final ConcurrentMap<RunId, List<Runnable>> waiters = new ConcurrentHashMap<>();
  private final Remote remote;

  public DoneSignals(Remote remote) {
    this.remote = remote;
  }

  /** Calls the waiter once when the run ends; call this before looking whether it has. */
  public void await(RunId runId, Runnable waiter) {
    waiters.compute(
        runId,
        (id, list) -> {
          List<Runnable> present = list == null ? new CopyOnWriteArrayList<>() : list;
          present.add(waiter);
          return present;
        });
  }

  /** Forgets a waiter that no longer wants to know. */
  public void forget(RunId runId, Runnable waiter) {
    waiters.computeIfPresent(
        runId,
        (id, list) -> {
          list.remove(waiter);
          return list.isEmpty() ? null : list;
        });
  }

  /** This server has ended a run. */
  public void done(RunId runId) {
    heard(runId);
    remote.runDone(runId);
  }

  /** Another server, or a look at the database, says that a run has ended. */
  public void heard(RunId runId) {
    List<Runnable> list = waiters.remove(runId);
    if (list != null) {
      list.forEach(Runnable::run);
    }
  }

  /** The runs somebody here waits for. */
  public Set<RunId> awaited() {
    return Set.copyOf(waiters.keySet());
  }
}
