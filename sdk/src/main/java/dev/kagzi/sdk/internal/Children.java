package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.ChildFailedException;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.payload.PayloadCodec;
import dev.kagzi.sdk.payload.PayloadException;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.StartChildResponse;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The children of a run, one by one. Belongs to the workflow's thread. */
final class Children {

  private final RunPass pass;
  private final Branches branches;
  private final Parallel parallel;
  private final NewsWaits waits;
  private final PayloadCodec codec;

  Children(
      RunPass pass, Branches branches, Parallel parallel, NewsWaits waits, PayloadCodec codec) {
    this.pass = pass;
    this.branches = branches;
    this.parallel = parallel;
    this.waits = waits;
    this.codec = codec;
  }

  PayloadCodec codec() {
    return codec;
  }

  /** Starts a child on the workflow's own thread, and waits for it. */
  @Nullable Object run(StepKey key, StartChildRequest template, Type output) {
    StepCall step = pass.ask(StepKind.STEP_KIND_CHILD_WORKFLOW, key);
    if (step.isSettled()) {
      return read(waits.await(step, wait(step, "")), output);
    }
    String known = knownChild(step);
    if (known == null) {
      StartChildResponse response = pass.call(WorkerRpc.START_CHILD, request(step, template), step);
      pass.requireGoingOn();
      if (response.hasRecorded()) {
        return read(response.getRecorded(), output);
      }
      known = response.getChildRunId();
    }
    return read(waits.await(step, wait(step, known)), output);
  }

  /** Starts a child beside the workflow's own code. */
  RunChildFuture<@Nullable Object> start(StepKey key, StartChildRequest template, Type output) {
    StepCall step = parallel.ask(StepKind.STEP_KIND_CHILD_WORKFLOW, key);
    StartedChild child = new StartedChild();
    child.isKnown(step.recorded());
    Branch branch =
        branches.create(
            step,
            step.attempt(NewsWaits.attempt(step), pass.claim().clock().now()),
            driven -> drive(driven, template, output, child));
    parallel.begin(List.of(branch));
    return new RunChildFuture<>(new RunFuture<>(branches, branch), child);
  }

  private @Nullable Object drive(
      Branch branch, StartChildRequest template, Type output, StartedChild child)
      throws InterruptedException {
    try {
      StepCall step = branch.call();
      if (step.isSettled()) {
        child.isKnown(step.recorded());
        return read(waits.await(branch, wait(step, "")), output);
      }
      String known = knownChild(step);
      if (known == null) {
        StartChildResponse response =
            branch.call(WorkerRpc.START_CHILD, request(step, template), step);
        if (response.hasRecorded()) {
          child.isKnown(response.getRecorded());
          return read(response.getRecorded(), output);
        }
        known = response.getChildRunId();
      }
      child.isKnown(known);
      return read(waits.await(branch, wait(step, known)), output);
    } finally {
      child.isOver();
    }
  }

  /** A wait that was recorded names the child that was started before it. */
  private static @Nullable String knownChild(StepCall step) {
    HistoryItem recorded = step.recorded();
    return recorded == null || recorded.getSettled() || recorded.getChildRunId().isEmpty()
        ? null
        : recorded.getChildRunId();
  }

  private StartChildRequest request(StepCall step, StartChildRequest template) {
    return pass.claim()
        .requests()
        .startChild()
        .mergeFrom(template)
        .setStep(step.attempt(NewsWaits.attempt(step), pass.claim().clock().now()))
        .build();
  }

  /** The wait for a child, or for all children of the step. */
  Wait wait(StepCall step, String child) {
    return Wait.newBuilder()
        .setStep(step.attempt(NewsWaits.attempt(step), pass.claim().clock().now()))
        .setKind(WaitKind.WAIT_KIND_CHILD)
        .setChildRunId(child)
        .build();
  }

  private @Nullable Object read(HistoryItem settled, Type type) {
    String key = settled.getStepKey();
    if (settled.getStatus() != StepStatus.STEP_STATUS_COMPLETED) {
      ErrorDetail error = settled.getError();
      pass.noteFailure(key, error);
      throw failure(key, settled.getChildRunId(), error);
    }
    return value(
        key, settled.hasOutput() ? WirePayloads.fromWire(settled.getOutput()) : null, type);
  }

  static StepFailedException failure(String key, String child, ErrorDetail error) {
    ErrorKind kind = ErrorKinds.fromWire(error.getKind());
    return child.isEmpty()
        ? new StepFailedException(
            key, 1, kind, error.getType(), error.getTypeHierarchyList(), error.getMessage())
        : new ChildFailedException(
            key, child, kind, error.getType(), error.getTypeHierarchyList(), error.getMessage());
  }

  @Nullable Object value(String key, @Nullable Payload output, Type type) {
    if (output == null || WirePayloads.isAbsent(output) || type.equals(Void.class)) {
      return null;
    }
    try {
      return codec.decode(output, type);
    } catch (PayloadException e) {
      throw new PayloadException(
          "Run %s: step '%s': the child's result cannot be read as %s: %s (expected: the type that"
                  .formatted(pass.claim().runId(), key, type.getTypeName(), e.getMessage())
              + " the child's workflow returns)",
          e);
    }
  }
}
