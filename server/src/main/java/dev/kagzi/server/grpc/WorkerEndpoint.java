package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.v1.AddChildItemsRequest;
import dev.kagzi.v1.AddChildItemsResponse;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.CompleteWorkflowResponse;
import dev.kagzi.v1.DeregisterRequest;
import dev.kagzi.v1.DeregisterResponse;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.FailWorkflowResponse;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.GetHistoryResponse;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HeartbeatResponse;
import dev.kagzi.v1.ListChildResultsRequest;
import dev.kagzi.v1.ListChildResultsResponse;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.PublishStateResponse;
import dev.kagzi.v1.RegisterRequest;
import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.ReleaseTaskResponse;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.StartChildResponse;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkerStatus;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/** What workers ask. Calls about runs are thin over {@link WorkerCalls}. Thread-safe. */
final class WorkerEndpoint extends WorkerServiceGrpc.WorkerServiceImplBase {

  private static final Duration BEGIN_STEP_AFTER = Duration.ofMillis(50);
  private static final Duration MAX_LOCAL_RETRY_WAIT = Duration.ofSeconds(2);

  private final Engine engine;
  private final WorkerCalls calls;
  private final TaskPolls polls;
  private final WorkStreamSession.Handlers streams;

  WorkerEndpoint(
      Engine engine, WorkerCalls calls, TaskPolls polls, WorkStreamSession.Handlers streams) {
    this.engine = engine;
    this.calls = calls;
    this.polls = polls;
    this.streams = streams;
  }

  @Override
  public void register(RegisterRequest request, StreamObserver<RegisterResponse> caller) {
    Unary.answer(
        caller,
        () ->
            terms(
                engine
                    .workers()
                    .register(
                        WorkerMapper.registration(request, engine.homeOfWorkers().orElse(null)))));
  }

  private RegisterResponse terms(WorkerId worker) {
    EngineConfig.Leases leases = engine.config().leases();
    EngineConfig.Steps steps = engine.config().steps();
    return RegisterResponse.newBuilder()
        .setWorkerId(worker.toString())
        .setHeartbeatInterval(TimeMapper.toWire(leases.heartbeatInterval()))
        .setLeaseDuration(TimeMapper.toWire(leases.lease()))
        .setDefaultRetryPolicy(RetryPolicyMapper.toWire(steps.retry()))
        .setDefaultStepTimeout(TimeMapper.toWire(steps.timeout()))
        .setLimits(WorkerMapper.limits(steps))
        .setMaxLocalRetryWait(TimeMapper.toWire(MAX_LOCAL_RETRY_WAIT))
        .setBeginStepAfter(TimeMapper.toWire(BEGIN_STEP_AFTER))
        .setEngineTime(TimeMapper.toWire(engine.clock().instant()))
        .setServerVersion(engine.config().node().version())
        .build();
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> caller) {
    Unary.answer(
        caller,
        () -> {
          HeartbeatBatch.Reply reply = engine.workers().heartbeat(WorkerMapper.heartbeat(request));
          return HeartbeatResponse.newBuilder()
              .setAccepted(reply.accepted())
              .setShouldDrain(reply.shouldDrain())
              .setNews(WorkerMapper.news(reply))
              .setEngineTime(TimeMapper.toWire(engine.clock().instant()))
              .build();
        });
  }

  @Override
  public void deregister(DeregisterRequest request, StreamObserver<DeregisterResponse> caller) {
    Unary.answer(caller, () -> takeLeave(request));
  }

  private DeregisterResponse takeLeave(DeregisterRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("worker_id", request.getWorkerId())
        .done();
    String namespace = Requests.namespace(request.getNamespace());
    WorkerId worker = WorkerId.parse(request.getWorkerId());
    var response = DeregisterResponse.newBuilder();
    if (request.getDrain()) {
      engine.workers().drain(namespace, worker);
      return response.setStatus(WorkerStatus.WORKER_STATUS_DRAINING).build();
    }
    return response
        .setStatus(WorkerStatus.WORKER_STATUS_OFFLINE)
        .setReleasedRuns(engine.workers().deregister(namespace, worker))
        .build();
  }

  @Override
  public void pollTask(PollTaskRequest request, StreamObserver<PollTaskResponse> caller) {
    UnaryPoll.start(polls, engine.presence(), request, caller);
  }

  @Override
  public void getHistory(GetHistoryRequest request, StreamObserver<GetHistoryResponse> caller) {
    Unary.answer(caller, () -> calls.runs().history(request));
  }

  @Override
  public void beginStep(BeginStepRequest request, StreamObserver<BeginStepResponse> caller) {
    Unary.answer(caller, () -> calls.steps().begin(request));
  }

  @Override
  public void completeStep(
      CompleteStepRequest request, StreamObserver<CompleteStepResponse> caller) {
    Unary.answer(caller, () -> calls.steps().complete(request));
  }

  @Override
  public void failStep(FailStepRequest request, StreamObserver<FailStepResponse> caller) {
    Unary.answer(caller, () -> calls.steps().fail(request));
  }

  @Override
  public void suspend(SuspendRequest request, StreamObserver<SuspendResponse> caller) {
    Unary.answer(caller, () -> calls.waits().suspend(request));
  }

  @Override
  public void sleep(SleepRequest request, StreamObserver<SleepResponse> caller) {
    Unary.answer(caller, () -> calls.waits().sleep(request));
  }

  @Override
  public void startChild(StartChildRequest request, StreamObserver<StartChildResponse> caller) {
    Unary.answer(caller, () -> calls.children().start(request));
  }

  @Override
  public void addChildItems(
      AddChildItemsRequest request, StreamObserver<AddChildItemsResponse> caller) {
    Unary.answer(caller, () -> calls.children().add(request));
  }

  @Override
  public void listChildResults(
      ListChildResultsRequest request, StreamObserver<ListChildResultsResponse> caller) {
    Unary.answer(caller, () -> calls.children().results(request));
  }

  @Override
  public void completeWorkflow(
      CompleteWorkflowRequest request, StreamObserver<CompleteWorkflowResponse> caller) {
    Unary.answer(caller, () -> calls.runs().complete(request));
  }

  @Override
  public void failWorkflow(
      FailWorkflowRequest request, StreamObserver<FailWorkflowResponse> caller) {
    Unary.answer(caller, () -> calls.runs().fail(request));
  }

  @Override
  public void publishState(
      PublishStateRequest request, StreamObserver<PublishStateResponse> caller) {
    Unary.answer(caller, () -> calls.runs().publish(request));
  }

  @Override
  public void releaseTask(ReleaseTaskRequest request, StreamObserver<ReleaseTaskResponse> caller) {
    Unary.answer(caller, () -> calls.runs().release(request));
  }

  @Override
  public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> caller) {
    return WorkStreamSession.open(caller, streams);
  }
}
