package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.commit.Command;
import dev.kagzi.engine.commit.CommitListener;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.domain.RunProgress;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.PayloadStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StepListStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Starting runs and looking at them. */
public final class Workflows {

  /** How far the time in a caller's own run id may be from the engine's. */
  private static final Duration ID_TOLERANCE = Duration.ofMinutes(5);

  private final Database database;
  private final InstantSource clock;
  private final GroupCommit commits;
  private final Namespaces namespaces;
  private final Partitions partitions;
  private final TimeOrderedIds ids;
  private final RunStore runs = new RunStore();
  private final PayloadStore payloads = new PayloadStore();
  private final StepListStore stepLists = new StepListStore();

  public Workflows(
      Database database,
      InstantSource clock,
      GroupCommit commits,
      Namespaces namespaces,
      Partitions partitions) {
    this.database = database;
    this.clock = clock;
    this.commits = commits;
    this.namespaces = namespaces;
    this.partitions = partitions;
    this.ids = new TimeOrderedIds(clock);
  }

  /** Starts a run, or finds the live one that has the external id. */
  public StartOutcome start(StartRequest request) {
    namespaces.requireEnabled(request.namespace());
    Instant now = clock.instant();
    return startedBefore(request, now).orElseGet(() -> commits.commit(command(request, now)));
  }

  /**
   * The same for somebody who does not wait for the commit; what comes before it may have to be
   * looked up, though it is known as a rule.
   *
   * @throws EngineException if it is refused at once; the listener hears nothing then
   */
  public void start(StartRequest request, CommitListener<StartOutcome> listener) {
    namespaces.requireEnabled(request.namespace());
    Instant now = clock.instant();
    Optional<StartOutcome> before = startedBefore(request, now);
    if (before.isEmpty()) {
      commits.commitThen(command(request, now), listener);
      return;
    }
    listener.committed(new Heard<>(before.get(), null));
    listener.allAnswered();
  }

  private Command.Start command(StartRequest request, Instant now) {
    RunId requestId = request.requestId();
    RunId runId = requestId == null ? new RunId(ids.next()) : requestId;
    partitions.requireFor(TimeOrderedIds.mintedAt(runId.value()));
    return new Command.Start(newRun(runId, request, now));
  }

  /** The run with everything that follows from its request. */
  static NewRun newRun(RunId runId, StartRequest request, Instant now) {
    return new NewRun(runId, request, now, now.plus(request.startDelay()), deadline(request, now));
  }

  private static @Nullable Instant deadline(StartRequest request, Instant now) {
    Instant given = request.deadline();
    Duration limit = request.policies().executionTimeout();
    if (limit == null) {
      return given;
    }
    Instant byLimit = now.plus(request.startDelay()).plus(limit);
    return given != null && given.isBefore(byLimit) ? given : byLimit;
  }

  static boolean isNear(RunId runId, Instant now) {
    if (!TimeOrderedIds.isTimeOrdered(runId.value())) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT, "request_id: %s (expected a UUIDv7)".formatted(runId));
    }
    Duration off = Duration.between(TimeOrderedIds.mintedAt(runId.value()), now).abs();
    return off.compareTo(ID_TOLERANCE) <= 0;
  }

  /** An id of another time is welcome only if it is the repetition of a start that we know. */
  private Optional<StartOutcome> startedBefore(StartRequest request, Instant now) {
    RunId requestId = request.requestId();
    if (requestId == null || isNear(requestId, now)) {
      return Optional.empty();
    }
    Run run = find(request.namespace(), requestId).orElseThrow(() -> outOfRange(requestId, now));
    return Optional.of(new StartOutcome.Started(run.runId(), run.status(), run.target()));
  }

  static EngineException outOfRange(RunId requestId, Instant now) {
    return new EngineException(
        ErrorCode.REQUEST_ID_OUT_OF_RANGE,
        "request_id: %s was minted more than %d minutes off the engine's time %s"
            .formatted(requestId, ID_TOLERANCE.toMinutes(), now),
        Map.of("server_time", now.toString()));
  }

  /** A run as it is now, or as it ended. */
  public Run get(String namespace, RunId runId) {
    return find(namespace, runId).orElseThrow(() -> Fencing.notFound(runId));
  }

  /** What a run was given and brought, or only how large that is. */
  public RunPayloads payloads(RunId runId, boolean whole) {
    List<RunId> one = List.of(runId);
    return database
        .inTransaction(tx -> whole ? payloads.find(tx, one) : payloads.sizes(tx, one))
        .getOrDefault(runId, RunPayloads.NONE);
  }

  /**
   * What is known of a run besides its row.
   *
   * @param payloads what it was given and brought, or only how large that is
   */
  public record Details(RunPayloads payloads, RunProgress progress) {}

  /** Everything about a run that {@link #get} leaves out. */
  public Details details(RunId runId, boolean whole) {
    List<RunId> one = List.of(runId);
    return database.inTransaction(tx -> {
      var found = whole ? payloads.find(tx, one) : payloads.sizes(tx, one);
      return new Details(
          found.getOrDefault(runId, RunPayloads.NONE), stepLists.progress(tx, runId));
    });
  }

  private Optional<Run> find(String namespace, RunId runId) {
    return database.inTransaction(tx -> runs.find(tx, namespace, runId));
  }

  /** The id of the newest run with an external id. */
  public RunId idOf(String namespace, String externalId) {
    return database
        .inTransaction(tx -> runs.findIdByExternalId(tx, namespace, externalId))
        .orElseThrow(() ->
            new EngineException(
                ErrorCode.RUN_NOT_FOUND,
                "no run has the external id '%s' in this namespace".formatted(externalId)));
  }

  /**
   * Ends a live run, after its compensations if it is inside a saga; of one that went on as
   * another, the last of the chain. Repeating it is harmless.
   */
  public CancelOutcome cancel(String namespace, RunId runId, String reason) {
    return end(namespace, runId, reason, false);
  }

  /** The same at once, without compensations. */
  public CancelOutcome terminate(String namespace, RunId runId, String reason) {
    return end(namespace, runId, reason, true);
  }

  private CancelOutcome end(String namespace, RunId runId, String reason, boolean terminate) {
    RunId target = runId;
    while (true) {
      CancelOutcome outcome =
          commits.commit(new Command.Cancel(namespace, target, reason, terminate));
      RunId ended = target;
      RunId last =
          outcome instanceof CancelOutcome.AlreadyEnded
              ? database.inTransaction(tx -> runs.findLast(tx, ended))
              : ended;
      if (last.equals(ended)) {
        return outcome;
      }
      // It may go on once more meanwhile; whoever is asked in vain is asked for his successor.
      target = last;
    }
  }
}
