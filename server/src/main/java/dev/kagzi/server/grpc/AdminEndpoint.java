package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.DrainWorkerResponse;
import dev.kagzi.v1.ExplainWorkflowRequest;
import dev.kagzi.v1.ExplainWorkflowResponse;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.GetServerInfoResponse;
import dev.kagzi.v1.GetStatsRequest;
import dev.kagzi.v1.GetStatsResponse;
import dev.kagzi.v1.GetStepRequest;
import dev.kagzi.v1.GetStepResponse;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.GetWorkerResponse;
import dev.kagzi.v1.HealthCheckRequest;
import dev.kagzi.v1.HealthCheckResponse;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListQueuesResponse;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListStepsResponse;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkersResponse;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import dev.kagzi.v1.ListWorkflowTypesResponse;
import dev.kagzi.v1.SetDefaultVersionRequest;
import dev.kagzi.v1.SetDefaultVersionResponse;
import io.grpc.stub.StreamObserver;

/** What operators ask. Thread-safe. */
final class AdminEndpoint extends AdminServiceGrpc.AdminServiceImplBase {

  private final ServerCalls servers;
  private final WorkerListCalls workers;
  private final QueueCalls queues;
  private final StatsCalls stats;
  private final TypeCalls types;
  private final ExplainCalls explanations;
  private final StepListCalls steps;

  AdminEndpoint(Engine engine) {
    this.servers = new ServerCalls(engine);
    this.workers = new WorkerListCalls(engine);
    this.queues = new QueueCalls(engine.queues());
    this.stats = new StatsCalls(engine.statistics());
    this.types = new TypeCalls(engine.workflowTypes());
    this.explanations = new ExplainCalls(engine.explanations(), engine.workflows());
    this.steps = new StepListCalls(engine.stepLists());
  }

  @Override
  public void healthCheck(HealthCheckRequest request, StreamObserver<HealthCheckResponse> caller) {
    Unary.answer(caller, servers::health);
  }

  @Override
  public void getServerInfo(
      GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> caller) {
    Unary.answer(caller, servers::describe);
  }

  @Override
  public void listWorkers(ListWorkersRequest request, StreamObserver<ListWorkersResponse> caller) {
    Unary.answer(caller, () -> workers.list(request));
  }

  @Override
  public void getWorker(GetWorkerRequest request, StreamObserver<GetWorkerResponse> caller) {
    Unary.answer(caller, () -> workers.get(request));
  }

  @Override
  public void drainWorker(DrainWorkerRequest request, StreamObserver<DrainWorkerResponse> caller) {
    Unary.answer(caller, () -> workers.drain(request));
  }

  @Override
  public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> caller) {
    Unary.answer(caller, () -> queues.list(request));
  }

  @Override
  public void getStats(GetStatsRequest request, StreamObserver<GetStatsResponse> caller) {
    Unary.answer(caller, () -> stats.get(request));
  }

  @Override
  public void listWorkflowTypes(
      ListWorkflowTypesRequest request, StreamObserver<ListWorkflowTypesResponse> caller) {
    Unary.answer(caller, () -> types.list(request));
  }

  @Override
  public void setDefaultVersion(
      SetDefaultVersionRequest request, StreamObserver<SetDefaultVersionResponse> caller) {
    Unary.answer(caller, () -> types.setDefault(request));
  }

  @Override
  public void explainWorkflow(
      ExplainWorkflowRequest request, StreamObserver<ExplainWorkflowResponse> caller) {
    Unary.answer(caller, () -> explanations.explain(request));
  }

  @Override
  public void getStep(GetStepRequest request, StreamObserver<GetStepResponse> caller) {
    Unary.answer(caller, () -> steps.get(request));
  }

  @Override
  public void listSteps(ListStepsRequest request, StreamObserver<ListStepsResponse> caller) {
    Unary.answer(caller, () -> steps.list(request));
  }
}
