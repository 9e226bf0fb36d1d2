package dev.kagzi.server.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One stream of calls from its first frame to its end, whoever makes them. No frame is read while
 * too many calls are open.
 *
 * <p>The stream ends announced when the caller half-closes it or this server finishes it: open
 * calls are then answered first. Anything else is broken off. Thread-safe.
 *
 * @param <Q> a frame of calls
 * @param <R> one reply
 * @param <F> a frame of replies
 */
final class CallStream<Q, R extends MessageLite, F> implements StreamObserver<Q> {

  private static final int MAX_CALLS_IN_FRAME = 4096;

  /** Who carries out the calls of a stream. */
  interface Owner<Q> {

    int callsIn(Q frame);

    /**
     * Has the frame taken, see {@link CallStream#take}. Called on a thread of the transport, which
     * must not wait for the database, or inside of one JVM on that of the sender.
     */
    void arrived(Q frame);

    /** Ends calls that only wait for something to happen. */
    void stopWaiting();

    /**
     * The stream is over.
     *
     * @param brokenOff whether nobody announced it
     */
    void over(boolean brokenOff);
  }

  private final ServerCallStreamObserver<F> sink;
  private final Owner<Q> owner;
  private final OpenStreams streams;
  private final int maxOpenCalls;
  private final ReplyWriter<R, F> writer;
  private final AtomicInteger openCalls = new AtomicInteger();
  private final AtomicBoolean paused = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile @Nullable RuntimeException fault;
  private volatile boolean finishing;

  CallStream(
      ServerCallStreamObserver<F> sink,
      Frames<R, F> frames,
      OpenStreams streams,
      int maxOpenCalls,
      Owner<Q> owner) {
    this.sink = sink;
    this.owner = owner;
    this.streams = streams;
    this.maxOpenCalls = maxOpenCalls;
    this.writer =
        new ReplyWriter<>(
            frames, sink, streams.executor(), this::callsEnded, this::closeIfFinished);
  }

  /** Begins to read; what arrives is for the observer. */
  StreamObserver<Q> start() {
    sink.disableAutoRequest();
    sink.setOnReadyHandler(writer::wake);
    sink.setOnCancelHandler(() -> end(true));
    sink.request(1);
    streams.add(this);
    return this;
  }

  /** Where replies go; each ends a call. */
  ReplyWriter<R, F> writer() {
    return writer;
  }

  boolean hasEnded() {
    return ended.get();
  }

  /** Whether calls that would only wait must not begin any more. */
  boolean takesNoWaiting() {
    return ended.get() || finishing;
  }

  @Override
  public void onNext(Q frame) {
    if (!ended.get() && fault == null) {
      openCalls.addAndGet(owner.callsIn(frame));
      owner.arrived(frame);
    }
  }

  /** Begins the calls of a frame and reads on; a frame that is refused ends the stream. */
  void take(Runnable begin) {
    try {
      begin.run();
    } catch (RuntimeException refusal) {
      fault = refusal;
      writer.wake();
      return;
    }
    readOn();
  }

  /** Begins the checking of a frame. */
  static Validation check(int calls) {
    return new Validation()
        .require(
            calls <= MAX_CALLS_IN_FRAME,
            "calls",
            "has %d entries (expected: at most %d)".formatted(calls, MAX_CALLS_IN_FRAME));
  }

  private void readOn() {
    if (finishing) {
      return;
    }
    if (openCalls.get() < maxOpenCalls) {
      sink.request(1);
      return;
    }
    paused.set(true);
    resumeReading();
  }

  private void resumeReading() {
    if (!finishing && openCalls.get() < maxOpenCalls && paused.compareAndSet(true, false)) {
      sink.request(1);
    }
  }

  private void callsEnded(int count) {
    openCalls.addAndGet(-count);
    resumeReading();
  }

  /** A call ends without a reply. */
  void callDropped() {
    callsEnded(1);
    writer.wake();
  }

  /** The caller is gone, or as good as. */
  @Override
  public void onError(Throwable broken) {
    end(true);
  }

  /** The caller will ask no more. */
  @Override
  public void onCompleted() {
    finish();
  }

  /** Ends the stream in good order, when what is open has been answered. */
  void finish() {
    finishing = true;
    owner.stopWaiting();
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
    if (ended.compareAndSet(false, true)) {
      owner.stopWaiting();
      writer.close();
      owner.over(brokenOff);
      streams.remove(this);
    }
  }
}
