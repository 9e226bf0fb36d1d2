package dev.kagzi.bench.kagzi;

import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceBlockingStub;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;

/** Asks a server for the number of live runs of a type. */
final class CountedByServer implements LiveRuns {
  private final ManagedChannel channel;
  private final WorkflowServiceBlockingStub stub;
  private final CountWorkflowsRequest request;

  CountedByServer(String address, String type) {
    this.channel = NettyChannelBuilder.forTarget(address).usePlaintext().build();
    this.stub = WorkflowServiceGrpc.newBlockingStub(channel);
    this.request =
        CountWorkflowsRequest.newBuilder()
            .setFilter(
                WorkflowFilter.newBuilder()
                    .addWorkflowTypes(type)
                    .addStatuses(WorkflowStatus.WORKFLOW_STATUS_PENDING)
                    .addStatuses(WorkflowStatus.WORKFLOW_STATUS_RUNNING)
                    .addStatuses(WorkflowStatus.WORKFLOW_STATUS_SLEEPING))
            .build();
  }

  @Override
  public long count() {
    return stub.countWorkflows(request).getCount();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
