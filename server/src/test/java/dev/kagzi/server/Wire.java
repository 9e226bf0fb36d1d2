package dev.kagzi.server;

import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.BadRequest.FieldViolation;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.RegisterRequest;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowTypeVersion;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.UUID;

/** Messages as a client would send them, with good defaults, and what errors say. */
public final class Wire {

  public static final String TYPE = "order";
  public static final String QUEUE = "orders";

  private Wire() {}

  public static Payload json(String text) {
    return Payload.newBuilder().setJson(text).build();
  }

  public static StartWorkflowRequest.Builder aStart() {
    return StartWorkflowRequest.newBuilder()
        .setWorkflowType(TYPE)
        .setTaskQueue(QUEUE)
        .setInput(json("{\"id\": 7}"));
  }

  public static RegisterRequest.Builder aWorker() {
    return RegisterRequest.newBuilder()
        .setTaskQueue(QUEUE)
        .addTypes(WorkflowTypeVersion.newBuilder().setWorkflowType(TYPE))
        .setMaxConcurrent(10)
        .setHostname("test-host")
        .setPid(1)
        .setInstanceId(UUID.randomUUID().toString());
  }

  public static PollTaskRequest.Builder aPoll(String workerId) {
    return PollTaskRequest.newBuilder()
        .setWorkerId(workerId)
        .setTaskQueue(QUEUE)
        .addTypes(WorkflowTypeVersion.newBuilder().setWorkflowType(TYPE))
        .setWait(seconds(10));
  }

  public static StepAttempt.Builder aStep(String key) {
    return StepAttempt.newBuilder()
        .setStepKey(key)
        .setKind(StepKind.STEP_KIND_FUNCTION)
        .setAttempt(1)
        .setSeq(1);
  }

  public static BeginStepRequest beginStep(Task task, String workerId, String key) {
    return BeginStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(workerId)
        .setStep(aStep(key))
        .setTimeout(seconds(60))
        .build();
  }

  public static CompleteStepRequest completeStep(
      Task task, String workerId, String key, String output) {
    return CompleteStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(workerId)
        .setStep(aStep(key))
        .setOutput(json(output))
        .build();
  }

  public static SleepRequest sleep(Task task, String workerId, Duration duration) {
    return SleepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(workerId)
        .setStep(aStep("nap").setKind(StepKind.STEP_KIND_SLEEP).setSeq(2))
        .setDuration(duration)
        .setRelease(true)
        .build();
  }

  public static CompleteWorkflowRequest complete(Task task, String workerId, String output) {
    return CompleteWorkflowRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(workerId)
        .setOutput(json(output))
        .build();
  }

  public static FailWorkflowRequest.Builder fail(Task task, String workerId) {
    return FailWorkflowRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(workerId);
  }

  public static ReleaseTaskRequest release(Task task, String workerId) {
    return ReleaseTaskRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(workerId)
        .build();
  }

  public static Duration seconds(long seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  public static Duration millis(int millis) {
    return Duration.newBuilder().setNanos(millis * 1_000_000).build();
  }

  /** The code and the stable reason of an error, such as {@code NOT_FOUND RUN_NOT_FOUND}. */
  public static String verdict(StatusRuntimeException failure) {
    return failure.getStatus().getCode() + " " + detail(failure, ErrorInfo.class).getReason();
  }

  public static ErrorInfo errorInfo(StatusRuntimeException failure) {
    return detail(failure, ErrorInfo.class);
  }

  /** How long a caller is asked to wait. */
  public static Duration retryDelay(StatusRuntimeException failure) {
    return detail(failure, RetryInfo.class).getRetryDelay();
  }

  public static List<String> faultyFields(StatusRuntimeException failure) {
    return detail(failure, BadRequest.class).getFieldViolationsList().stream()
        .map(FieldViolation::getField)
        .toList();
  }

  private static <M extends com.google.protobuf.Message> M detail(
      StatusRuntimeException failure, Class<M> type) {
    var status = StatusProto.fromThrowable(failure);
    if (status == null) {
      throw new AssertionError("no details", failure);
    }
    for (var detail : status.getDetailsList()) {
      if (detail.is(type)) {
        try {
          return detail.unpack(type);
        } catch (InvalidProtocolBufferException malformed) {
          throw new AssertionError(malformed);
        }
      }
    }
    throw new AssertionError("no " + type.getSimpleName() + " in " + status);
  }
}
