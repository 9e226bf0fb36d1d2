package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RetryOutcome;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildStore;
import dev.kagzi.engine.store.EventStore;
import dev.kagzi.engine.store.ParentStore;
import dev.kagzi.engine.store.RetryStore;
import dev.kagzi.engine.store.RetryStore.Ended;
import dev.kagzi.engine.store.RetryStore.Live;
import dev.kagzi.engine.store.StateStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends ended runs back to work. Retries have transactions of their own: they insert live rows, and
 * sharing one with starts would take external ids out of order.
 */
public final class Retries {

  /** How often a run is looked for that is in neither table because it is just moving. */
  private static final int LOOKS = 3;

  /**
   * A run to be retried.
   *
   * @param expectedRetries how often it had been retried when the caller looked; null if he did not
   */
  record Wish(RunId runId, @Nullable Integer expectedRetries) {}

  /** What a transaction did, to be announced after its commit. */
  record Done(Map<RunId, RetryOutcome> outcomes, Set<QueueKey> queues) {}

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final WorkSignals work;
  private final RetryStore store = new RetryStore();
  private final StepStore steps = new StepStore();
  private final EventStore events = new EventStore();
  private final StateStore states = new StateStore();
  private final ChildStore children = new ChildStore();
  private final ParentStore parents = new ParentStore();

  public Retries(Database database, InstantSource clock, Namespaces namespaces, WorkSignals work) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
    this.work = work;
  }

  /**
   * Sends a FAILED or TIMED_OUT run back to work from the step that failed.
   *
   * @param expectedRetries how often it had been retried when the caller looked; makes a repetition
   *     safe even if the run has failed again in the meantime
   * @throws EngineException if the run cannot go on
   */
  public RetryOutcome retry(String namespace, RunId runId, @Nullable Integer expectedRetries) {
    namespaces.requireEnabled(namespace);
    Wish wish = new Wish(runId, expectedRetries);
    Done done = database.inTransaction(tx -> retry(tx, namespace, List.of(wish), clock.instant()));
    announce(done);
    RetryOutcome outcome = done.outcomes().getOrDefault(runId, notFound(runId));
    if (outcome instanceof RetryOutcome.Refused refused) {
      throw refused.refusal();
    }
    return outcome;
  }

  /** Retries what it can of these runs, each on its own merits. */
  Done retry(Transaction tx, String namespace, Collection<Wish> wishes, Instant now) {
    Map<RunId, Wish> open = new LinkedHashMap<>();
    wishes.forEach(wish -> open.put(wish.runId(), wish));
    Map<RunId, RetryOutcome> outcomes = new HashMap<>();
    Set<QueueKey> queues = new HashSet<>();
    for (int look = 0; look < LOOKS && !open.isEmpty(); look++) {
      moveBack(tx, namespace, open, now, outcomes, queues);
      open.keySet().removeAll(outcomes.keySet());
      if (!open.isEmpty()) {
        meetLive(tx, namespace, open, outcomes);
        open.keySet().removeAll(outcomes.keySet());
      }
    }
    open.keySet().forEach(runId -> outcomes.put(runId, notFound(runId)));
    return new Done(outcomes, queues);
  }

  private void moveBack(
      Transaction tx,
      String namespace,
      Map<RunId, Wish> open,
      Instant now,
      Map<RunId, RetryOutcome> outcomes,
      Set<QueueKey> queues) {
    List<Ended> ready = new ArrayList<>();
    List<RunId> repeated = new ArrayList<>();
    for (Ended run : store.lockEnded(tx, open.keySet())) {
      Integer expected = expected(open, run.runId());
      if (!run.target().namespace().equals(namespace)) {
        outcomes.put(run.runId(), notFound(run.runId()));
      } else if (expected != null && run.retries() == expected + 1) {
        repeated.add(run.runId());
      } else {
        EngineException refusal = refusal(run, expected);
        if (refusal == null) {
          ready.add(run);
        } else {
          outcomes.put(run.runId(), new RetryOutcome.Refused(refusal));
        }
      }
    }
    answerRepeated(tx, repeated, outcomes);
    if (!ready.isEmpty()) {
      moveBack(tx, ready, now, outcomes, queues);
    }
  }

  private void moveBack(
      Transaction tx,
      List<Ended> ready,
      Instant now,
      Map<RunId, RetryOutcome> outcomes,
      Set<QueueKey> queues) {
    // First: who cancels their children has locked this, and needs what is locked below.
    List<RunId> runIds = ready.stream().map(Ended::runId).toList();
    parents.lock(tx, runIds);
    Set<RunId> moved = store.insertLive(tx, runIds, now);
    Map<RunId, List<String>> superseded =
        moved.isEmpty() ? Map.of() : store.supersede(tx, moved, now);
    store.deleteEnded(tx, moved);
    if (!moved.isEmpty()) {
      // Only theirs: the children of one that stays as it is are still to be looked after.
      parents.remove(tx, moved);
      steps.recountSagas(tx, moved);
      events.giveBack(tx, moved, now);
      states.beginAnew(tx, moved);
      children.forgetUnsettled(tx, moved);
    }
    for (Ended run : ready) {
      if (moved.contains(run.runId())) {
        outcomes.put(
            run.runId(), new RetryOutcome.Retried(superseded.getOrDefault(run.runId(), List.of())));
        queues.add(run.target().queue());
      } else {
        outcomes.put(run.runId(), new RetryOutcome.Refused(alreadyActive(run.runId())));
      }
    }
  }

  private void meetLive(
      Transaction tx, String namespace, Map<RunId, Wish> open, Map<RunId, RetryOutcome> outcomes) {
    List<RunId> repeated = new ArrayList<>();
    for (Live run : store.findLive(tx, open.keySet())) {
      Integer expected = expected(open, run.runId());
      if (!run.namespace().equals(namespace)) {
        outcomes.put(run.runId(), notFound(run.runId()));
      } else if (expected != null && run.retries() == expected + 1) {
        repeated.add(run.runId());
      } else {
        outcomes.put(run.runId(), new RetryOutcome.AlreadyActive());
      }
    }
    answerRepeated(tx, repeated, outcomes);
  }

  private void answerRepeated(
      Transaction tx, List<RunId> repeated, Map<RunId, RetryOutcome> outcomes) {
    if (!repeated.isEmpty()) {
      Map<RunId, List<String>> superseded = store.findSuperseded(tx, repeated);
      repeated.forEach(runId ->
          outcomes.put(runId, new RetryOutcome.Retried(superseded.getOrDefault(runId, List.of()))));
    }
  }

  private static @Nullable Integer expected(Map<RunId, Wish> open, RunId runId) {
    Wish wish = open.get(runId);
    return wish == null ? null : wish.expectedRetries();
  }

  private static @Nullable EngineException refusal(Ended run, @Nullable Integer expected) {
    if (expected != null && run.retries() != expected) {
      return new EngineException(
          ErrorCode.RETRIED_BEFORE,
          "run %s has been retried %d times, not %d: look at it again"
              .formatted(run.runId(), run.retries(), expected));
    }
    if (!run.status().next().contains(RunStatus.PENDING)) {
      ErrorCode code =
          run.status() == RunStatus.CANCELLED ? ErrorCode.RUN_CANCELLED : ErrorCode.RUN_TERMINAL;
      return new EngineException(
          code,
          "run %s is %s; only a FAILED or TIMED_OUT run can be retried, any other can be forked"
              .formatted(run.runId(), run.status()));
    }
    if (run.compensated()) {
      return new EngineException(
          ErrorCode.COMPENSATED,
          "run %s has undone its work and cannot go on; fork it instead".formatted(run.runId()));
    }
    return null;
  }

  private static EngineException alreadyActive(RunId runId) {
    return new EngineException(
        ErrorCode.ALREADY_ACTIVE,
        "run %s cannot go on: another live run has its external id".formatted(runId));
  }

  private static RetryOutcome notFound(RunId runId) {
    return new RetryOutcome.Refused(Fencing.notFound(runId));
  }

  /** Spreads the news after the commit. */
  void announce(Done done) {
    done.queues().forEach(work::workReady);
  }
}
