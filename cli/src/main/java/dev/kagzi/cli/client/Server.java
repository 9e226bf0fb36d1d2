package dev.kagzi.cli.client;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.sdk.internal.ServerAddress;
import dev.kagzi.server.config.Suggestion;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.AdminServiceGrpc.AdminServiceBlockingStub;
import dev.kagzi.v1.GetNamespaceRequest;
import dev.kagzi.v1.ListNamespacesRequest;
import dev.kagzi.v1.Namespace;
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
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The line to the server that a command is for. Calls fail with what a person can use. With several
 * addresses, the first one that answers is used. Not thread-safe.
 */
public final class Server implements AutoCloseable {
  private static final int MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
  private static final int MOST_NAMESPACES = 1000;
  private static final Duration CALL_LIMIT = Duration.ofSeconds(15);

  /** Kept, because a logger that nobody keeps forgets its level. */
  private static final Logger TRANSPORT = Logger.getLogger("io.grpc");

  private final Session session;
  private final ClientSettings settings;
  private final List<ManagedChannel> channels;
  private final TimeOrderedIds ids = new TimeOrderedIds(InstantSource.system());
  private int current;
  private boolean isNamespaceThere;

  private Server(Session session, ClientSettings settings, List<ManagedChannel> channels) {
    this.session = session;
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
          .hold(new Server(session, settings, targets.stream().map(Server::channel).toList()));
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

  /** Asks the server for something that takes several calls, and says what for if it takes long. */
  public <R> R during(String what, Supplier<R> calls) {
    return Progress.during(session, what, calls);
  }

  /** Fails if there is no such namespace, which neither an empty list nor a missing run tells. */
  public void requireNamespace() {
    if (isNamespaceThere) {
      return;
    }
    var request = GetNamespaceRequest.newBuilder().setNamespace(namespace()).build();
    try {
      namespaces(stub -> stub.getNamespace(request));
    } catch (CommandFailedException failure) {
      throw CallFailures.isAboutTheNamespace(failure) ? unknownNamespace(failure) : failure;
    }
    isNamespaceThere = true;
  }

  private CommandFailedException unknownNamespace(CommandFailedException failure) {
    var request = ListNamespacesRequest.newBuilder().setPageSize(MOST_NAMESPACES).build();
    var known =
        namespaces(stub -> stub.listNamespaces(request)).getNamespacesList().stream()
            .map(Namespace::getNamespace)
            .toList();
    var meant =
        Suggestion.nearest(namespace(), known).map(" (did you mean '%s'?)"::formatted).orElse("");
    return new CommandFailedException(
        failure.code(),
        """
        namespace '%s' does not exist%s; its name comes from %s
        try: kagzi namespace list, or kagzi namespace create %1$s\
        """
            .formatted(namespace(), meant, settings.namespace().origin()),
        failure.getCause());
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
    return inNamespace(WorkflowServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  public <R> R admin(Function<AdminServiceBlockingStub, R> call) {
    return inNamespace(AdminServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  public <R> R schedules(Function<WorkflowScheduleServiceBlockingStub, R> call) {
    return inNamespace(WorkflowScheduleServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  public <R> R namespaces(Function<NamespaceServiceBlockingStub, R> call) {
    return call(NamespaceServiceGrpc::newBlockingStub, call, CALL_LIMIT);
  }

  /** A call that may take its time: it waits this long by itself. */
  public <R> R waiting(Duration wait, Function<WorkflowServiceBlockingStub, R> call) {
    return inNamespace(WorkflowServiceGrpc::newBlockingStub, call, CALL_LIMIT.plus(wait));
  }

  /** What is not found in a namespace that is not there is not what is wrong. */
  private <S extends AbstractStub<S>, R> R inNamespace(
      Function<Channel, S> stub, Function<S, R> call, Duration limit) {
    try {
      return call(stub, call, limit);
    } catch (CommandFailedException failure) {
      if (failure.code() == ExitCode.NOT_FOUND) {
        requireNamespace();
      }
      throw failure;
    }
  }

  /** Makes a call with a stub of any service. */
  public <S extends AbstractStub<S>, R> R call(
      Function<Channel, S> stub, Function<S, R> call, Duration limit) {
    while (true) {
      try {
        return during(
            "waiting for " + settings.address().value(),
            () ->
                call.apply(
                    stub.apply(channel())
                        .withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS)));
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
