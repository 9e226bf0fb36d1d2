package dev.kagzi.server.grpc;

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
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.ReleaseTaskResponse;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkerServiceGrpc.WorkerServiceBlockingStub;

/** A worker's calls about runs, whichever way they travel. */
interface WorkerClient extends AutoCloseable {

  PollTaskResponse poll(PollTaskRequest request);

  GetHistoryResponse history(GetHistoryRequest request);

  BeginStepResponse beginStep(BeginStepRequest request);

  CompleteStepResponse completeStep(CompleteStepRequest request);

  FailStepResponse failStep(FailStepRequest request);

  SuspendResponse suspend(SuspendRequest request);

  SleepResponse sleep(SleepRequest request);

  CompleteWorkflowResponse complete(CompleteWorkflowRequest request);

  FailWorkflowResponse fail(FailWorkflowRequest request);

  ReleaseTaskResponse release(ReleaseTaskRequest request);

  @Override
  void close();

  /** Each call an RPC of its own. */
  record Unary(WorkerServiceBlockingStub stub) implements WorkerClient {
    @Override
    public PollTaskResponse poll(PollTaskRequest request) {
      return stub.pollTask(request);
    }

    @Override
    public GetHistoryResponse history(GetHistoryRequest request) {
      return stub.getHistory(request);
    }

    @Override
    public BeginStepResponse beginStep(BeginStepRequest request) {
      return stub.beginStep(request);
    }

    @Override
    public CompleteStepResponse completeStep(CompleteStepRequest request) {
      return stub.completeStep(request);
    }

    @Override
    public FailStepResponse failStep(FailStepRequest request) {
      return stub.failStep(request);
    }

    @Override
    public SuspendResponse suspend(SuspendRequest request) {
      return stub.suspend(request);
    }

    @Override
    public SleepResponse sleep(SleepRequest request) {
      return stub.sleep(request);
    }

    @Override
    public CompleteWorkflowResponse complete(CompleteWorkflowRequest request) {
      return stub.completeWorkflow(request);
    }

    @Override
    public FailWorkflowResponse fail(FailWorkflowRequest request) {
      return stub.failWorkflow(request);
    }

    @Override
    public ReleaseTaskResponse release(ReleaseTaskRequest request) {
      return stub.releaseTask(request);
    }

    @Override
    public void close() {}
  }

  /** All calls in frames on one stream. */
  record Streaming(WorkStreamClient stream) implements WorkerClient {
    private static WorkCall.Builder call() {
      return WorkCall.newBuilder();
    }

    private WorkReply ask(WorkCall.Builder call) {
      return stream.call(call);
    }

    @Override
    public PollTaskResponse poll(PollTaskRequest request) {
      return ask(call().setPollTask(request)).getPollTask();
    }

    @Override
    public GetHistoryResponse history(GetHistoryRequest request) {
      return ask(call().setGetHistory(request)).getGetHistory();
    }

    @Override
    public BeginStepResponse beginStep(BeginStepRequest request) {
      return ask(call().setBeginStep(request)).getBeginStep();
    }

    @Override
    public CompleteStepResponse completeStep(CompleteStepRequest request) {
      return ask(call().setCompleteStep(request)).getCompleteStep();
    }

    @Override
    public FailStepResponse failStep(FailStepRequest request) {
      return ask(call().setFailStep(request)).getFailStep();
    }

    @Override
    public SuspendResponse suspend(SuspendRequest request) {
      return ask(call().setSuspend(request)).getSuspend();
    }

    @Override
    public SleepResponse sleep(SleepRequest request) {
      return ask(call().setSleep(request)).getSleep();
    }

    @Override
    public CompleteWorkflowResponse complete(CompleteWorkflowRequest request) {
      return ask(call().setCompleteWorkflow(request)).getCompleteWorkflow();
    }

    @Override
    public FailWorkflowResponse fail(FailWorkflowRequest request) {
      return ask(call().setFailWorkflow(request)).getFailWorkflow();
    }

    @Override
    public ReleaseTaskResponse release(ReleaseTaskRequest request) {
      return ask(call().setReleaseTask(request)).getReleaseTask();
    }

    @Override
    public void close() {
      stream.halfClose();
    }
  }
}
