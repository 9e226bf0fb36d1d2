package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.Saga;
import dev.kagzi.sdk.SagaFn;
import dev.kagzi.sdk.StepAction;
import dev.kagzi.sdk.StepFailedException;
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
    markers.saga(pass.ask(StepKind.STEP_KIND_MARKER, OPEN), SagaMarker.SAGA_MARKER_OPEN, List.of());
    before = branches.count();
    T result;
    try {
      result = body.run(this);
      // Whoever asked for a stop before this point was told that the work would be undone.
      pass.requireGoingOn();
    } catch (Throwable failure) {
      pass.requireNotGone();
      undo(failure);
      throw failure;
    }
    close(pass.reserve(CLOSE), List.of());
    return result;
  }

  private void undo(Throwable failure) {
    List<StepAttempt> given = branches.settleDown(before).stream().map(Branch::step).toList();
    pass.beginUndoing();
    try {
      StepKey end = pass.reserve(CLOSE);
      if (isTheFirstTime(end)) {
        pass.requireNoDivergence("failed inside a saga with " + failure.getClass().getName());
      }
      while (!compensations.isEmpty()) {
        undo(compensations.pop(), failure);
      }
      close(end, given);
    } catch (KagziException e) {
      LOG.warn("Run {}: the end of a saga was not recorded", pass.claim().runId(), e);
      failure.addSuppressed(e);
    } finally {
      pass.endUndoing();
    }
  }

  /**
   * Nothing can have been recorded after this point unless something was undone before. So what is
   * recorded and was not asked for means that the code has changed, and that is no reason to undo.
   */
  private boolean isTheFirstTime(StepKey end) {
    return !pass.isRecorded(end)
        && compensations.stream().noneMatch(compensation -> pass.isRecorded(compensation.key()));
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
  private void close(StepKey end, List<StepAttempt> given) {
    markers.saga(pass.askFor(StepKind.STEP_KIND_MARKER, end), SagaMarker.SAGA_MARKER_CLOSE, given);
  }
}
