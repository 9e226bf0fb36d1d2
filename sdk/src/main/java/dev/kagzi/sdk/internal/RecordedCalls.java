package dev.kagzi.sdk.internal;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.ListChildResultsRequest;
import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.WaitState;
import dev.kagzi.v1.WorkReply;
import io.grpc.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Answers a pass out of a history, in place of a server. Nothing new can begin here: the first
 * thing that is asked for and not recorded is remembered and stops the pass, as the end of the run
 * would. Thread-safe.
 */
final class RecordedCalls implements RunCalls {

  private final Map<String, HistoryItem> settled = new HashMap<>();
  private final AtomicReference<@Nullable StepAttempt> missing = new AtomicReference<>();
  private volatile @Nullable Object end;
  private volatile boolean cutShort;

  RecordedCalls(List<HistoryItem> history) {
    for (HistoryItem item : history) {
      if (item.getSettled()) {
        settled.put(item.getStepKey(), item);
      }
    }
  }

  @Override
  public <Q, R> R call(WorkerRpc<Q, R> rpc, Q request) {
    WorkReply.Builder reply = WorkReply.newBuilder();
    switch (request) {
      case CompleteWorkflowRequest completed -> end = completed;
      case FailWorkflowRequest failed -> end = failed;
      case ReleaseTaskRequest released -> end = released;
      // Shown to nobody; it is no step.
      case PublishStateRequest shown -> {}
      case SleepRequest sleep when settled.containsKey(sleep.getStep().getStepKey()) ->
          reply.setSleep(ended(sleep.getStep().getStepKey()));
      case SleepRequest sleep -> throw notRecorded(sleep.getStep());
      case BeginStepRequest step -> throw notRecorded(step.getStep());
      case CompleteStepRequest step -> throw notRecorded(step.getStep());
      case FailStepRequest step -> throw notRecorded(step.getStep());
      case SuspendRequest waits -> throw notRecorded(waits.getWaits(0).getStep());
      case StartChildRequest child -> throw notRecorded(child.getStep());
      case ListChildResultsRequest results -> throw notKept(results.getStepKey());
      default -> throw new IllegalStateException("a replay does not ask for " + request);
    }
    return rpc.fromReply(reply.build());
  }

  private SleepResponse ended(String stepKey) {
    var wait = WaitState.newBuilder().setStepKey(stepKey).setEnded(settled.get(stepKey));
    return SleepResponse.newBuilder().setWait(wait).build();
  }

  private CallFailedException notRecorded(StepAttempt step) {
    missing.compareAndSet(null, step);
    return stop("'%s' is not recorded".formatted(step.getStepKey()));
  }

  /** The results of a fan-out lie in the database and in no history: nobody knows what follows. */
  private CallFailedException notKept(String stepKey) {
    cutShort = true;
    return stop("the results of the children of '%s' are not exported".formatted(stepKey));
  }

  private static CallFailedException stop(String why) {
    return CallFailedException.of(
        com.google.rpc.Status.newBuilder()
            .setCode(Status.Code.FAILED_PRECONDITION.value())
            .setMessage(why)
            .addDetails(Any.pack(ErrorInfo.newBuilder().setReason(Reasons.RUN_TERMINAL).build()))
            .build());
  }

  @Override
  public <Q, R> R once(WorkerRpc<Q, R> rpc, Q request) {
    return call(rpc, request);
  }

  /** The first step that the code wanted to begin. */
  Optional<StepAttempt> missing() {
    return Optional.ofNullable(missing.get());
  }

  /** Whether the code came to something that no history holds. */
  boolean isCutShort() {
    return cutShort;
  }

  /** The request with which the pass reported its end; nothing if it did not come to its end. */
  @Nullable Object end() {
    return end;
  }
}
