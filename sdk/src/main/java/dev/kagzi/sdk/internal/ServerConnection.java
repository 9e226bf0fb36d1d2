package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.ServerUnavailableException;
import dev.kagzi.sdk.WorkflowNotFoundException;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The line to the servers at an address: one channel for each, of which one is in use until it
 * fails; then the next one's turn has come. Chance decides who is the first, so that those who know
 * the same servers spread over them. The only place that turns what gRPC says into exceptions.
 * Thread-safe.
 */
public final class ServerConnection implements AutoCloseable {

  /** How long an ordinary call may take, repetitions included. */
  static final Duration CALL_LIMIT = Duration.ofSeconds(10);

  /** Short beside the limit, so that a server that comes back in time is noticed in time. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final ServerAddress address;
  private final List<ManagedChannel> channels;
  private final AtomicInteger current;

  private ServerConnection(ServerAddress address, List<ManagedChannel> channels) {
    this.address = address;
    this.channels = channels;
    this.current = new AtomicInteger(ThreadLocalRandom.current().nextInt(channels.size()));
  }

  /** Prepares the channels; nothing is connected before the first call. */
  public static ServerConnection open(ServerAddress address) {
    return new ServerConnection(address, address.targets().stream().map(Channels::open).toList());
  }

  /** The channel in use. */
  Channel channel() {
    return channels.get(current.get());
  }

  /** Moves on to the next server, unless somebody else has done so. */
  void failOver(Channel failed) {
    int index = current.get();
    ManagedChannel used = channels.get(index);
    if (used.equals(failed)) {
      // Who calls decides when to try again; the channel's own pauses would outlast the call.
      used.resetConnectBackoff();
      current.compareAndSet(index, (index + 1) % channels.size());
    }
  }

  /** One try of a call. */
  interface Try<R> {
    R within(Duration limit) throws InterruptedException;
  }

  /**
   * Makes a call and repeats it while no server answers, within the limit. Every call of Kagzi is
   * safe to repeat.
   */
  <S extends AbstractStub<S>, R> R call(
      Function<Channel, S> stub, Function<S, R> request, Duration limit)
      throws InterruptedException {
    return repeat(left -> once(stub, request, left), limit);
  }

  /** The same for a call that is made in a way of its own. */
  <R> R repeat(Try<R> call, Duration limit) throws InterruptedException {
    var deadline = Deadline.after(limit);
    var backoff = new Backoff(LONGEST_PAUSE);
    while (true) {
      try {
        return call.within(deadline.atMost(limit.dividedBy(2)));
      } catch (CallFailedException failure) {
        Duration pause = failure.retryDelay().orElseGet(backoff::next);
        if (!failure.isPassing() || pause.compareTo(deadline.remaining()) >= 0) {
          throw failure;
        }
        Thread.sleep(pause);
      }
    }
  }

  /** Makes a call once. */
  <S extends AbstractStub<S>, R> R once(
      Function<Channel, S> stub, Function<S, R> request, Duration limit)
      throws InterruptedException {
    Channel channel = channel();
    try {
      return request.apply(
          stub.apply(channel).withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS));
    } catch (StatusRuntimeException failure) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while waiting for the server");
      }
      var failed = CallFailedException.of(failure);
      if (failed.isUnanswered()) {
        failOver(channel);
      }
      throw failed;
    }
  }

  /** What a failed call is to user code. */
  KagziException translate(CallFailedException failure) {
    if (failure.isUnanswered()) {
      return new ServerUnavailableException(address.text(), address.origin(), failure);
    }
    if (failure.isServerFault()) {
      return new KagziException("The Kagzi server failed: " + failure.getMessage(), failure);
    }
    String reason = failure.reason().isEmpty() ? failure.code().name() : failure.reason();
    return new RequestRefusedException(reason, String.valueOf(failure.getMessage()), failure);
  }

  /** What a failed call about a run is to user code. */
  KagziException translate(CallFailedException failure, String runId) {
    return failure.hasReason(Reasons.RUN_NOT_FOUND)
        ? new WorkflowNotFoundException(runId, failure)
        : translate(failure);
  }

  /** The address, for messages. */
  ServerAddress address() {
    return address;
  }

  /** Breaks off whatever is under way. */
  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
