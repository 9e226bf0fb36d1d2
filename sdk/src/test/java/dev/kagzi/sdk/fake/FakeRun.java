package dev.kagzi.sdk.fake;

import com.google.protobuf.Duration;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.StepStatus;
import dev.kagzi.v1.StopRequest;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run of the fake server; guarded by the server's lock. */
public final class FakeRun {

  final String id;
  final String type;
  final String version;
  final @Nullable Payload input;
  final Map<String, HistoryItem> steps = new LinkedHashMap<>();
  final List<String> recordedKeys = new ArrayList<>();
  RetryPolicy retryPolicy = RetryPolicy.getDefaultInstance();
  WorkflowStatus status = WorkflowStatus.WORKFLOW_STATUS_PENDING;
  @Nullable Duration lease;
  int epoch;
  @Nullable Payload output;
  @Nullable ErrorDetail error;
  String failedStep = "";
  @Nullable StopRequest stopRequest;
  @Nullable Duration stepTimeout;

  FakeRun(String id, String type, String version, @Nullable Payload input) {
    this.id = id;
    this.type = type;
    this.version = version;
    this.input = input;
  }

  boolean isHeldUnder(int claimedEpoch) {
    return status == WorkflowStatus.WORKFLOW_STATUS_RUNNING && epoch == claimedEpoch;
  }

  boolean isTerminal() {
    return switch (status) {
      case WORKFLOW_STATUS_COMPLETED,
          WORKFLOW_STATUS_FAILED,
          WORKFLOW_STATUS_CANCELLED,
          WORKFLOW_STATUS_TIMED_OUT ->
          true;
      default -> false;
    };
  }

  /** Cancels the run unless it has ended, and says whether it is cancelled now. */
  boolean cancel(String reason) {
    if (!isTerminal()) {
      status = WorkflowStatus.WORKFLOW_STATUS_CANCELLED;
      error = ErrorDetail.newBuilder().setMessage(reason).build();
    }
    return status == WorkflowStatus.WORKFLOW_STATUS_CANCELLED;
  }

  /** Ends as a worker reports it: as asked for if a stop was asked for, else as failed. */
  void fail(FailWorkflowRequest request) {
    status =
        switch (request.getStop()) {
          case STOP_KIND_CANCEL -> WorkflowStatus.WORKFLOW_STATUS_CANCELLED;
          case STOP_KIND_TIMEOUT -> WorkflowStatus.WORKFLOW_STATUS_TIMED_OUT;
          default -> WorkflowStatus.WORKFLOW_STATUS_FAILED;
        };
    error = request.getError();
    failedStep = request.getFailedStepKey();
  }

  void ifStopRequested(Consumer<StopRequest> listener) {
    if (stopRequest != null) {
      listener.accept(stopRequest);
    }
  }

  void record(HistoryItem item) {
    steps.put(item.getStepKey(), item);
    recordedKeys.add(item.getStepKey());
  }

  /** In how many sagas the run is, by the markers of the SDK. */
  int openSagas() {
    return steps.values().stream()
        .filter(item -> item.getKind() == StepKind.STEP_KIND_MARKER && item.getSettled())
        .map(item -> item.getStepKey().replaceFirst("#\\d+$", ""))
        .mapToInt(name -> name.equals("saga") ? 1 : name.equals("saga-end") ? -1 : 0)
        .sum();
  }

  /** Ends the sleeps, as time would. */
  void endSleeps() {
    steps.replaceAll((key, item) ->
        item.getKind() == StepKind.STEP_KIND_SLEEP
            ? item.toBuilder().setStatus(StepStatus.STEP_STATUS_COMPLETED).setSettled(true).build()
            : item);
  }

  WorkflowRun view() {
    var view =
        WorkflowRun.newBuilder()
            .setRunId(id)
            .setWorkflowType(type)
            .setVersion(version)
            .setStatus(status)
            .setLeaseEpoch(epoch)
            .setFailedStepKey(failedStep);
    if (output != null) {
      view.setOutput(output);
    }
    if (error != null) {
      view.setError(error);
    }
    return view.build();
  }
}
