package dev.kagzi.cli.client;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.sdk.internal.ServerAddress;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.AdminServiceGrpc.AdminServiceBlockingStub;
import dev.kagzi.v1.GetNamespaceRequest;
import dev.kagzi.v1.NamespaceServiceGrpc;
import dev.kagzi.v1.NamespaceServiceGrpc.NamespaceServiceBlockingStub;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc.WorkflowScheduleServiceBlockingStub;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceBlockingStub;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.AbstractStub;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The line to the server that a command is for. Calls fail with what a person can use. With several
 * addresses, the first one that answers is used. Not thread-safe.
 */
public final class Server implements AutoCloseable {
  private static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
  private static final Duration CALL_LIMIT = Duration.ofSeconds(15);

  /** Kept, because a logger that nobody keeps forgets its level. */
  private static final Logger TRANSPORT = Logger.getLogger("io.grpc");

  private final ClientSettings settings;
  private final List<ManagedChannel> channels;
  private final TimeOrderedIds ids = new TimeOrderedIds(InstantSource.system());
  private int current;

  private Server(ClientSettings settings, List<ManagedChannel> channels) {
    this.settings = settings;
    this.channels = channels;
  }

  /** Prepares the line; nothing is connected before the first call. */
  static Server open(Session session, ClientSettings settings) {
    // Whatever it logs, a host without an address above all, is told once more in our own words.
    TRANSPORT.setLevel(Level.OFF);
    var address = settings.address();
    try {
      var targets = ServerAddress.parse(address.value(), address.origin()).targets();
      return session
          .lifetime()
          .hold(new Server(settings, targets.stream().map(Server::channel).toList()));
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.usage(
          "address: '%s' (expected: HOST:PORT, such as localhost:50051; it comes from %s)"
              .formatted(address.value(), address.origin()));
    }
  }

  private static ManagedChannel channel(String target) {
    return NettyChannelBuilder.forTarget(target)
        .usePlaintext()
        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
        .build();
  }

  public ClientSettings settings() {
    return settings;
  }

  public String namespace() {
    return settings.namespace().value();
  }

  /** Fails if there is no such namespace, which an empty list does not tell. */
  public void requireNamespace() {
    var request = GetNamespaceRequest.newBuilder().setNamespace(namespace()).build();
    namespaces(stub -> stub.getNamespace(request));
  }

  /** An id that makes a request safe to repeat. */
  public String newId() {
    return ids.next().toString();
  }

  /** The channel in use, for what is not one of the calls below. */
  public Channel channel() {
    return channels.get(current);
  }

  public <R> R workflows(Function<WorkflowServiceBlockingStub, R> call) {
    return call(WorkflowServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  public <R> R admin(Function<AdminServiceBlockingStub, R> call) {
    return call(AdminServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  public <R> R schedules(Function<WorkflowScheduleServiceBlockingStub, R> call) {
    return call(WorkflowScheduleServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  public <R> R namespaces(Function<NamespaceServiceBlockingStub, R> call) {
    return call(NamespaceServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  /** A call that may take its time: it waits this long by itself. */
  public <R> R waiting(Duration wait, Function<WorkflowServiceBlockingStub, R> call) {
    return call(WorkflowServiceGrpc::newBlockingStub, call, CALL_LIMIT.plus(wait));
  }

  /** Makes a call with a stub of any service. */
  public <S extends AbstractStub<S>, R> R call(
      Function<Channel, S> stub, Function<S, R> call, Duration limit) {
    while (true) {
      try {
        return call.apply(
            stub.apply(channel()).withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS));
      } catch (StatusRuntimeException failure) {
        if (Thread.currentThread().isInterrupted()) {
          throw cancelled(failure);
        }
        if (!CallFailures.isUnreachable(failure) || current + 1 == channels.size()) {
          throw CallFailures.explain(failure, settings.address());
        }
        current++;
      }
    }
  }

  private static CancellationException cancelled(StatusRuntimeException failure) {
    var cancelled = new CancellationException("the command was told to end");
    cancelled.initCause(failure);
    return cancelled;
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
