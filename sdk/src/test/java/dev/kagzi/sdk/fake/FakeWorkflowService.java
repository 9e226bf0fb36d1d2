package dev.kagzi.sdk.fake;

import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AskResponse;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.CancelOutcome;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.CancelWorkflowResponse;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.ForkWorkflowResponse;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.GetWorkflowResponse;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.RetryWorkflowResponse;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The client's side of the fake server. */
public final class FakeWorkflowService extends WorkflowServiceGrpc.WorkflowServiceImplBase {

  private final FakeRuns runs;
  private final FakeCalls calls;
  private final Faults faults;
  private final List<FakeAskStream> streams = new CopyOnWriteArrayList<>();
  private volatile boolean streamSupported = true;

  FakeWorkflowService(FakeRuns runs, FakeCalls calls, Faults faults) {
    this.runs = runs;
    this.calls = calls;
    this.faults = faults;
  }

  public void withoutStreams() {
    streamSupported = false;
  }

  /** Breaks every open stream. */
  public void breakStreams() {
    streams.forEach(FakeAskStream::breakOff);
  }

  /** How many streams there have been. */
  public int streamCount() {
    return streams.size();
  }

  public int openStreams() {
    return (int) streams.stream().filter(FakeAskStream::isOpen).count();
  }

  /** The frames that have arrived on all streams, first stream first. */
  public List<AskRequest> frames() {
    return streams.stream().flatMap(stream -> stream.frames().stream()).toList();
  }

  @Override
  public StreamObserver<AskRequest> ask(StreamObserver<AskResponse> replies) {
    if (!streamSupported) {
      return super.ask(replies);
    }
    var stream = new FakeAskStream(this, replies);
    streams.add(stream);
    return stream;
  }

  @Override
  public void startWorkflow(
      StartWorkflowRequest request, StreamObserver<StartWorkflowResponse> reply) {
    FakeWorkerService.answer(reply, () -> start(request));
  }

  StartWorkflowResponse start(StartWorkflowRequest request) {
    calls.note(request);
    return faults.apply(
        "StartWorkflow",
        () -> StartWorkflowResponse.newBuilder().setRunId(runs.start(request).id).build());
  }

  @Override
  public void getWorkflow(GetWorkflowRequest request, StreamObserver<GetWorkflowResponse> reply) {
    FakeWorkerService.answer(
        reply,
        () -> GetWorkflowResponse.newBuilder().setRun(runs.view(request.getRunId())).build());
  }

  @Override
  public void cancelWorkflow(
      CancelWorkflowRequest request, StreamObserver<CancelWorkflowResponse> reply) {
    FakeWorkerService.answer(
        reply,
        () -> {
          calls.note(request);
          return faults.apply("CancelWorkflow", () -> cancel(request));
        });
  }

  private CancelWorkflowResponse cancel(CancelWorkflowRequest request) {
    boolean cancelled = runs.read(request.getRunId(), run -> run.cancel(request.getReason()));
    return CancelWorkflowResponse.newBuilder()
        .setOutcome(
            cancelled
                ? CancelOutcome.CANCEL_OUTCOME_CANCELLED
                : CancelOutcome.CANCEL_OUTCOME_ALREADY_FINISHED)
        .setRun(runs.view(request.getRunId()))
        .build();
  }

  @Override
  public void retryWorkflow(
      RetryWorkflowRequest request, StreamObserver<RetryWorkflowResponse> reply) {
    FakeWorkerService.answer(
        reply,
        () -> {
          calls.note(request);
          return faults.apply("RetryWorkflow", () -> retry(request));
        });
  }

  private RetryWorkflowResponse retry(RetryWorkflowRequest request) {
    boolean live = !runs.isFinished(request.getRunId());
    if (!live) {
      runs.makeReady(request.getRunId());
    }
    return RetryWorkflowResponse.newBuilder()
        .setAlreadyActive(live)
        .setRun(runs.view(request.getRunId()))
        .build();
  }

  @Override
  public void forkWorkflow(
      ForkWorkflowRequest request, StreamObserver<ForkWorkflowResponse> reply) {
    FakeWorkerService.answer(
        reply,
        () -> {
          calls.note(request);
          return faults.apply(
              "ForkWorkflow",
              () -> {
                String type = runs.view(request.getRunId()).getWorkflowType();
                return ForkWorkflowResponse.newBuilder()
                    .setRunId(
                        runs.start(
                                StartWorkflowRequest.newBuilder()
                                    .setRequestId(request.getRequestId())
                                    .setWorkflowType(type)
                                    .build())
                            .id)
                    .build();
              });
        });
  }

  @Override
  public void awaitWorkflow(
      AwaitWorkflowRequest request, StreamObserver<AwaitWorkflowResponse> reply) {
    FakeWorkerService.answer(reply, () -> await(request));
  }

  AwaitWorkflowResponse await(AwaitWorkflowRequest request) {
    calls.note(request);
    return faults.apply("AwaitWorkflow", () -> awaitEnd(request));
  }

  private AwaitWorkflowResponse awaitEnd(AwaitWorkflowRequest request) {
    try {
      boolean finished =
          runs.await(request.getRunId(), FakeRun::isTerminal, FakeRuns.toJava(request.getWait()));
      return AwaitWorkflowResponse.newBuilder()
          .setFinished(finished)
          .setRun(runs.view(request.getRunId()))
          .build();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return AwaitWorkflowResponse.getDefaultInstance();
    }
  }
}
