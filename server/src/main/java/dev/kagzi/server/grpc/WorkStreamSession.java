package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.engine.operation.WorkerPresence;
import dev.kagzi.engine.wakeup.NewsSignals;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.RunNews;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One Work stream from its hello to its end. Each call is carried out on a thread of its own,
 * unless its commit answers it. When the stream is broken off, the worker may be dead.
 */
final class WorkStreamSession implements CallStream.Owner<WorkRequest>, NewsSignals.Listener {

  private static final int MAX_OPEN_CALLS = 2048;

  /**
   * What the calls of all streams are handed to.
   *
   * @param callersMayWait whether frames are brought by their senders, and not by threads that
   *     bring the frames of others too
   */
  record Handlers(
      WorkDispatch calls,
      TaskPolls polls,
      WorkerPresence presence,
      NewsSignals news,
      OpenStreams streams,
      boolean callersMayWait) {}

  private final CallStream<WorkRequest, WorkReply, WorkResponse> stream;
  private final ReplyWriter<WorkReply, WorkResponse> writer;
  private final WorkFrames frames = new WorkFrames();
  private final Handlers handlers;
  private final Set<PollCall> polls = ConcurrentHashMap.newKeySet();
  private volatile @Nullable WorkerId worker;

  /** Whether the end of this stream says something about its worker. */
  private boolean present;

  private WorkStreamSession(ServerCallStreamObserver<WorkResponse> sink, Handlers handlers) {
    this.handlers = handlers;
    this.stream = new CallStream<>(sink, frames, handlers.streams(), MAX_OPEN_CALLS, this);
    this.writer = stream.writer();
  }

  /** Begins to read; what arrives is for the observer. */
  static StreamObserver<WorkRequest> open(StreamObserver<WorkResponse> caller, Handlers handlers) {
    var sink = (ServerCallStreamObserver<WorkResponse>) caller;
    return new WorkStreamSession(sink, handlers).stream.start();
  }

  @Override
  public int callsIn(WorkRequest frame) {
    return frame.getCallsCount();
  }

  @Override
  public void arrived(WorkRequest frame) {
    if (worker == null) {
      handlers.streams().executor().execute(() -> take(frame));
    } else {
      take(frame);
    }
  }

  private void take(WorkRequest frame) {
    stream.take(() -> {
      accept(frame);
      boolean mayWait = handlers.callersMayWait() && frame.getSenderWaits();
      frame.getCallsList().forEach(call -> begin(call, mayWait));
    });
  }

  private void accept(WorkRequest frame) {
    boolean first = worker == null;
    CallStream.check(frame.getCallsCount())
        .require(
            frame.hasHello() == first,
            "hello",
            first ? "is missing in the first frame" : "stands in a frame that is not the first")
        .done();
    if (first) {
      new Validation()
          .id("hello.worker_id", frame.getHello().getWorkerId())
          .optionalName("hello.namespace", frame.getHello().getNamespace())
          .done();
      WorkerId introduced = WorkerId.parse(frame.getHello().getWorkerId());
      String namespace = Requests.namespace(frame.getHello().getNamespace());
      arrive(introduced, handlers.presence().streamOpened(namespace, introduced));
    }
  }

  /** The worker is known; the stream may have ended while it was looked up. */
  private synchronized void arrive(WorkerId introduced, boolean isPresent) {
    worker = introduced;
    present = isPresent;
    handlers.news().listen(introduced, this);
    if (stream.hasEnded()) {
      leave(true);
    }
  }

  /** The worker is to be had here no more; of one that has not arrived yet, arriving tells. */
  private synchronized void leave(boolean brokenOff) {
    WorkerId known = worker;
    if (known == null) {
      return;
    }
    handlers.news().forget(known, this);
    if (present) {
      present = false;
      handlers.presence().callEnded(known, brokenOff);
    }
  }

  @Override
  public void waitsEnded(NewsSignals.EndedWaits news) {
    boolean kept =
        frames.tell(
            RunNews.newBuilder()
                .setRunId(news.runId().toString())
                .setLeaseEpoch(news.epoch())
                .addAllEndedStepKeys(news.stepKeys())
                .build());
    if (kept) {
      writer.wake();
    }
  }

  /**
   * Who waits for the commit in any case may as well commit himself; on a virtual thread that would
   * take longer.
   */
  private void begin(WorkCall call, boolean mayWait) {
    if (WorkDispatch.isAnsweredByCommit(call)) {
      boolean here = mayWait && !Thread.currentThread().isVirtual();
      handlers.calls().answer(call, writer, here);
    } else {
      handlers.streams().executor().execute(() -> handle(call));
    }
  }

  private void handle(WorkCall call) {
    if (call.hasPollTask()) {
      poll(call);
    } else {
      writer.add(call.getCorrelationId(), handlers.calls().answer(call));
    }
  }

  private void poll(WorkCall call) {
    var waiting = new WaitingPoll(call.getCorrelationId());
    polls.add(waiting.call);
    if (stream.takesNoWaiting()) {
      cancel(waiting.call);
      return;
    }
    try {
      Poll.Request request = TaskPolls.checked(call.getPollTask());
      handlers.polls().start(waiting.call, request, call.getPollTask());
    } catch (RuntimeException failure) {
      if (polls.remove(waiting.call)) {
        writer.refuse(call.getCorrelationId(), failure);
      }
    }
  }

  /** A poll on this stream. */
  private final class WaitingPoll implements PollCall.Caller {
    private final long correlationId;
    private final PollCall call = new PollCall(handlers.polls(), this);

    private WaitingPoll(long correlationId) {
      this.correlationId = correlationId;
    }

    @Override
    public boolean deliver(PollTaskResponse response) {
      if (!polls.remove(call) || stream.hasEnded()) {
        return false;
      }
      var reply =
          WorkReply.newBuilder().setCorrelationId(correlationId).setPollTask(response).build();
      writer.keep(correlationId, reply, () -> handlers.polls().giveBack(response));
      writer.sendKept();
      return true;
    }
  }

  private void cancel(PollCall poll) {
    poll.cancel();
    if (polls.remove(poll)) {
      stream.callDropped();
    }
  }

  @Override
  public void stopWaiting() {
    polls.forEach(this::cancel);
  }

  @Override
  public void over(boolean brokenOff) {
    leave(brokenOff);
  }
}
