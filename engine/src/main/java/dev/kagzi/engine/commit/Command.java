package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.BeginOutcome;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.CancelledStep;
import dev.kagzi.engine.domain.ChildItems;
import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WakeWhen;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.StateStore.Publication;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something to be written together with others. Every command is safe to carry out twice: the
 * second time finds what the first one wrote and answers the same.
 *
 * @param <R> what its caller gets once it is committed
 */
public sealed interface Command<R> {

  /** Commands of one run go through one lane, in the order they came. */
  RunId runId();

  /** At most one command with the same subject is in a batch; the next waits for the next batch. */
  String subject();

  /** Starts a run. */
  record Start(NewRun run) implements Command<StartOutcome> {
    @Override
    public RunId runId() {
      return run.runId();
    }

    /**
     * Starts that compete are resolved within a batch: the first insert wins, the others see it.
     */
    @Override
    public String subject() {
      return run.runId().toString();
    }

    /** What starts may compete for; those that do go through one lane. */
    String contested() {
      String externalId = run.request().externalId();
      return externalId == null ? subject() : contested(run.request().namespace(), externalId);
    }

    static String contested(String namespace, @Nullable String externalId) {
      return namespace + '\n' + externalId;
    }
  }

  /**
   * Starts a child of a run that a worker holds.
   *
   * @param child under a fresh id, which counts only if this step has not started one before
   */
  record StartChild(Fence fence, WorkerId worker, ChildStep step, NewRun child)
      implements Command<ChildOutcome> {
    @Override
    public RunId runId() {
      return fence.runId();
    }

    @Override
    public String subject() {
      return runId() + "\n" + step.stepKey();
    }
  }

  /**
   * Adds items to a fan-out of a run that a worker holds.
   *
   * @param map null if the step must be there already
   */
  record AddItems(Fence fence, String stepKey, @Nullable ChildMap map, ChildItems items)
      implements Command<ChildOutcome> {
    @Override
    public RunId runId() {
      return fence.runId();
    }

    @Override
    public String subject() {
      return runId() + "\n" + stepKey;
    }
  }

  /** Announces a step that takes its time. */
  record BeginStep(Beginning beginning) implements Command<BeginOutcome> {
    @Override
    public RunId runId() {
      return beginning.fence().runId();
    }

    @Override
    public String subject() {
      return runId() + "\n" + beginning.stepKey();
    }
  }

  /** Records the result of a step, and that it makes others pointless. */
  record CompleteStep(
      Fence fence, WorkerId worker, StepResult result, List<CancelledStep> cancelled)
      implements Command<StepOutcome> {
    public CompleteStep {
      cancelled = List.copyOf(cancelled);
    }

    @Override
    public RunId runId() {
      return fence.runId();
    }

    @Override
    public String subject() {
      return runId() + "\n" + result.stepKey();
    }
  }

  /** Records the failure of an attempt, and which steps are pointless if it is the last. */
  record FailStep(Fence fence, WorkerId worker, StepFailure failure, List<CancelledStep> cancelled)
      implements Command<FailOutcome> {
    public FailStep {
      cancelled = List.copyOf(cancelled);
    }

    @Override
    public RunId runId() {
      return fence.runId();
    }

    @Override
    public String subject() {
      return runId() + "\n" + failure.stepKey();
    }
  }

  /**
   * Records waits and, if asked to, hands the run back until they end.
   *
   * @param wakeWhen which of them
   */
  record Suspend(Fence fence, List<WaitRequest> waits, boolean release, WakeWhen wakeWhen)
      implements Command<SuspendOutcome> {
    public Suspend {
      waits = List.copyOf(waits);
    }

    @Override
    public RunId runId() {
      return fence.runId();
    }

    @Override
    public String subject() {
      return runId().toString();
    }
  }

  /**
   * Sends an event to a live run, whoever holds it. Many for one run may share a batch; they keep
   * their order.
   */
  record SendEvent(String namespace, RunId runId, EventMessage event)
      implements Command<EventOutcome> {
    @Override
    public String subject() {
      return runId + "\n\n" + event.idempotencyKey();
    }
  }

  /** Shows a value to clients; whether it is shown, or a newer one is. */
  record PublishState(Publication publication) implements Command<Boolean> {
    @Override
    public RunId runId() {
      return publication.fence().runId();
    }

    @Override
    public String subject() {
      return runId() + "\n\n\n" + publication.name();
    }
  }

  /** Ends a run. */
  record Finish(Fence fence, RunEnding ending) implements Command<FinishOutcome> {
    @Override
    public RunId runId() {
      return fence.runId();
    }

    @Override
    public String subject() {
      return runId().toString();
    }
  }

  /**
   * Ends a run because somebody said so, whoever holds it.
   *
   * @param terminate also if it is inside a saga, without its compensations
   */
  record Cancel(String namespace, RunId runId, String reason, boolean terminate)
      implements Command<CancelOutcome> {
    @Override
    public String subject() {
      return runId.toString();
    }
  }

  /**
   * Hands a run back that its worker will not go on with.
   *
   * @param divergence why, if the worker's code does not fit the history
   */
  record Release(Fence fence, @Nullable Divergence divergence) implements Command<Boolean> {
    @Override
    public RunId runId() {
      return fence.runId();
    }

    @Override
    public String subject() {
      return runId().toString();
    }
  }
}
