package dev.kagzi.sdk.internal;

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
import java.util.function.Supplier;

/**
 * Requests about one claimed run, begun with what all of them carry: the run, the epoch that fences
 * them, and who sends them.
 */
record RunRequests(String namespace, String runId, int epoch, Supplier<String> workerId) {

  GetHistoryRequest.Builder getHistory() {
    return GetHistoryRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  BeginStepRequest.Builder beginStep() {
    return BeginStepRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  CompleteStepRequest.Builder completeStep() {
    return CompleteStepRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  FailStepRequest.Builder failStep() {
    return FailStepRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  SleepRequest.Builder sleep() {
    return SleepRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  SuspendRequest.Builder suspend() {
    return SuspendRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  StartChildRequest.Builder startChild() {
    return StartChildRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  AddChildItemsRequest.Builder addChildItems() {
    return AddChildItemsRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  ListChildResultsRequest.Builder listChildResults() {
    return ListChildResultsRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  CompleteWorkflowRequest.Builder completeWorkflow() {
    return CompleteWorkflowRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  FailWorkflowRequest.Builder failWorkflow() {
    return FailWorkflowRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  PublishStateRequest.Builder publishState() {
    return PublishStateRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }

  ReleaseTaskRequest.Builder releaseTask() {
    return ReleaseTaskRequest.newBuilder()
        .setNamespace(namespace)
        .setRunId(runId)
        .setLeaseEpoch(epoch)
        .setWorkerId(workerId.get());
  }
}
