package dev.kagzi.sdk.internal;

import static java.util.Objects.requireNonNull;

import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One open {@code Work} stream, from its hello until it breaks.
 *
 * <p>Callers put their calls into an outbox and wait on their own threads. A writer takes whatever
 * lies there, makes one frame of it and sends it, without waiting for more: frames grow by
 * themselves while the writer is busy or the transport is not ready. Who is alone sends his call
 * himself, because nobody would share the frame, and to wake the writer takes longer than to write.
 * Replies come in any order and find their caller by correlation id. When the stream breaks, every
 * open call ends with {@link Broken}, which means that it should be repeated on another stream.
 *
 * <p>Thread-safe. Replies are handled on a thread of the transport, so what listens to news must
 * not block.
 */
final class WorkStream {

  private static final int MAX_CALLS_IN_FRAME = 512;
  private static final int MAX_FRAME_BYTES = 1024 * 1024;
  private static final Duration SHORT_LIFE = Duration.ofSeconds(1);

  private final Channel channel;
  private final Consumer<WorkResponse> news;
  private final Queue<WorkCall> outbox = new ConcurrentLinkedQueue<>();
  private final Map<Long, CompletableFuture<WorkReply>> open = new ConcurrentHashMap<>();
  private final AtomicLong correlationIds = new AtomicLong();
  private final Thread writer;
  private final ReentrantLock writing = new ReentrantLock();

  /** Calls that are open, but for polls, which may stay so for long. */
  private final AtomicInteger busy = new AtomicInteger();

  /** What is said with the first frame; nothing once it is said. */
  private @Nullable WorkHello hello;

  private final AtomicLong answers = new AtomicLong();
  private final Deadline shortLife = Deadline.after(SHORT_LIFE);
  private volatile @Nullable ClientCallStreamObserver<WorkRequest> sink;
  private volatile @Nullable CallFailedException failure;

  /** The stream broke before the reply came; nobody knows whether the call was carried out. */
  static final class Broken extends Exception {
    private static final long serialVersionUID = 1;

    Broken(CallFailedException why) {
      super("work stream broke: " + why.getMessage(), why);
    }
  }

  private WorkStream(Channel channel, WorkHello hello, Consumer<WorkResponse> news) {
    this.channel = channel;
    this.hello = hello;
    this.news = news;
    this.writer =
        Thread.ofVirtual()
            .name("kagzi-work-stream")
            .unstarted(() -> writeUntilBroken(requireNonNull(sink)));
  }

  /** Opens a stream; that nobody is there shows when it breaks. */
  static WorkStream open(Channel channel, WorkHello hello, Consumer<WorkResponse> news) {
    var stream = new WorkStream(channel, hello, news);
    WorkerServiceGrpc.newStub(channel).withExecutor(Runnable::run).work(stream.new Replies());
    stream.writer.start();
    return stream;
  }

  Channel channel() {
    return channel;
  }

  /** Why the stream is of no use any more, or {@code null} while it is. */
  @Nullable CallFailedException failure() {
    return failure;
  }

  /** Whether the server answered on this stream, and not only for a moment. */
  boolean wasUseful() {
    return answers.get() > 0 && shortLife.hasPassed();
  }

  /** Sends a call and waits for its reply. */
  <Q, R> R call(WorkerRpc<Q, R> rpc, Q request) throws Broken, InterruptedException {
    long id = correlationIds.incrementAndGet();
    long answersBefore = answers.get();
    var reply = new CompletableFuture<WorkReply>();
    boolean brief = !rpc.equals(WorkerRpc.POLL_TASK);
    boolean alone = brief && busy.incrementAndGet() == 1;
    open.put(id, reply);
    try {
      throwIfBroken();
      outbox.add(rpc.toCall(id, request));
      if (alone) {
        writeNow(requireNonNull(sink));
      } else {
        LockSupport.unpark(writer);
      }
      return rpc.fromReply(reply.get(rpc.patience().toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      if (answers.get() == answersBefore) {
        close("the server has been silent for " + rpc.patience());
      }
      throw CallFailedException.of(Status.Code.UNAVAILABLE, "no reply in time", e);
    } catch (ExecutionException e) {
      throw new Broken((CallFailedException) requireNonNull(e.getCause()));
    } finally {
      open.remove(id);
      if (brief) {
        busy.decrementAndGet();
      }
    }
  }

  private void throwIfBroken() throws Broken {
    CallFailedException why = failure;
    if (why != null) {
      throw new Broken(why);
    }
  }

  private void writeUntilBroken(ClientCallStreamObserver<WorkRequest> sink) {
    while (failure == null) {
      writing.lock();
      try {
        write(sink);
      } finally {
        writing.unlock();
      }
      LockSupport.park(this);
    }
  }

  /** Writes on this thread; what comes meanwhile, or cannot be written yet, is the writer's. */
  private void writeNow(ClientCallStreamObserver<WorkRequest> sink) {
    if (writing.tryLock()) {
      try {
        write(sink);
      } finally {
        writing.unlock();
      }
    }
    if (!outbox.isEmpty()) {
      LockSupport.unpark(writer);
    }
  }

  private void write(ClientCallStreamObserver<WorkRequest> sink) {
    try {
      while (failure == null && sink.isReady() && (hello != null || !outbox.isEmpty())) {
        var frame = WorkRequest.newBuilder();
        fill(frame);
        sink.onNext(frame.build());
      }
    } catch (IllegalStateException cancelled) {
      fail(CallFailedException.of(Status.Code.UNAVAILABLE, "the stream is closed", cancelled));
    }
  }

  private void fill(WorkRequest.Builder frame) {
    if (hello != null) {
      frame.setHello(hello);
      hello = null;
    }
    int bytes = 0;
    while (frame.getCallsCount() < MAX_CALLS_IN_FRAME && bytes < MAX_FRAME_BYTES) {
      WorkCall next = outbox.peek();
      if (next == null || (bytes > 0 && bytes + next.getSerializedSize() > MAX_FRAME_BYTES)) {
        return;
      }
      outbox.remove();
      frame.addCalls(next);
      bytes += next.getSerializedSize();
    }
  }

  /** Gives the stream up, so that open calls are repeated elsewhere. */
  void close(String why) {
    fail(CallFailedException.of(Status.Code.UNAVAILABLE, why, null));
    requireNonNull(sink).cancel(why, null);
  }

  private void fail(CallFailedException why) {
    if (failure != null) {
      return;
    }
    failure = why;
    LockSupport.unpark(writer);
    open.values().forEach(reply -> reply.completeExceptionally(why));
  }

  /** What arrives on the stream. */
  private final class Replies implements ClientResponseObserver<WorkRequest, WorkResponse> {

    @Override
    public void beforeStart(ClientCallStreamObserver<WorkRequest> requests) {
      sink = requests;
      requests.setOnReadyHandler(() -> LockSupport.unpark(writer));
    }

    @Override
    public void onNext(WorkResponse frame) {
      answers.incrementAndGet();
      for (WorkReply reply : frame.getRepliesList()) {
        CompletableFuture<WorkReply> caller = open.get(reply.getCorrelationId());
        if (caller != null) {
          caller.complete(reply);
        }
      }
      if (frame.getEndedWaitsCount() > 0) {
        news.accept(frame);
      }
    }

    @Override
    public void onError(Throwable broken) {
      fail(CallFailedException.of(broken));
    }

    @Override
    public void onCompleted() {
      fail(CallFailedException.of(Status.Code.UNAVAILABLE, "the server closed the stream", null));
    }
  }
}
