package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Namespaces;
import dev.kagzi.v1.AddChildItemsRequest;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.ListChildResultsRequest;
import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.time.Duration;
import java.util.List;

/** What many requests have in common, read the same way everywhere. */
final class Requests {

  /** The queue that an empty name means to a worker. */
  private static final String DEFAULT_QUEUE = "default";

  static final int DEFAULT_PAGE_SIZE = 50;

  private Requests() {}

  static String namespace(String given) {
    return given.isEmpty() ? Namespaces.DEFAULT : given;
  }

  static String taskQueue(String given) {
    return given.isEmpty() ? DEFAULT_QUEUE : given;
  }

  static int pageSize(int given) {
    return given == 0 ? DEFAULT_PAGE_SIZE : given;
  }

  static List<TypeVersion> types(List<WorkflowTypeVersion> given) {
    return given.stream()
        .map(type -> new TypeVersion(type.getWorkflowType(), type.getVersion()))
        .distinct()
        .toList();
  }

  /** How long a caller may wait: as it asked, up to the limit, which is also the default. */
  static Duration wait(boolean given, com.google.protobuf.Duration wire, Duration limit) {
    Duration wait = TimeMapper.toDuration(wire);
    return !given || wait.compareTo(limit) > 0 ? limit : wait;
  }

  /** What every request about a claimed run begins with, checked together with the rest. */
  record Held(String namespace, String runId, int epoch, String workerId) {

    static Held of(GetHistoryRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(BeginStepRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(CompleteStepRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(FailStepRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(SleepRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(SuspendRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(PublishStateRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(StartChildRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(AddChildItemsRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(ListChildResultsRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(CompleteWorkflowRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(FailWorkflowRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    static Held of(ReleaseTaskRequest request) {
      return new Held(
          request.getNamespace(),
          request.getRunId(),
          request.getLeaseEpoch(),
          request.getWorkerId());
    }

    Validation check() {
      return new Validation()
          .optionalName("namespace", namespace)
          .id("run_id", runId)
          .atLeast(1, "lease_epoch", epoch)
          .id("worker_id", workerId);
    }

    Fence fence() {
      return new Fence(Requests.namespace(namespace), RunId.parse(runId), epoch);
    }

    WorkerId worker() {
      return WorkerId.parse(workerId);
    }
  }
}
