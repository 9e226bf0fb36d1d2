package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes runs that have failed, as a worker would. */
final class FailedRuns {

  static final Failure DECLINED =
      new Failure(ErrorKind.UNKNOWN, "shop.CardDeclined", List.of(), "declined", "", null);

  private final TestEngine kagzi;
  private final WorkerId worker;

  FailedRuns(TestEngine kagzi) {
    this.kagzi = kagzi;
    this.worker = kagzi.registerWorker();
  }

  WorkerId worker() {
    return worker;
  }

  /** reserve completed, charge failed twice for good, then apologise completed. */
  RunId failInCharge(StartRequest.Builder request) {
    RunId runId = kagzi.engine().workflows().start(request.build()).runId();
    Task task = kagzi.pollOne(worker);
    complete(task, "reserve", 1, 1);
    fail(task, "charge", 1, 2, false);
    fail(task, "charge", 2, 2, true);
    complete(task, "apologise", 1, 3);
    end(task, "charge");
    return runId;
  }

  RunId failInCharge() {
    return failInCharge(TestEngine.request());
  }

  void complete(Task task, String key, int attempt, int seq) {
    StepResult result =
        new StepResult(key, attempt, seq, StepKind.FUNCTION, payload("\"" + key + "\""), null);
    kagzi.engine().tasks().completeStep(fence(task), worker, result);
  }

  void fail(Task task, String key, int attempt, int seq, boolean forGood) {
    StepFailure failure =
        new StepFailure(
            key,
            attempt,
            seq,
            StepKind.FUNCTION,
            null,
            DECLINED,
            RetryPolicy.DEFAULT,
            forGood,
            null);
    kagzi.engine().tasks().failStep(fence(task), worker, failure);
  }

  void end(Task task, @Nullable String failedStep) {
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Failed(DECLINED, failedStep));
  }

  void succeed(Task task) {
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
  }
}
