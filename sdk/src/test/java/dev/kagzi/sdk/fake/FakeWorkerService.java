package dev.kagzi.sdk.fake;

import com.google.protobuf.Duration;
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
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HeartbeatResponse;
import dev.kagzi.v1.HeldRun;
import dev.kagzi.v1.Limits;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.RegisterRequest;
import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.ReleaseTaskResponse;
import dev.kagzi.v1.RunStop;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StopReason;
import dev.kagzi.v1.StopRequest;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerNews;
import dev.kagzi.v1.WorkerServiceGrpc;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The worker's side of the fake server. */
public final class FakeWorkerService extends WorkerServiceGrpc.WorkerServiceImplBase {

  private final FakeRuns runs;
  private final FakeCalls calls;
  private final Faults faults;
  private final List<FakeStream> streams = new CopyOnWriteArrayList<>();
  private final List<RunStop> stops = new CopyOnWriteArrayList<>();
  private final Set<String> workers = ConcurrentHashMap.newKeySet();
  private volatile Duration heartbeatInterval = Duration.newBuilder().setSeconds(10).build();
  private volatile Duration stepTimeout = Duration.newBuilder().setSeconds(600).build();
  private volatile Limits limits = Limits.getDefaultInstance();
  private volatile boolean streamSupported = true;
  private volatile boolean draining;
  private volatile int registrations;

  FakeWorkerService(FakeRuns runs, FakeCalls calls, Faults faults) {
    this.runs = runs;
    this.calls = calls;
    this.faults = faults;
  }

  /** What the next worker that registers is told. */
  public void terms(java.time.Duration heartbeat, java.time.Duration lease) {
    heartbeatInterval = FakeRuns.toWire(heartbeat);
    runs.lease = FakeRuns.toWire(lease);
  }

  /** How long the next worker that registers lets a step take. */
  public void stepTimeout(java.time.Duration timeout) {
    stepTimeout = FakeRuns.toWire(timeout);
  }

  /** How many steps the runs of the next worker that registers may have. */
  public void stepLimits(int warn, int most) {
    limits = Limits.newBuilder().setWarnSteps(warn).setMaxSteps(most).build();
  }

  public void withoutStreams() {
    streamSupported = false;
  }

  /** Asks workers to drain, with the next beat. */
  public void drainByHeartbeat() {
    draining = true;
  }

  /** Forgets all workers, as a restored database would. */
  public void forgetWorkers() {
    workers.clear();
  }

  public Set<String> workers() {
    return Set.copyOf(workers);
  }

  /** Breaks every open stream. */
  public void breakStreams() {
    streams.forEach(FakeStream::breakOff);
  }

  /** Has the next beats answered with the order to stop a run. */
  public void tell(RunStop stop) {
    stops.add(stop);
  }

  /** The frames that have arrived on all streams, first stream first. */
  public List<WorkRequest> frames() {
    return streams.stream().flatMap(stream -> stream.frames().stream()).toList();
  }

  public int streamCount() {
    return streams.size();
  }

  @Override
  public void register(RegisterRequest request, StreamObserver<RegisterResponse> reply) {
    answer(
        reply,
        () -> {
          calls.note(request);
          return faults.apply("Register", this::newWorker);
        });
  }

  private synchronized RegisterResponse newWorker() {
    var id = "worker-%d".formatted(++registrations);
    workers.add(id);
    return RegisterResponse.newBuilder()
        .setWorkerId(id)
        .setHeartbeatInterval(heartbeatInterval)
        .setLeaseDuration(runs.lease)
        .setDefaultStepTimeout(stepTimeout)
        .setLimits(limits)
        .build();
  }

  @Override
  public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatResponse> reply) {
    answer(
        reply,
        () -> {
          calls.note(request);
          return faults.apply("Heartbeat", () -> beat(request));
        });
  }

  private HeartbeatResponse beat(HeartbeatRequest beat) {
    if (!workers.contains(beat.getWorkerId())) {
      throw Refusals.refusal(Status.Code.NOT_FOUND, "WORKER_NOT_FOUND");
    }
    var news = WorkerNews.newBuilder().addAllStops(stops);
    for (HeldRun run : beat.getRunsList()) {
      if (!runs.read(run.getRunId(), known -> known.isHeldUnder(run.getLeaseEpoch()))) {
        news.addLostRuns(run);
      }
      runs.with(
          run.getRunId(),
          known -> known.ifStopRequested(request -> news.addStops(stop(run, request))));
    }
    return HeartbeatResponse.newBuilder()
        .setAccepted(true)
        .setShouldDrain(draining)
        .setNews(news)
        .build();
  }

  private static RunStop stop(HeldRun run, StopRequest request) {
    return RunStop.newBuilder()
        .setRunId(run.getRunId())
        .setLeaseEpoch(run.getLeaseEpoch())
        .setReason(StopReason.STOP_REASON_STOP_REQUESTED)
        .setStopRequested(request)
        .build();
  }

  @Override
  public void deregister(DeregisterRequest request, StreamObserver<DeregisterResponse> reply) {
    answer(
        reply,
        () -> {
          calls.note(request);
          if (!request.getDrain()) {
            workers.remove(request.getWorkerId());
          }
          return DeregisterResponse.getDefaultInstance();
        });
  }

  @Override
  public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> replies) {
    if (!streamSupported) {
      return super.work(replies);
    }
    var stream = new FakeStream(calls, replies);
    streams.add(stream);
    return stream;
  }

  @Override
  public void pollTask(PollTaskRequest request, StreamObserver<PollTaskResponse> reply) {
    answer(reply, () -> calls.pollTask(request));
  }

  @Override
  public void beginStep(BeginStepRequest request, StreamObserver<BeginStepResponse> reply) {
    answer(reply, () -> calls.beginStep(request));
  }

  @Override
  public void completeStep(
      CompleteStepRequest request, StreamObserver<CompleteStepResponse> reply) {
    answer(reply, () -> calls.completeStep(request));
  }

  @Override
  public void failStep(FailStepRequest request, StreamObserver<FailStepResponse> reply) {
    answer(reply, () -> calls.failStep(request));
  }

  @Override
  public void sleep(SleepRequest request, StreamObserver<SleepResponse> reply) {
    answer(reply, () -> calls.sleep(request));
  }

  @Override
  public void completeWorkflow(
      CompleteWorkflowRequest request, StreamObserver<CompleteWorkflowResponse> reply) {
    answer(reply, () -> calls.completeWorkflow(request));
  }

  @Override
  public void failWorkflow(
      FailWorkflowRequest request, StreamObserver<FailWorkflowResponse> reply) {
    answer(reply, () -> calls.failWorkflow(request));
  }

  @Override
  public void releaseTask(ReleaseTaskRequest request, StreamObserver<ReleaseTaskResponse> reply) {
    answer(reply, () -> calls.releaseTask(request));
  }

  static <R> void answer(StreamObserver<R> reply, Supplier<R> call) {
    try {
      R response = call.get();
      reply.onNext(response);
      reply.onCompleted();
    } catch (Faults.ReplyLost lost) {
      reply.onError(Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException());
    } catch (RuntimeException failure) {
      reply.onError(failure);
    }
  }
}
