package dev.kagzi.engine.operation;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.commit.Command;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.domain.ChildItems;
import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.ChildResult;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.ChildStore;
import dev.kagzi.engine.store.StepStore.Step;
import dev.kagzi.engine.store.TypeStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The children of runs that workers hold. Thread-safe. */
public final class Children {

  public static final int MAX_PAGE_SIZE = 1000;

  /** Well below what a message may hold. */
  private static final int MAX_PAGE_BYTES = 3 * 1024 * 1024;

  /** Types named to somebody who asked for one that is not there. */
  private static final int NAMED_TYPES = 20;

  private record KnownType(String namespace, String type) {}

  private final Database database;
  private final InstantSource clock;
  private final GroupCommit commits;
  private final Partitions partitions;
  private final Histories histories;
  private final StepCap cap;
  private final TimeOrderedIds ids;
  private final TypeStore types = new TypeStore();
  private final ChildStore store = new ChildStore();
  private final Set<KnownType> known = ConcurrentHashMap.newKeySet();

  public Children(
      Database database,
      InstantSource clock,
      GroupCommit commits,
      Partitions partitions,
      Histories histories,
      StepCap cap) {
    this.cap = cap;
    this.database = database;
    this.clock = clock;
    this.commits = commits;
    this.partitions = partitions;
    this.histories = histories;
    this.ids = new TimeOrderedIds(clock);
  }

  /**
   * Starts a child, or finds the one that the step has started before.
   *
   * @param child names its parent
   * @throws EngineException if nobody has ever registered its type
   */
  public Heard<ChildOutcome> start(
      Fence fence, WorkerId worker, ChildStep step, StartRequest child) {
    cap.require(fence.runId(), step.seq(), StepKind.CHILD_WORKFLOW, step.traits());
    requireKnown(fence, step.stepKey(), child.workflowType());
    Instant now = clock.instant();
    RunId runId = new RunId(ids.next());
    partitions.requireFor(TimeOrderedIds.mintedAt(runId.value()));
    return commits.commitAndHear(
        new Command.StartChild(fence, worker, step, Workflows.newRun(runId, child, now)));
  }

  /**
   * Begins a fan-out with its first items, or goes on with it.
   *
   * @throws EngineException if nobody has ever registered the type of the children
   */
  public Heard<ChildOutcome> startMap(Fence fence, String stepKey, ChildMap map, ChildItems items) {
    requireKnown(fence, stepKey, map.template().workflowType());
    partitions.requireFor(clock.instant());
    return commits.commitAndHear(new Command.AddItems(fence, stepKey, map, items));
  }

  /** Adds items to a fan-out that has begun. */
  public Heard<ChildOutcome> addItems(Fence fence, String stepKey, ChildItems items) {
    partitions.requireFor(clock.instant());
    return commits.commitAndHear(new Command.AddItems(fence, stepKey, null, items));
  }

  /** Another database answers, which may not know what the last one knew. */
  public void forget() {
    known.clear();
  }

  /** A type that was registered once is known for ever. */
  private void requireKnown(Fence fence, String stepKey, String type) {
    KnownType wanted = new KnownType(fence.namespace(), type);
    if (known.contains(wanted)) {
      return;
    }
    List<String> others =
        database.inTransaction(tx ->
            types.isKnown(tx, fence.namespace(), type)
                ? List.of()
                : types.names(tx, fence.namespace(), NAMED_TYPES));
    if (!others.isEmpty()) {
      throw new EngineException(
          ErrorCode.UNKNOWN_TYPE,
          ("run %s, step '%s': no worker has ever registered the workflow type '%s' in namespace"
                  + " '%s' (known: %s; start a worker that registers it, or correct its name)")
              .formatted(
                  fence.runId(), stepKey, type, fence.namespace(), String.join(", ", others)));
    }
    known.add(wanted);
  }

  /** Results of children, in the order of their items; {@code next} is where the list goes on. */
  public record Results(List<ChildResult> results, Optional<Integer> next) {}

  /**
   * A page of the results of a step's children.
   *
   * @param after the index after which it begins; -1 for the first
   */
  public Results results(Fence fence, String stepKey, int after, int pageSize) {
    ChildStore.Listed page =
        database.inTransaction(tx -> {
          histories.requireHeld(tx, fence);
          Step step = new Step(fence.runId(), stepKey);
          return store.list(tx, step, after, pageSize, MAX_PAGE_BYTES);
        });
    List<ChildResult> results = page.results();
    return new Results(
        results,
        page.more() ? Optional.of(results.get(results.size() - 1).index()) : Optional.empty());
  }
}
