package dev.kagzi.sdk.internal;

import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls that a worker makes about runs. They travel on a {@link CallStream} that is opened
 * again whenever it breaks, at once the first time and then with growing pauses; a server that has
 * no such stream gets unary calls instead.
 *
 * <p>Every call is safe to repeat, and is repeated until a server has answered: what ends it is the
 * interruption of the calling thread, when its run is stopped. Thread-safe.
 */
final class WorkerCalls implements RunCalls, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerCalls.class);

  /** How often a call is repeated that the server failed to carry out. */
  private static final int MAX_SERVER_FAULTS = 5;

  /**
   * Short, because the runs of this worker stand still meanwhile: their leases, and whoever waits
   * for them, do not.
   */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private static final CallStream.Pace PACE =
      new CallStream.Pace(Duration.ofNanos(200_000), Duration.ofSeconds(1));

  private final ServerConnection connection;
  private final Supplier<WorkHello> hello;
  private final Listener listener;
  private final ReentrantLock opening = new ReentrantLock();
  private final Backoff openingPauses = new Backoff(LONGEST_PAUSE);
  private volatile @Nullable CallStream<WorkCall, WorkReply, ?, ?> stream;
  private volatile boolean unaryOnly;
  private volatile boolean closed;

  /** Who wants to know what happens besides the replies; must not block. */
  interface Listener {
    /** The server says something about the worker or its runs. */
    void onNews(WorkResponse frame);

    /** A stream was opened after another one broke. */
    void onReconnect();
  }

  WorkerCalls(ServerConnection connection, Supplier<WorkHello> hello, Listener listener) {
    this.connection = connection;
    this.hello = hello;
    this.listener = listener;
  }

  @Override
  public <Q, R> R call(WorkerRpc<Q, R> rpc, Q request) throws InterruptedException {
    var pauses = new Backoff(LONGEST_PAUSE);
    int faults = 0;
    for (Q sent = request; ; sent = rpc.again().apply(sent, hello.get().getWorkerId())) {
      try {
        return once(rpc, sent);
      } catch (CallStream.Broken broken) {
        LOG.debug("Repeating a call: {}", broken.getMessage());
      } catch (CallFailedException failure) {
        faults += failure.isServerFault() ? 1 : 0;
        boolean repeat = failure.isPassing() || (faults > 0 && faults < MAX_SERVER_FAULTS);
        if (closed || !repeat) {
          throw failure;
        }
        Thread.sleep(failure.retryDelay().orElseGet(pauses::next));
      }
    }
  }

  @Override
  public <Q, R> R once(WorkerRpc<Q, R> rpc, Q request)
      throws CallStream.Broken, InterruptedException {
    if (!unaryOnly) {
      CallStream<WorkCall, WorkReply, ?, ?> current = currentStream();
      if (current != null) {
        return rpc.fromReply(
            current.call(id -> rpc.toCall(id, request), rpc.patience(), rpc.isBrief()));
      }
    }
    return connection.once(
        WorkerServiceGrpc::newBlockingStub,
        stub -> rpc.alone().apply(stub, request),
        rpc.patience());
  }

  /** A working stream, opened if need be; nothing when the server has no streams. */
  private @Nullable CallStream<WorkCall, WorkReply, ?, ?> currentStream()
      throws InterruptedException {
    opening.lockInterruptibly();
    try {
      if (closed) {
        throw CallFailedException.of(Status.Code.CANCELLED, "the worker is closed", null);
      }
      CallStream<WorkCall, WorkReply, ?, ?> current = stream;
      CallFailedException broken = current == null ? null : current.failure();
      if (current != null && broken == null) {
        return current;
      }
      if (broken != null && broken.code() == Status.Code.UNIMPLEMENTED) {
        LOG.info("The server has no work streams; using unary calls");
        unaryOnly = true;
        return null;
      }
      return reopen(current);
    } finally {
      opening.unlock();
    }
  }

  private CallStream<WorkCall, WorkReply, ?, ?> reopen(
      @Nullable CallStream<WorkCall, WorkReply, ?, ?> old) throws InterruptedException {
    if (old != null) {
      pauseBefore(old);
    }
    Channel channel = connection.channel();
    CallStream<WorkCall, WorkReply, ?, ?> fresh =
        CallStream.open(channel, new WorkFrames(hello.get(), listener::onNews), PACE);
    stream = fresh;
    if (old != null) {
      listener.onReconnect();
    }
    return fresh;
  }

  /** Nothing after a stream that worked for a while; longer and longer after those that did not. */
  private void pauseBefore(CallStream<?, ?, ?, ?> old) throws InterruptedException {
    if (old.wasUseful()) {
      LOG.info("The work stream broke and another is opened: {}", describe(old.failure()));
      openingPauses.reset();
      return;
    }
    LOG.debug("The work stream did not last: {}", describe(old.failure()));
    connection.failOver(old.channel());
    Thread.sleep(openingPauses.next());
  }

  private static String describe(@Nullable CallFailedException failure) {
    return failure == null ? "unknown" : failure.code() + " " + failure.getMessage();
  }

  /** Goes on with a new stream, which will introduce the worker anew. */
  void renewStream() {
    CallStream<WorkCall, WorkReply, ?, ?> current = stream;
    if (current != null) {
      current.close("the worker has a new id");
    }
  }

  @Override
  public void close() {
    closed = true;
    CallStream<WorkCall, WorkReply, ?, ?> current = stream;
    if (current != null) {
      current.close("the worker is closed");
    }
  }
}
