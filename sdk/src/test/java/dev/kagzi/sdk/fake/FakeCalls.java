package dev.kagzi.sdk.fake;

import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.CompleteWorkflowResponse;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.FailWorkflowResponse;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.GetHistoryResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.ReleaseTaskResponse;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepOutcome;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.WaitState;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the fake server does when a worker calls; the same for unary calls and the stream. */
public final class FakeCalls {

  private static final Duration LONGEST_POLL = Duration.ofSeconds(30);

  private final FakeRuns runs;
  private final Faults faults;
  private final Queue<Object> received = new ConcurrentLinkedQueue<>();
  private volatile Function<FailStepRequest, FailStepResponse> retryRule = FakeCalls::settleFailed;
  private volatile boolean draining;
  private volatile boolean triesRunsAgain;

  FakeCalls(FakeRuns runs, Faults faults) {
    this.runs = runs;
    this.faults = faults;
  }

  /** The requests of one kind that have arrived, faults included. */
  public <Q> List<Q> received(Class<Q> type) {
    return received.stream().filter(type::isInstance).map(type::cast).toList();
  }

  void note(Object request) {
    received.add(request);
  }

  /** Decides what FailStep answers; settles at once unless said otherwise. */
  public void onFailStep(Function<FailStepRequest, FailStepResponse> rule) {
    retryRule = rule;
  }

  /** Lets runs that failed be claimed again, unless their worker rules it out. */
  public void tryRunsAgain() {
    triesRunsAgain = true;
  }

  /** Answers polls with the wish that the worker drain. */
  public void drain() {
    draining = true;
  }

  PollTaskResponse pollTask(PollTaskRequest request) {
    note(request);
    return faults.apply(
        "PollTask",
        () -> {
          var response = PollTaskResponse.newBuilder().setShouldDrain(draining);
          if (draining) {
            return response.build();
          }
          try {
            var tasks = runs.claim(request.getTypesList(), request.getMaxTasks(), LONGEST_POLL);
            return response.addAllTasks(tasks).build();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return response.build();
          }
        });
  }

  GetHistoryResponse getHistory(GetHistoryRequest request) {
    note(request);
    return faults.apply(
        "GetHistory",
        () ->
            runs.fenced(
                request.getRunId(),
                request.getLeaseEpoch(),
                run -> {
                  String token = request.getPageToken();
                  int from = token.isEmpty() ? 0 : Integer.parseInt(token);
                  List<HistoryItem> page = runs.page(run, from);
                  return GetHistoryResponse.newBuilder()
                      .addAllItems(page)
                      .setNextPageToken(runs.tokenAfter(run, from + page.size()))
                      .build();
                }));
  }

  BeginStepResponse beginStep(BeginStepRequest request) {
    note(request);
    return faults.apply(
        "BeginStep",
        () ->
            runs.fenced(
                request.getRunId(),
                request.getLeaseEpoch(),
                run -> {
                  var settled = settledBefore(run, request.getStep());
                  var response = BeginStepResponse.newBuilder().setShouldExecute(settled == null);
                  if (settled != null) {
                    response.setRecorded(settled);
                  }
                  run.ifStopRequested(response::setStopRequested);
                  return response.build();
                }));
  }

  CompleteStepResponse completeStep(CompleteStepRequest request) {
    note(request);
    return faults.apply(
        "CompleteStep",
        () ->
            runs.fenced(
                request.getRunId(),
                request.getLeaseEpoch(),
                run -> {
                  var settled = settledBefore(run, request.getStep());
                  if (settled != null) {
                    return CompleteStepResponse.newBuilder()
                        .setOutcome(StepOutcome.STEP_OUTCOME_ALREADY_SETTLED)
                        .setRecorded(settled)
                        .build();
                  }
                  var item = item(request.getStep(), StepStatus.STEP_STATUS_COMPLETED);
                  if (request.hasOutput()) {
                    item.setOutput(request.getOutput());
                  }
                  run.record(item.setSettled(true).build());
                  cancel(run, request.getCancelledList());
                  var response =
                      CompleteStepResponse.newBuilder()
                          .setOutcome(StepOutcome.STEP_OUTCOME_RECORDED);
                  run.ifStopRequested(response::setStopRequested);
                  return response.build();
                }));
  }

  private static void cancel(FakeRun run, List<StepAttempt> steps) {
    for (StepAttempt step : steps) {
      if (settledBefore(run, step) == null) {
        run.record(item(step, StepStatus.STEP_STATUS_CANCELLED).setSettled(true).build());
      }
    }
  }

  private static @Nullable HistoryItem settledBefore(FakeRun run, StepAttempt step) {
    HistoryItem known = run.steps.get(step.getStepKey());
    return known != null && known.getSettled() ? known : null;
  }

  private static HistoryItem.Builder item(StepAttempt step, StepStatus status) {
    return HistoryItem.newBuilder()
        .setStepKey(step.getStepKey())
        .setKind(step.getKind())
        .setStatus(status)
        .setAttempt(step.getAttempt())
        .setSeq(step.getSeq());
  }

  private static FailStepResponse settleFailed(FailStepRequest request) {
    var settled =
        item(request.getStep(), StepStatus.STEP_STATUS_FAILED)
            .setSettled(true)
            .setError(request.getError());
    return FailStepResponse.newBuilder().setSettled(settled).build();
  }

  FailStepResponse failStep(FailStepRequest request) {
    note(request);
    return faults.apply(
        "FailStep",
        () ->
            runs.fenced(
                request.getRunId(),
                request.getLeaseEpoch(),
                run -> {
                  FailStepResponse response = retryRule.apply(request);
                  run.record(
                      response.hasSettled()
                          ? response.getSettled()
                          : item(request.getStep(), StepStatus.STEP_STATUS_FAILED)
                              .setError(request.getError())
                              .setFailures(1)
                              .build());
                  if (response.hasSettled()) {
                    cancel(run, request.getCancelledList());
                  }
                  var heard = response.toBuilder();
                  run.ifStopRequested(heard::setStopRequested);
                  return heard.build();
                }));
  }

  SleepResponse sleep(SleepRequest request) {
    note(request);
    return faults.apply(
        "Sleep",
        () ->
            runs.fenced(
                request.getRunId(),
                request.getLeaseEpoch(),
                run -> {
                  run.record(
                      item(request.getStep(), StepStatus.STEP_STATUS_RUNNING)
                          .setKind(StepKind.STEP_KIND_SLEEP)
                          .setWakeAt(FakeRuns.now())
                          .build());
                  run.status = WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
                  return SleepResponse.newBuilder()
                      .setReleased(true)
                      .setWait(
                          WaitState.newBuilder()
                              .setStepKey(request.getStep().getStepKey())
                              .setWakeAt(FakeRuns.now()))
                      .build();
                }));
  }

  SuspendResponse suspend(SuspendRequest request) {
    note(request);
    return runs.fenced(
        request.getRunId(),
        request.getLeaseEpoch(),
        run -> {
          if (!request.getRelease()) {
            return SuspendResponse.getDefaultInstance();
          }
          run.status = WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
          return SuspendResponse.newBuilder().setReleased(true).build();
        });
  }

  CompleteWorkflowResponse completeWorkflow(CompleteWorkflowRequest request) {
    note(request);
    return faults.apply(
        "CompleteWorkflow",
        () ->
            runs.fenced(
                request.getRunId(),
                request.getLeaseEpoch(),
                run -> {
                  requireOutsideSagas(run);
                  run.status = WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
                  run.output = request.hasOutput() ? request.getOutput() : null;
                  return CompleteWorkflowResponse.newBuilder().setStatus(run.status).build();
                }));
  }

  private static void requireOutsideSagas(FakeRun run) {
    if (run.openSagas() > 0) {
      throw Refusals.refusal(Status.Code.FAILED_PRECONDITION, "SAGA_OPEN");
    }
  }

  FailWorkflowResponse failWorkflow(FailWorkflowRequest request) {
    note(request);
    return runs.fenced(
        request.getRunId(),
        request.getLeaseEpoch(),
        run -> {
          if (triesRunsAgain && !request.getNonRetryable()) {
            run.status = WorkflowStatus.WORKFLOW_STATUS_PENDING;
            return FailWorkflowResponse.newBuilder()
                .setStatus(run.status)
                .setRetryAt(FakeRuns.now())
                .build();
          }
          requireOutsideSagas(run);
          run.fail(request);
          return FailWorkflowResponse.newBuilder().setStatus(run.status).build();
        });
  }

  ReleaseTaskResponse releaseTask(ReleaseTaskRequest request) {
    note(request);
    return runs.fenced(
        request.getRunId(),
        request.getLeaseEpoch(),
        run -> {
          // Parked, so that the same worker does not take it up again during the test.
          run.status = WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
          return ReleaseTaskResponse.newBuilder().setReleased(true).build();
        });
  }
}
