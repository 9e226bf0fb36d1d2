package dev.kagzi.sdk.internal;

import com.google.protobuf.MessageLite;
import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls that a client makes most. They travel on a {@link CallStream} to the server in use,
 * which is opened when it is needed and given up when it no longer is; to a server that has no such
 * stream they are unary calls. How a call fails is the same on both ways. Thread-safe.
 */
final class AskCalls {

  private static final Logger LOG = LoggerFactory.getLogger(AskCalls.class);

  /** Deadlines of calls are kept as exactly as the look is often. */
  private static final CallStream.Pace PACE =
      new CallStream.Pace(Duration.ofNanos(200_000), Duration.ofMillis(250))
          .givingUpAfter(Duration.ofSeconds(10));

  private final ServerConnection connection;
  private final CallStream.Pace pace;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable CallStream<AskCall, AskReply, ?, ?> stream;
  private volatile boolean unaryOnly;

  AskCalls(ServerConnection connection) {
    this(connection, PACE);
  }

  AskCalls(ServerConnection connection, CallStream.Pace pace) {
    this.connection = connection;
    this.pace = pace;
  }

  /** Makes a call and repeats it while no server answers, within the limit. */
  <Q extends MessageLite, R> R call(AskRpc<Q, R> rpc, Q request, Duration limit)
      throws InterruptedException {
    return connection.repeat(left -> once(rpc, request, left), limit);
  }

  /** Makes a call once. */
  <Q extends MessageLite, R> R once(AskRpc<Q, R> rpc, Q request, Duration limit)
      throws InterruptedException {
    // A large request would hold up the others of its frame, and may be more than a frame can be.
    boolean fits = request.getSerializedSize() <= CallStream.MAX_FRAME_BYTES;
    while (fits && !unaryOnly) {
      CallStream<AskCall, AskReply, ?, ?> current = currentStream();
      try {
        return rpc.fromReply(current.call(id -> rpc.toCall(id, request), limit, rpc.isBrief()));
      } catch (CallStream.Broken broken) {
        judge(current, broken.failure());
      } catch (CallFailedException failure) {
        noteUnanswered(current, failure);
        throw failure;
      }
    }
    return connection.once(
        WorkflowServiceGrpc::newBlockingStub, stub -> rpc.alone().apply(stub, request), limit);
  }

  /** Returns if the call is to be made at once in another way. */
  private void judge(CallStream<?, ?, ?, ?> broken, CallFailedException failure) {
    if (broken.wasGivenUp()) {
      return;
    }
    if (failure.code() == Status.Code.UNIMPLEMENTED) {
      LOG.info("The server has no streams for clients; using unary calls");
      unaryOnly = true;
      return;
    }
    // Whoever broke a stream that worked has not judged the calls on it.
    var unanswered =
        broken.wasAnswered()
            ? CallFailedException.of(
                Status.Code.UNAVAILABLE, "the stream broke: " + failure.getMessage(), failure)
            : failure;
    noteUnanswered(broken, unanswered);
    throw unanswered;
  }

  private void noteUnanswered(CallStream<?, ?, ?, ?> used, CallFailedException failure) {
    if (failure.isUnanswered()) {
      connection.failOver(used.channel());
    }
  }

  /** A working stream to the server in use; one to another server ends with its last call. */
  private CallStream<AskCall, AskReply, ?, ?> currentStream() throws InterruptedException {
    Channel inUse = connection.channel();
    CallStream<AskCall, AskReply, ?, ?> current = stream;
    if (current != null && current.isOpenOn(inUse)) {
      return current;
    }
    opening.lockInterruptibly();
    try {
      current = stream;
      if (current == null || !current.isOpenOn(inUse)) {
        current = CallStream.open(inUse, new AskFrames(), pace);
        stream = current;
      }
      return current;
    } finally {
      opening.unlock();
    }
  }
}
