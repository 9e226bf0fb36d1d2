package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.ForkOutcome;
import dev.kagzi.engine.domain.ForkRequest;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ChildStore;
import dev.kagzi.engine.store.ForkStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StartStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes new runs from old ones, with the results before a step copied. */
public final class Forks {

  /** Steps named to somebody who asked for one that is not there. */
  private static final int NAMED_STEPS = 20;

  /** What a message may be made longer by them; a reply's trailer holds 8 kB. */
  private static final int NAMED_LENGTH = 2000;

  /** The written fork and the run that was started; none for a repetition. */
  private record Written(ForkOutcome outcome, @Nullable RunTarget started) {}

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final Partitions partitions;
  private final Signals signals;
  private final TimeOrderedIds ids;
  private final ForkStore store = new ForkStore();
  private final StepStore steps = new StepStore();
  private final ChildStore children = new ChildStore();
  private final StartStore starts = new StartStore();
  private final RunStore runs = new RunStore();

  public Forks(
      Database database,
      InstantSource clock,
      Namespaces namespaces,
      Partitions partitions,
      Signals signals) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
    this.partitions = partitions;
    this.signals = signals;
    this.ids = new TimeOrderedIds(clock);
  }

  /**
   * Starts a new run that takes over what another has settled before a step.
   *
   * @throws EngineException if the other run or its step does not exist, or the external id is
   *     taken
   */
  public ForkOutcome fork(ForkRequest request) {
    namespaces.requireEnabled(request.namespace());
    Instant now = clock.instant();
    RunId requestId = request.requestId();
    if (requestId != null && !Workflows.isNear(requestId, now)) {
      return database
          .inTransaction(tx -> findRepeated(tx, request, requestId))
          .orElseThrow(() -> Workflows.outOfRange(requestId, now));
    }
    RunId runId = requestId == null ? new RunId(ids.next()) : requestId;
    partitions.requireFor(TimeOrderedIds.mintedAt(runId.value()));
    Written written = database.inTransaction(tx -> write(tx, request, runId, now));
    RunTarget started = written.started();
    if (started != null) {
      signals.work().workReady(started.queue());
      signals.telemetry().runStarted(started);
    }
    return written.outcome();
  }

  private Written write(Transaction tx, ForkRequest request, RunId runId, Instant now) {
    int beforeSeq = beforeSeq(tx, request);
    Optional<ForkStore.Inserted> inserted = store.insert(tx, request, runId, now);
    if (inserted.isEmpty() || !inserted.get().isNew()) {
      if (inserted.isPresent()) {
        starts.undo(tx, List.of(runId));
      }
      ForkOutcome repeated = findRepeated(tx, request, runId).orElseThrow(() -> taken(tx, request));
      return new Written(repeated, null);
    }
    int copied = store.copySteps(tx, request.origin(), runId, beforeSeq);
    children.copy(tx, request.origin(), runId);
    steps.recountSagas(tx, List.of(runId));
    return new Written(new ForkOutcome(runId, RunStatus.PENDING, copied), inserted.get().target());
  }

  /** The place in the call order before which results are taken over. */
  private int beforeSeq(Transaction tx, ForkRequest request) {
    RunId origin = request.origin();
    requireOrigin(tx, request);
    String fromStep = request.fromStep();
    if (fromStep == null) {
      return Integer.MIN_VALUE;
    }
    return store
        .findSeq(tx, origin, fromStep)
        .orElseThrow(() ->
            new EngineException(
                ErrorCode.INVALID_ARGUMENT,
                "from_step_key: run %s has no step '%s' (it has: %s)"
                    .formatted(origin, fromStep, named(tx, origin))));
  }

  private String named(Transaction tx, RunId origin) {
    List<String> keys = store.stepKeys(tx, origin, NAMED_STEPS + 1);
    if (keys.isEmpty()) {
      return "none yet";
    }
    String names = String.join(", ", keys.subList(0, Math.min(keys.size(), NAMED_STEPS)));
    boolean whole = keys.size() <= NAMED_STEPS && names.length() <= NAMED_LENGTH;
    return whole ? names : names.substring(0, Math.min(names.length(), NAMED_LENGTH)) + ", …";
  }

  private void requireOrigin(Transaction tx, ForkRequest request) {
    if (runs.find(tx, request.namespace(), request.origin()).isEmpty()) {
      throw Fencing.notFound(request.origin());
    }
  }

  /** The run that an earlier call with this id has made. */
  private Optional<ForkOutcome> findRepeated(Transaction tx, ForkRequest request, RunId runId) {
    List<Run> found = runs.findAll(tx, List.of(runId));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Run run = found.get(0);
    if (!run.target().namespace().equals(request.namespace())
        || !request.origin().equals(run.lineage().forkedFrom())) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "request_id: %s belongs to another run".formatted(runId));
    }
    return Optional.of(new ForkOutcome(runId, run.status(), store.countCopied(tx, runId)));
  }

  private EngineException taken(Transaction tx, ForkRequest request) {
    requireOrigin(tx, request);
    return new EngineException(
        ErrorCode.ALREADY_ACTIVE,
        "external_id: a live run has '%s'".formatted(request.changes().externalId()));
  }
}
