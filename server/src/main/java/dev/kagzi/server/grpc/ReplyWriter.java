package dev.kagzi.server.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * Writes the replies of one stream, one writer at a time: whatever has queued goes out in one
 * frame, without waiting for more, as long as the transport takes it. The queue is bounded by its
 * owner, who reads no more calls while too many are open.
 *
 * <p>A turn is taken on a thread of its own rather than by whoever brings a reply. The replies of
 * one group commit are kept until all are there, and sent in one frame by the thread that committed
 * them: to wake another one for it would take longer than to write it. Thread-safe.
 *
 * @param <R> one reply
 * @param <F> a frame of them
 */
final class ReplyWriter<R extends MessageLite, F> {

  private static final int MAX_FRAME_BYTES = 1024 * 1024;

  /**
   * A reply on its way.
   *
   * @param lost what to do if it cannot be sent
   */
  private record Outgoing<R>(R reply, Runnable lost) {}

  private final Frames<R, F> frames;
  private final ServerCallStreamObserver<F> sink;
  private final Executor executor;
  private final IntConsumer whenWritten;
  private final Runnable whenIdle;
  private final Queue<Outgoing<R>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger wishes = new AtomicInteger();
  private final ReentrantLock writing = new ReentrantLock();
  private volatile boolean closed;

  /**
   * Prepares to write.
   *
   * @param whenWritten hears how many replies were written
   * @param whenIdle called in each turn, when nothing is left to be written; may end the stream
   */
  ReplyWriter(
      Frames<R, F> frames,
      ServerCallStreamObserver<F> sink,
      Executor executor,
      IntConsumer whenWritten,
      Runnable whenIdle) {
    this.frames = frames;
    this.sink = sink;
    this.executor = executor;
    this.whenWritten = whenWritten;
    this.whenIdle = whenIdle;
  }

  /** Has a reply written. */
  void add(long correlationId, R reply) {
    keep(correlationId, reply);
    wake();
  }

  /** Has the reply to a call written that failed. */
  void refuse(long correlationId, Throwable failure) {
    add(correlationId, frames.refusal(correlationId, failure));
  }

  /** Takes a reply that others will join; whoever keeps one sends what is kept. */
  void keep(long correlationId, R reply) {
    keep(correlationId, reply, () -> {});
  }

  /**
   * The same for a reply that must not get lost.
   *
   * @param lost what to do if it cannot be sent
   */
  void keep(long correlationId, R reply, Runnable lost) {
    queue.add(fitting(correlationId, reply, lost));
    if (closed) {
      discard();
    }
  }

  /** The reply to a call as its commit gives it: in one frame with the others of that commit. */
  <T> CommitReply<T> byCommit(long correlationId, Function<T, R> toReply) {
    return byCommit(correlationId, false, toReply);
  }

  /**
   * The same.
   *
   * @param mayWait whether the thread that brings the call may wait for its commit
   */
  <T> CommitReply<T> byCommit(long correlationId, boolean mayWait, Function<T, R> toReply) {
    return new CommitReply<>() {
      @Override
      public boolean mayWait() {
        return mayWait;
      }

      @Override
      public void respond(T response) {
        keep(correlationId, toReply.apply(response));
      }

      @Override
      public void fail(Throwable failure) {
        keep(correlationId, frames.refusal(correlationId, failure));
      }

      @Override
      public void send() {
        sendKept();
      }
    };
  }

  /** Writes what is kept on this thread, unless another is writing: then that one does. */
  void sendKept() {
    if (!queue.isEmpty() && wishes.getAndIncrement() == 0) {
      takeTurns();
    }
  }

  /** A frame that is too large for the caller would end the stream, and every call on it. */
  private Outgoing<R> fitting(long correlationId, R reply, Runnable lost) {
    try {
      ReplyTooLargeException.refuse(reply);
      return new Outgoing<>(reply, lost);
    } catch (ReplyTooLargeException tooLarge) {
      lost.run();
      return new Outgoing<>(frames.refusal(correlationId, tooLarge), () -> {});
    }
  }

  /** Asks for a turn; one that is being taken is followed by another. */
  void wake() {
    if (wishes.getAndIncrement() == 0) {
      executor.execute(this::takeTurns);
    }
  }

  private void takeTurns() {
    int granted = wishes.get();
    do {
      writeAll();
      granted = wishes.addAndGet(-granted);
    } while (granted != 0);
  }

  private void writeAll() {
    while (!closed && (!queue.isEmpty() || frames.hasNews()) && sink.isReady()) {
      writeFrame();
    }
    if (!closed && queue.isEmpty()) {
      whenIdle.run();
    }
  }

  private void writeFrame() {
    List<Outgoing<R>> taken = take();
    if (taken.isEmpty() && !frames.hasNews()) {
      return;
    }
    if (send(frames.of(taken.stream().map(Outgoing::reply).toList()))) {
      whenWritten.accept(taken.size());
    } else {
      taken.forEach(reply -> reply.lost().run());
    }
  }

  /** What goes into the next frame. */
  private List<Outgoing<R>> take() {
    List<Outgoing<R>> taken = new ArrayList<>();
    int bytes = 0;
    Outgoing<R> next;
    while ((next = queue.peek()) != null) {
      int size = next.reply().getSerializedSize();
      if (bytes > 0 && bytes + size > MAX_FRAME_BYTES) {
        break;
      }
      next = queue.poll();
      if (next == null) {
        break;
      }
      taken.add(next);
      bytes += size;
    }
    return taken;
  }

  /** Whoever closes waits for this, because a call takes nothing any more once it is ended. */
  private boolean send(F frame) {
    writing.lock();
    try {
      if (closed) {
        return false;
      }
      sink.onNext(frame);
      return true;
    } finally {
      writing.unlock();
    }
  }

  /** Writes nothing more after this returns; what has not been written is lost. */
  void close() {
    writing.lock();
    try {
      closed = true;
    } finally {
      writing.unlock();
    }
    discard();
  }

  private void discard() {
    Outgoing<R> unsent;
    while ((unsent = queue.poll()) != null) {
      unsent.lost().run();
    }
  }
}
