package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AskResponse;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.CancelBatchRequest;
import dev.kagzi.v1.CancelBatchResponse;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.CancelWorkflowResponse;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.CountWorkflowsResponse;
import dev.kagzi.v1.DeleteWorkflowRequest;
import dev.kagzi.v1.DeleteWorkflowResponse;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.ForkWorkflowResponse;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.GetBatchResponse;
import dev.kagzi.v1.GetStateRequest;
import dev.kagzi.v1.GetStateResponse;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.GetWorkflowResponse;
import dev.kagzi.v1.ListBatchesRequest;
import dev.kagzi.v1.ListBatchesResponse;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.ListWorkflowsResponse;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.RetryWorkflowResponse;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.SendEventResponse;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.StartBatchResponse;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** What clients ask about runs. Thread-safe. */
final class WorkflowEndpoint extends WorkflowServiceGrpc.WorkflowServiceImplBase {

  private final Workflows workflows;
  private final ListCalls lists;
  private final RetryCalls retries;
  private final ForkCalls forks;
  private final BatchCalls batches;
  private final EventCalls events;
  private final RunNames names;
  private final AskStreamSession.Handlers asks;

  WorkflowEndpoint(Engine engine, RunNames names, AskStreamSession.Handlers asks) {
    this.workflows = engine.workflows();
    this.lists = new ListCalls(engine.runLists());
    this.retries = new RetryCalls(engine.retries(), workflows);
    this.forks = new ForkCalls(engine.forks());
    this.batches = new BatchCalls(engine.batches());
    this.events = new EventCalls(engine.messages(), workflows);
    this.names = names;
    this.asks = asks;
  }

  @Override
  public void startWorkflow(
      StartWorkflowRequest request, StreamObserver<StartWorkflowResponse> caller) {
    Unary.answer(caller, () -> asks.starts().start(request));
  }

  @Override
  public void getWorkflow(GetWorkflowRequest request, StreamObserver<GetWorkflowResponse> caller) {
    Unary.answer(
        caller,
        () -> {
          String namespace = Requests.namespace(request.getNamespace());
          RunId runId =
              names.read(new Validation(), namespace, request.getRunId(), request.getExternalId());
          return GetWorkflowResponse.newBuilder()
              .setRun(show(namespace, runId, request.getIncludePayloads()))
              .build();
        });
  }

  @Override
  public void awaitWorkflow(
      AwaitWorkflowRequest request, StreamObserver<AwaitWorkflowResponse> caller) {
    AwaitCall call = asks.awaits().call(Unary.reply(caller), over -> {});
    ((ServerCallStreamObserver<AwaitWorkflowResponse>) caller).setOnCancelHandler(call::cancel);
    try {
      asks.awaits().start(call, request);
    } catch (RuntimeException refusal) {
      call.refuse(refusal);
    }
  }

  @Override
  public void cancelWorkflow(
      CancelWorkflowRequest request, StreamObserver<CancelWorkflowResponse> caller) {
    Unary.answer(caller, () -> cancel(request));
  }

  private CancelWorkflowResponse cancel(CancelWorkflowRequest request) {
    Validation check = new Validation().remark("reason", request.getReason());
    String namespace = Requests.namespace(request.getNamespace());
    RunId runId = names.read(check, namespace, request.getRunId(), request.getExternalId());
    CancelOutcome outcome =
        request.getTerminate()
            ? workflows.terminate(namespace, runId, request.getReason())
            : workflows.cancel(namespace, runId, request.getReason());
    return CancelWorkflowResponse.newBuilder()
        .setOutcome(
            switch (outcome) {
              case CancelOutcome.Cancelled cancelled ->
                  dev.kagzi.v1.CancelOutcome.CANCEL_OUTCOME_CANCELLED;
              case CancelOutcome.StopRequested stop ->
                  dev.kagzi.v1.CancelOutcome.CANCEL_OUTCOME_STOP_REQUESTED;
              case CancelOutcome.AlreadyEnded ended ->
                  dev.kagzi.v1.CancelOutcome.CANCEL_OUTCOME_ALREADY_FINISHED;
            })
        .setRun(show(namespace, runId, false))
        .build();
  }

  @Override
  public void retryWorkflow(
      RetryWorkflowRequest request, StreamObserver<RetryWorkflowResponse> caller) {
    Unary.answer(caller, () -> retries.retry(request));
  }

  @Override
  public void forkWorkflow(
      ForkWorkflowRequest request, StreamObserver<ForkWorkflowResponse> caller) {
    Unary.answer(caller, () -> forks.fork(request));
  }

  @Override
  public void startBatch(StartBatchRequest request, StreamObserver<StartBatchResponse> caller) {
    Unary.answer(caller, () -> batches.start(request));
  }

  @Override
  public void getBatch(GetBatchRequest request, StreamObserver<GetBatchResponse> caller) {
    Unary.answer(caller, () -> batches.get(request));
  }

  @Override
  public void listBatches(ListBatchesRequest request, StreamObserver<ListBatchesResponse> caller) {
    Unary.answer(caller, () -> batches.list(request));
  }

  @Override
  public void cancelBatch(CancelBatchRequest request, StreamObserver<CancelBatchResponse> caller) {
    Unary.answer(caller, () -> batches.cancel(request));
  }

  @Override
  public void listWorkflows(
      ListWorkflowsRequest request, StreamObserver<ListWorkflowsResponse> caller) {
    Unary.answer(caller, () -> lists.list(request));
  }

  @Override
  public void countWorkflows(
      CountWorkflowsRequest request, StreamObserver<CountWorkflowsResponse> caller) {
    Unary.answer(caller, () -> lists.count(request));
  }

  @Override
  public void deleteWorkflow(
      DeleteWorkflowRequest request, StreamObserver<DeleteWorkflowResponse> caller) {
    Unary.answer(caller, () -> lists.delete(request));
  }

  @Override
  public void sendEvent(SendEventRequest request, StreamObserver<SendEventResponse> caller) {
    Unary.answer(caller, () -> events.send(request));
  }

  @Override
  public void getState(GetStateRequest request, StreamObserver<GetStateResponse> caller) {
    Unary.answer(caller, () -> events.state(request));
  }

  @Override
  public StreamObserver<AskRequest> ask(StreamObserver<AskResponse> caller) {
    return AskStreamSession.open(caller, asks);
  }

  private WorkflowRun show(String namespace, RunId runId, boolean withPayloads) {
    Run run = workflows.get(namespace, runId);
    return RunMapper.toWire(run, workflows.details(runId, withPayloads));
  }
}
