package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Tells those who await a run that it has ended. A waiter is an entry here, not a thread. */
public final class DoneSignals {

  /** Carries news to other servers. Must not block. */
  public interface Remote {

    void runDone(RunId runId);
  }

  /** Who waits. Must not block. */
  @FunctionalInterface
  public interface Waiter {

    /**
     * The run has ended.
     *
     * @param run how, if whoever brings the news knows; else it has to be looked up
     */
    void ended(@Nullable Run run);

    /** Everybody has been told who hears of the same commit: what was kept may be sent on. */
    default void allTold() {}
  }

  /** Young runs that are remembered; who awaits an older one looks it up. */
  private static final int MAX_YOUNG = 10_000;

  private final ConcurrentMap<RunId, List<Waiter>> waiters = new ConcurrentHashMap<>();
  private final Map<RunId, String> young = Collections.synchronizedMap(new Young());
  private final Remote remote;

  public DoneSignals(Remote remote) {
    this.remote = remote;
  }

  /** This server has started a run; call this before anybody can know of it. */
  public void started(String namespace, RunId runId) {
    young.put(runId, namespace);
  }

  /** Whether nobody has told of the end of a run that was started here a short time ago. */
  public boolean isYoung(String namespace, RunId runId) {
    return namespace.equals(young.get(runId));
  }

  /** Calls the waiter once when the run ends; call this before looking whether it has. */
  public void await(RunId runId, Waiter waiter) {
    waiters.compute(
        runId,
        (id, list) -> {
          List<Waiter> present = list == null ? new CopyOnWriteArrayList<>() : list;
          present.add(waiter);
          return present;
        });
  }

  /** Forgets a waiter that no longer wants to know. */
  public void forget(RunId runId, Waiter waiter) {
    waiters.computeIfPresent(
        runId,
        (id, list) -> {
          list.remove(waiter);
          return list.isEmpty() ? null : list;
        });
  }

  /** Whether somebody here would like to know how a run ended. */
  public boolean isAwaited(RunId runId) {
    return waiters.containsKey(runId);
  }

  /**
   * This server has ended runs, by one commit.
   *
   * @param known how, as far as it is at hand
   */
  public void done(Collection<RunId> ended, Map<RunId, Run> known) {
    List<Waiter> told = new ArrayList<>();
    for (RunId runId : ended) {
      told.addAll(tell(runId, known.get(runId)));
      remote.runDone(runId);
    }
    told.forEach(Waiter::allTold);
  }

  /** Another server, or a look at the database, says that a run has ended. */
  public void heard(RunId runId) {
    tell(runId, null).forEach(Waiter::allTold);
  }

  private List<Waiter> tell(RunId runId, @Nullable Run run) {
    young.remove(runId);
    List<Waiter> list = waiters.remove(runId);
    if (list == null) {
      return List.of();
    }
    list.forEach(waiter -> waiter.ended(run));
    return list;
  }

  /** The runs somebody here waits for. */
  public Set<RunId> awaited() {
    return Set.copyOf(waiters.keySet());
  }

  /** The oldest are forgotten when there are too many. */
  private static final class Young extends LinkedHashMap<RunId, String> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<RunId, String> eldest) {
      return size() > MAX_YOUNG;
    }
  }
}
