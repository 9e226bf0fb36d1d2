package dev.kagzi.sdk.internal;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One open stream of calls, from its first frame until it breaks or nobody needs it.
 *
 * <p>Callers put their calls into an outbox and wait on their own threads. Whoever finds enough
 * company there makes one frame of all calls and sends it; who is alone does not wait for anybody.
 * How much is enough follows from the last frame of replies, because most of those who got one will
 * soon be back with their next call: a frame costs both sides more than the calls in it. What has
 * no company after a moment is sent by the writer, and so is what the transport was not ready for.
 *
 * <p>Replies come in any order and find their caller by correlation id. When the stream breaks,
 * every open call ends with {@link Broken}, which means that it should be repeated on another
 * stream.
 *
 * <p>Thread-safe. Replies are handled on a thread of the transport, so what listens to news must
 * not block.
 *
 * @param <C> one call
 * @param <R> one reply
 * @param <Q> a frame of calls
 * @param <F> a frame of replies
 */
final class CallStream<C extends MessageLite, R, Q, F> {

  static final int MAX_FRAME_BYTES = 1024 * 1024;

  private static final int MAX_CALLS_IN_FRAME = 512;

  /** No caller; ids of calls begin with one. */
  private static final long NOBODY = 0;

  private static final Duration SHORT_LIFE = Duration.ofSeconds(1);

  private final Channel channel;
  private final Frames<C, R, Q, F> frames;
  private final Pace pace;
  private final Queue<Outgoing<C>> outbox = new ConcurrentLinkedQueue<>();
  private final Map<Long, OpenCall<R>> open = new ConcurrentHashMap<>();
  private final AtomicLong correlationIds = new AtomicLong();
  private final Thread writer;
  private final ReentrantLock writing = new ReentrantLock();

  /** Calls that are open, but for those that may stay so for long. */
  private final AtomicInteger busy = new AtomicInteger();

  /** Calls in the outbox. */
  private final AtomicInteger ready = new AtomicInteger();

  /** How many calls make a frame that nobody else is waited for with. */
  private volatile int company = 1;

  private final AtomicLong answers = new AtomicLong();
  private final Deadline shortLife = Deadline.after(SHORT_LIFE);
  private volatile @Nullable ClientCallStreamObserver<Q> sink;
  private final AtomicReference<@Nullable CallFailedException> failure = new AtomicReference<>();

  /** Whether the stream has failed because nobody called any more. */
  private volatile boolean givenUp;

  /**
   * What the writer takes its time for.
   *
   * @param linger how long it leaves a call without company
   * @param look how often it looks for calls that have had no reply for too long
   * @param idle how long it keeps a stream on which nobody calls
   */
  record Pace(Duration linger, Duration look, Duration idle) {

    /** Keeps the stream whether it is used or not. */
    Pace(Duration linger, Duration look) {
      this(linger, look, Duration.ofSeconds(Long.MAX_VALUE));
    }

    Pace givingUpAfter(Duration idle) {
      return new Pace(linger, look, idle);
    }
  }

  /** The stream broke before the reply came; nobody knows whether the call was carried out. */
  static final class Broken extends Exception {
    private static final long serialVersionUID = 1;

    private final CallFailedException failure;

    Broken(CallFailedException failure) {
      super("the stream broke: " + failure.getMessage(), failure);
      this.failure = failure;
    }

    CallFailedException failure() {
      return failure;
    }
  }

  /** A call that is to be sent. */
  private record Outgoing<C>(long id, C call) {}

  /** A call that waits for its reply, and for how long it will. */
  private record OpenCall<R>(
      CompletableFuture<R> reply, Deadline patience, Duration limit, long answersBefore) {
    static <R> OpenCall<R> begin(Duration limit, long answersBefore) {
      return new OpenCall<>(new CompletableFuture<>(), Deadline.after(limit), limit, answersBefore);
    }
  }

  private CallStream(Channel channel, Frames<C, R, Q, F> frames, Pace pace) {
    this.channel = channel;
    this.frames = frames;
    this.pace = pace;
    this.writer =
        Thread.ofPlatform()
            .daemon()
            .name("kagzi-" + frames.name() + "-stream")
            .unstarted(() -> writeUntilBroken(requireNonNull(sink)));
  }

  /** Opens a stream; that nobody is there shows when it breaks. */
  static <C extends MessageLite, R, Q, F> CallStream<C, R, Q, F> open(
      Channel channel, Frames<C, R, Q, F> frames, Pace pace) {
    var stream = new CallStream<>(channel, frames, pace);
    ClientCalls.asyncBidiStreamingCall(
        channel.newCall(frames.method(), CallOptions.DEFAULT.withExecutor(Runnable::run)),
        stream.new Replies());
    stream.writer.start();
    return stream;
  }

  Channel channel() {
    return channel;
  }

  /** Why the stream is of no use any more, or {@code null} while it is. */
  @Nullable CallFailedException failure() {
    return failure.get();
  }

  /** Whether calls may be made here, and go to the server of a channel. */
  boolean isOpenOn(Channel wanted) {
    return channel.equals(wanted) && failure.get() == null;
  }

  /** Whether the server answered on this stream. */
  boolean wasAnswered() {
    return answers.get() > 0;
  }

  /** The same, and not only for a moment. */
  boolean wasUseful() {
    return wasAnswered() && shortLife.hasPassed();
  }

  /** Whether the stream has ended because nobody called any more. */
  boolean wasGivenUp() {
    return givenUp;
  }

  /**
   * Sends a call and waits for its reply.
   *
   * @param toCall makes it, for a correlation id
   * @param patience how long to wait
   * @param brief whether it is not one that may be open for long
   */
  R call(LongFunction<C> toCall, Duration patience, boolean brief)
      throws Broken, InterruptedException {
    long id = correlationIds.incrementAndGet();
    OpenCall<R> own = OpenCall.begin(patience, answers.get());
    boolean alone = brief && busy.incrementAndGet() == 1;
    open.put(id, own);
    try {
      throwIfBroken();
      outbox.add(new Outgoing<>(id, toCall.apply(id)));
      send(id, ready.incrementAndGet(), alone);
      return own.reply().get();
    } catch (ExecutionException e) {
      CallFailedException why = (CallFailedException) requireNonNull(e.getCause());
      if (why.equals(failure.get())) {
        throw new Broken(why);
      }
      throw why;
    } finally {
      open.remove(id);
      if (brief) {
        busy.decrementAndGet();
      }
    }
  }

  /**
   * Who begins a frame has the writer look after it; who completes one writes it. Calls are counted
   * after they lie there, so that somebody may have taken one before: the number then is too small.
   */
  private void send(long id, int waiting, boolean alone) {
    if (alone) {
      writeAlone(requireNonNull(sink), id);
    } else if (waiting >= company) {
      writeNow(requireNonNull(sink));
    } else if (waiting <= 1) {
      LockSupport.unpark(writer);
    }
  }

  private void throwIfBroken() throws Broken {
    CallFailedException why = failure.get();
    if (why != null) {
      throw new Broken(why);
    }
  }

  /**
   * Without the writer nobody would notice that a call has no reply, so the stream ends with it.
   */
  private void writeUntilBroken(ClientCallStreamObserver<Q> sink) {
    try {
      Deadline look = Deadline.after(pace.look());
      Deadline needed = Deadline.after(pace.idle());
      long callsBefore = 0;
      while (failure.get() == null) {
        writeInTurn(sink);
        LockSupport.parkNanos(this, look.remaining().toNanos());
        if (look.hasPassed()) {
          giveUpOverdue();
          long calls = correlationIds.get();
          if (calls > callsBefore || !open.isEmpty()) {
            callsBefore = calls;
            needed = Deadline.after(pace.idle());
          } else if (needed.hasPassed()) {
            giveUp(sink);
          }
          look = Deadline.after(pace.look());
        } else {
          awaitCompany();
        }
      }
    } finally {
      if (failure.get() == null) {
        close("its writer has ended");
      }
    }
  }

  /**
   * Who is alone may have his call carried out while he sends it, for as long as that takes;
   * meanwhile somebody must notice that others have no reply.
   */
  private void writeInTurn(ClientCallStreamObserver<Q> sink) {
    try {
      if (writing.tryLock(pace.look().toNanos(), TimeUnit.NANOSECONDS)) {
        try {
          write(sink);
        } finally {
          writing.unlock();
        }
      }
    } catch (InterruptedException nobodyDoesThat) {
      throw new IllegalStateException("the writer was interrupted", nobodyDoesThat);
    }
  }

  /**
   * Waits a moment while a frame has been begun and is not complete; whoever completes it sends it.
   */
  private void awaitCompany() {
    Deadline end = Deadline.after(pace.linger());
    int there = ready.get();
    while (there > 0 && there < company && failure.get() == null && !end.hasPassed()) {
      LockSupport.parkNanos(this, end.remaining().toNanos());
      there = ready.get();
    }
  }

  /** Ends calls that should have been answered; a stream on which nothing comes is given up. */
  private void giveUpOverdue() {
    for (OpenCall<R> call : open.values()) {
      if (call.patience().hasPassed()) {
        if (answers.get() == call.answersBefore()) {
          close("the server has been silent for " + call.limit());
          return;
        }
        call.reply()
            .completeExceptionally(
                CallFailedException.of(Status.Code.UNAVAILABLE, "no reply in time", null));
      }
    }
  }

  /** Writes one frame and says so if there is nothing in it but the caller's own call. */
  private void writeAlone(ClientCallStreamObserver<Q> sink, long own) {
    if (writing.tryLock()) {
      try {
        if (failure.get() == null && sink.isReady()) {
          writeFrame(sink, own);
        }
      } finally {
        writing.unlock();
      }
    }
    if (!outbox.isEmpty()) {
      LockSupport.unpark(writer);
    }
  }

  /** Writes on this thread; what comes meanwhile, or cannot be written yet, is the writer's. */
  private void writeNow(ClientCallStreamObserver<Q> sink) {
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

  private void write(ClientCallStreamObserver<Q> sink) {
    while (failure.get() == null && sink.isReady() && (frames.hasGreeting() || !outbox.isEmpty())) {
      writeFrame(sink, NOBODY);
    }
  }

  private void writeFrame(ClientCallStreamObserver<Q> sink, long sender) {
    try {
      List<Outgoing<C>> taken = take();
      if (taken.isEmpty() && !frames.hasGreeting()) {
        return;
      }
      boolean own = taken.size() == 1 && taken.get(0).id() == sender;
      sink.onNext(frames.of(taken.stream().map(Outgoing::call).toList(), own));
    } catch (RuntimeException closed) {
      String why = "the stream cannot be written to";
      fail(CallFailedException.of(Status.Code.UNAVAILABLE, why, closed));
      sink.cancel(why, closed);
    }
  }

  /** What goes into the next frame. */
  private List<Outgoing<C>> take() {
    List<Outgoing<C>> taken = new ArrayList<>();
    int bytes = 0;
    while (taken.size() < MAX_CALLS_IN_FRAME && bytes < MAX_FRAME_BYTES) {
      Outgoing<C> next = outbox.peek();
      int size = next == null ? 0 : next.call().getSerializedSize();
      if (next == null || (bytes > 0 && bytes + size > MAX_FRAME_BYTES)) {
        break;
      }
      outbox.remove();
      ready.decrementAndGet();
      taken.add(next);
      bytes += size;
    }
    return taken;
  }

  /** Ends the stream in good order; whoever still comes finds it broken, and opens another. */
  private void giveUp(ClientCallStreamObserver<Q> sink) {
    writing.lock();
    try {
      givenUp = true;
      fail(CallFailedException.of(Status.Code.UNAVAILABLE, "nobody has called for long", null));
      sink.onCompleted();
    } finally {
      writing.unlock();
    }
  }

  /** Gives the stream up, so that open calls are repeated elsewhere. */
  void close(String why) {
    fail(CallFailedException.of(Status.Code.UNAVAILABLE, why, null));
    requireNonNull(sink).cancel(why, null);
  }

  /** The first failure counts. */
  private void fail(CallFailedException why) {
    if (failure.compareAndSet(null, why)) {
      LockSupport.unpark(writer);
      open.values().forEach(call -> call.reply().completeExceptionally(why));
    }
  }

  /** What arrives on the stream. */
  private final class Replies implements ClientResponseObserver<Q, F> {

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> requests) {
      sink = requests;
      requests.setOnReadyHandler(() -> LockSupport.unpark(writer));
    }

    @Override
    public void onNext(F frame) {
      answers.incrementAndGet();
      List<R> replies = frames.replies(frame);
      if (!replies.isEmpty()) {
        company = Math.max(1, frames.comingBack(frame) / 2);
      }
      for (R reply : replies) {
        OpenCall<R> caller = open.get(frames.correlationId(reply));
        if (caller != null) {
          caller.reply().complete(reply);
        }
      }
      frames.heard(frame);
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
