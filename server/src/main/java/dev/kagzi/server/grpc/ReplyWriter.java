package dev.kagzi.server.grpc;

import dev.kagzi.v1.RunNews;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * Writes the replies of one stream, one writer at a time: whatever has queued goes out in one
 * frame, without waiting for more, as long as the transport takes it. The queue is bounded by its
 * owner, who reads no more calls while too many are open.
 *
 * <p>A turn is taken on a thread of its own rather than by whoever brings a reply. The replies of
 * one group commit are kept until all are there, and sent in one frame by the thread that committed
 * them: to wake another one for it would take longer than to write it. Thread-safe.
 */
final class ReplyWriter {

  private static final int MAX_FRAME_BYTES = 1024 * 1024;

  /** News beyond this is lost, as all news may be. */
  private static final int MAX_NEWS = 10_000;

  private static final int MAX_NEWS_IN_FRAME = 500;

  /**
   * A reply on its way.
   *
   * @param lost what to do if it cannot be sent
   */
  record Outgoing(WorkReply reply, Runnable lost) {}

  private final ServerCallStreamObserver<WorkResponse> sink;
  private final Executor executor;
  private final IntConsumer whenWritten;
  private final Runnable whenIdle;
  private final Queue<Outgoing> queue = new ConcurrentLinkedQueue<>();
  private final Queue<RunNews> news = new LinkedBlockingQueue<>(MAX_NEWS);
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
      ServerCallStreamObserver<WorkResponse> sink,
      Executor executor,
      IntConsumer whenWritten,
      Runnable whenIdle) {
    this.sink = sink;
    this.executor = executor;
    this.whenWritten = whenWritten;
    this.whenIdle = whenIdle;
  }

  void add(Outgoing reply) {
    keep(reply);
    wake();
  }

  /** Takes a reply that others will join; whoever keeps one sends what is kept. */
  void keep(Outgoing reply) {
    queue.add(fitting(reply));
    if (closed) {
      discard();
    }
  }

  /** Writes what is kept on this thread, unless another is writing: then that one does. */
  void sendKept() {
    if (!queue.isEmpty() && wishes.getAndIncrement() == 0) {
      takeTurns();
    }
  }

  /** Says something that nobody asked for, unless too much of it waits. */
  void tell(RunNews something) {
    if (news.offer(something)) {
      wake();
    }
  }

  /** A frame that is too large for the worker would end the stream, and every call on it. */
  private static Outgoing fitting(Outgoing outgoing) {
    try {
      ReplyTooLargeException.refuse(outgoing.reply());
      return outgoing;
    } catch (ReplyTooLargeException tooLarge) {
      outgoing.lost().run();
      return new Outgoing(
          WorkReply.newBuilder()
              .setCorrelationId(outgoing.reply().getCorrelationId())
              .setError(ErrorMapper.toStatus(tooLarge))
              .build(),
          () -> {});
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
    while (!closed && !(queue.isEmpty() && news.isEmpty()) && sink.isReady()) {
      writeFrame();
    }
    if (!closed && queue.isEmpty()) {
      whenIdle.run();
    }
  }

  private void writeFrame() {
    var frame = WorkResponse.newBuilder();
    List<Outgoing> replies = new ArrayList<>();
    int bytes = 0;
    Outgoing next;
    while ((next = queue.peek()) != null) {
      int size = next.reply().getSerializedSize();
      if (bytes > 0 && bytes + size > MAX_FRAME_BYTES) {
        break;
      }
      Outgoing taken = queue.poll();
      if (taken == null) {
        break;
      }
      frame.addReplies(taken.reply());
      replies.add(taken);
      bytes += size;
    }
    addNews(frame);
    if (frame.getRepliesCount() == 0 && frame.getEndedWaitsCount() == 0) {
      return;
    }
    if (send(frame.build())) {
      whenWritten.accept(replies.size());
    } else {
      replies.forEach(reply -> reply.lost().run());
    }
  }

  /** Whoever closes waits for this, because a call takes nothing any more once it is ended. */
  private boolean send(WorkResponse frame) {
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

  private void addNews(WorkResponse.Builder frame) {
    RunNews next;
    while (frame.getEndedWaitsCount() < MAX_NEWS_IN_FRAME && (next = news.poll()) != null) {
      frame.addEndedWaits(next);
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
    Outgoing unsent;
    while ((unsent = queue.poll()) != null) {
      unsent.lost().run();
    }
  }
}
