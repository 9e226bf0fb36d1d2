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
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One Work stream from its hello to its end. Each call is carried out on a thread of its own,
 * unless its commit answers it, and no frame is read while too many calls are open.
 *
 * <p>The stream ends announced when the worker half-closes it or this server finishes it: open
 * calls are then answered first. Anything else is broken off, and the worker may be dead.
 */
final class WorkStreamSession implements StreamObserver<WorkRequest>, NewsSignals.Listener {

  private static final int MAX_OPEN_CALLS = 2048;
  private static final int MAX_CALLS_IN_FRAME = 4096;

  /** What the calls of all streams are handed to. */
  record Handlers(
      WorkDispatch calls,
      TaskPolls polls,
      WorkerPresence presence,
      NewsSignals news,
      Executor executor) {}

  private final ServerCallStreamObserver<WorkResponse> sink;
  private final Handlers handlers;
  private final Consumer<WorkStreamSession> whenOver;
  private final ReplyWriter writer;
  private final Set<PollCall> polls = ConcurrentHashMap.newKeySet();
  private final AtomicInteger openCalls = new AtomicInteger();
  private final AtomicBoolean paused = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile @Nullable WorkerId worker;

  /** Whether the end of this stream says something about its worker. */
  private boolean present;

  private volatile @Nullable RuntimeException fault;
  private volatile boolean finishing;

  WorkStreamSession(
      ServerCallStreamObserver<WorkResponse> sink,
      Handlers handlers,
      Consumer<WorkStreamSession> whenOver) {
    this.sink = sink;
    this.handlers = handlers;
    this.whenOver = whenOver;
    this.writer =
        new ReplyWriter(sink, handlers.executor(), this::callsEnded, this::closeIfFinished);
  }

  void start() {
    sink.disableAutoRequest();
    sink.setOnReadyHandler(writer::wake);
    sink.setOnCancelHandler(() -> end(true));
    sink.request(1);
  }

  /** Called on a thread of the transport, which must not wait for the database. */
  @Override
  public void onNext(WorkRequest frame) {
    if (ended.get() || fault != null) {
      return;
    }
    openCalls.addAndGet(frame.getCallsCount());
    if (worker == null) {
      handlers.executor().execute(() -> take(frame));
    } else {
      take(frame);
    }
  }

  private void take(WorkRequest frame) {
    try {
      accept(frame);
    } catch (RuntimeException refusal) {
      fault = refusal;
      writer.wake();
      return;
    }
    frame.getCallsList().forEach(this::begin);
    readOn();
  }

  private void accept(WorkRequest frame) {
    boolean first = worker == null;
    new Validation()
        .require(
            frame.hasHello() == first,
            "hello",
            first ? "is missing in the first frame" : "stands in a frame that is not the first")
        .require(
            frame.getCallsCount() <= MAX_CALLS_IN_FRAME,
            "calls",
            "has %d entries (expected: at most %d)"
                .formatted(frame.getCallsCount(), MAX_CALLS_IN_FRAME))
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
    if (ended.get()) {
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
    writer.tell(
        RunNews.newBuilder()
            .setRunId(news.runId().toString())
            .setLeaseEpoch(news.epoch())
            .addAllEndedStepKeys(news.stepKeys())
            .build());
  }

  private void readOn() {
    if (finishing) {
      return;
    }
    if (openCalls.get() < MAX_OPEN_CALLS) {
      sink.request(1);
      return;
    }
    paused.set(true);
    resumeReading();
  }

  private void resumeReading() {
    if (!finishing && openCalls.get() < MAX_OPEN_CALLS && paused.compareAndSet(true, false)) {
      sink.request(1);
    }
  }

  private void callsEnded(int count) {
    openCalls.addAndGet(-count);
    resumeReading();
  }

  private void begin(WorkCall call) {
    if (WorkDispatch.isAnsweredByCommit(call)) {
      handlers.calls().answer(call, writer);
    } else {
      handlers.executor().execute(() -> handle(call));
    }
  }

  private void handle(WorkCall call) {
    if (call.hasPollTask()) {
      poll(call);
    } else {
      reply(handlers.calls().answer(call));
    }
  }

  private void poll(WorkCall call) {
    var waiting = new WaitingPoll(call.getCorrelationId());
    polls.add(waiting.call);
    if (ended.get() || finishing) {
      cancel(waiting.call);
      return;
    }
    try {
      Poll.Request request = TaskPolls.checked(call.getPollTask());
      handlers.polls().start(waiting.call, request, call.getPollTask());
    } catch (RuntimeException failure) {
      if (polls.remove(waiting.call)) {
        reply(
            WorkReply.newBuilder()
                .setCorrelationId(call.getCorrelationId())
                .setError(ErrorMapper.toStatus(failure))
                .build());
      }
    }
  }

  private void reply(WorkReply reply) {
    writer.add(new ReplyWriter.Outgoing(reply, () -> {}));
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
      if (!polls.remove(call) || ended.get()) {
        return false;
      }
      var reply =
          WorkReply.newBuilder().setCorrelationId(correlationId).setPollTask(response).build();
      writer.keep(new ReplyWriter.Outgoing(reply, () -> handlers.polls().giveBack(response)));
      writer.sendKept();
      return true;
    }
  }

  private void cancel(PollCall poll) {
    poll.cancel();
    if (polls.remove(poll)) {
      callsEnded(1);
      writer.wake();
    }
  }

  /** The worker is gone, or as good as. */
  @Override
  public void onError(Throwable broken) {
    end(true);
  }

  /** The worker will ask no more. */
  @Override
  public void onCompleted() {
    finish();
  }

  /** Ends the stream in good order, when what is open has been answered. */
  void finish() {
    finishing = true;
    polls.forEach(this::cancel);
    writer.wake();
  }

  /** Called in the writer's turn, so that nothing else is written at the same time. */
  private void closeIfFinished() {
    RuntimeException refusal = fault;
    if (refusal != null) {
      sink.onError(ErrorMapper.toException(refusal));
      end(false);
    } else if (finishing && openCalls.get() == 0) {
      sink.onCompleted();
      end(false);
    }
  }

  private void end(boolean brokenOff) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    polls.forEach(this::cancel);
    writer.close();
    leave(brokenOff);
    whenOver.accept(this);
  }
}
