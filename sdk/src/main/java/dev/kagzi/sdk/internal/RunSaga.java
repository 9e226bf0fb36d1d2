package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.Saga;
import dev.kagzi.sdk.SagaFn;
import dev.kagzi.sdk.StepAction;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.WorkflowSuspended;
import dev.kagzi.v1.SagaMarker;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A saga of one pass. The server knows from its two markers that the run is inside it, and then
 * asks the run to stop rather than ending it. Everything else is found again by replay: the body
 * registers what is to be undone, and fails or is stopped where it was before.
 *
 * <p>Belongs to the workflow's thread.
 */
final class RunSaga implements Saga {

  private static final Logger LOG = LoggerFactory.getLogger(RunSaga.class);

  private static final StepKey OPEN = StepKey.of("saga");
  private static final StepKey CLOSE = StepKey.of("saga-end");
  private static final String PREFIX = "compensate:";

  private record Compensation(StepKey key, @Nullable Retry retry, StepAction action) {}

  private final RunPass pass;
  private final StepRunner steps;
  private final Markers markers;
  private final Branches branches;
  private int before;
  private @Nullable StepKey end;
  private final Deque<Compensation> compensations = new ArrayDeque<>();

  RunSaga(RunPass pass, StepRunner steps, Markers markers, Branches branches) {
    this.pass = pass;
    this.steps = steps;
    this.markers = markers;
    this.branches = branches;
  }

  @Override
  public void onFailure(String name, StepAction action) {
    register(name, null, action);
  }

  @Override
  public void onFailure(String name, Retry retry, StepAction action) {
    register(name, retry, action);
  }

  /** Numbered now and not when it is executed, which is in the reverse order. */
  private void register(String name, @Nullable Retry retry, StepAction action) {
    StepKey key = pass.reserve(StepKey.of(PREFIX + name));
    compensations.push(new Compensation(key, retry, action));
  }

  <T extends @Nullable Object> T run(SagaFn<? extends T> body) throws Exception {
    pass.enterSaga();
    try {
      return runInside(body);
    } finally {
      pass.leaveSaga();
    }
  }

  @SuppressWarnings("CatchingUnchecked")
  private <T extends @Nullable Object> T runInside(SagaFn<? extends T> body) throws Exception {
    mark(pass.ask(StepKind.STEP_KIND_MARKER, OPEN), SagaMarker.SAGA_MARKER_OPEN, List.of());
    before = branches.count();
    T result;
    StepCall closing;
    try {
      result = body.run(this);
      closing = askToClose();
    } catch (Throwable failure) {
      pass.requireNotGone();
      undo(failure);
      throw failure;
    }
    close(closing, List.of());
    return result;
  }

  /**
   * The last moment for a request to stop: who asked before was told that the work would be undone.
   * A saga that was closed before stays so, whatever the run is asked for now.
   */
  private StepCall askToClose() {
    if (hasBegunToUndo()) {
      pass.requireGoingOn();
    }
    return pass.askFor(StepKind.STEP_KIND_MARKER, end());
  }

  /** Numbered once, when the body has ended, whichever way it is closed. */
  private StepKey end() {
    if (end == null) {
      end = pass.reserve(CLOSE);
    }
    return end;
  }

  @SuppressWarnings("CatchingUnchecked")
  private void undo(Throwable failure) {
    pass.beginUndoing();
    try {
      List<StepAttempt> given = branches.settleDown(before).stream().map(Branch::step).toList();
      if (isTheFirstTime()) {
        pass.requireNoDivergence("failed inside a saga with " + failure.getClass().getName());
      }
      while (!compensations.isEmpty()) {
        undo(compensations.pop(), failure);
      }
      close(pass.askFor(StepKind.STEP_KIND_MARKER, end()), given);
    } catch (WorkflowSuspended left) {
      throw left;
    } catch (RuntimeException | Error broken) {
      throw giveBack(broken);
    } finally {
      pass.unshield();
    }
  }

  /**
   * Nothing can have been recorded after this point unless something was undone before. So what is
   * recorded and was not asked for means that the code has changed, and that is no reason to undo.
   */
  private boolean isTheFirstTime() {
    return !pass.isRecorded(end()) && !hasBegunToUndo();
  }

  private boolean hasBegunToUndo() {
    return compensations.stream().anyMatch(compensation -> pass.isRecorded(compensation.key()));
  }

  private void undo(Compensation compensation, Throwable failure) {
    try {
      steps.run(
          pass.askFor(StepKind.STEP_KIND_FUNCTION, compensation.key()),
          StepRunner.NOTHING,
          () -> {
            compensation.action().run();
            return null;
          },
          StepOptions.compensation(compensation.retry()));
    } catch (StepFailedException e) {
      LOG.error("Run {}: '{}' has not been undone", pass.claim().runId(), e.step());
      pass.noteNotUndone(e.step());
      failure.addSuppressed(e);
    }
  }

  /** With the branches that were given up, so that no replay begins them again. */
  private void close(StepCall closing, List<StepAttempt> given) {
    try {
      mark(closing, SagaMarker.SAGA_MARKER_CLOSE, given);
    } catch (KagziException refused) {
      throw giveBack(refused);
    }
  }

  private void mark(StepCall step, SagaMarker bound, List<StepAttempt> given) {
    pass.shield();
    try {
      markers.saga(step, bound, given);
    } finally {
      pass.unshield();
    }
  }

  /**
   * A run that ended now would leave something done that nobody undoes. So it is left to another
   * pass, when its lease has run out; a run that never gets further ends as one that crashes.
   */
  private WorkflowSuspended giveBack(Throwable why) {
    LOG.warn(
        "Run {}: the end of a saga was not recorded, which another pass has to do",
        pass.claim().runId(),
        why);
    return pass.endWith(new PassEnd.Stopped("the end of a saga was not recorded"));
  }
}
