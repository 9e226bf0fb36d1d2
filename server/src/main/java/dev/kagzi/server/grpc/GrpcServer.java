package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The gRPC server over an engine, on a port or inside the JVM. Thread-safe. */
public final class GrpcServer implements AutoCloseable {

  private static final int MAX_METADATA_BYTES = 8192;

  /** Generous: one worker or client carries all its calls over one connection. */
  static final int MAX_CALLS_PER_CONNECTION = 10_000;

  /** Against floods of calls that are cancelled at once. */
  private static final int MAX_RESETS = 2000;

  private static final int RESET_WINDOW_SECONDS = 30;
  private static final Duration CLIENT_KEEPALIVE = Duration.ofSeconds(10);
  private static final Duration KEEPALIVE = Duration.ofSeconds(20);
  private static final Duration KEEPALIVE_PATIENCE = Duration.ofSeconds(10);
  private static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(10);
  private static final Duration CUT_OFF_LIMIT = Duration.ofSeconds(2);

  /** The name under which gRPC's health service knows the server as a whole. */
  private static final String WHOLE_SERVER = HealthStatusManager.SERVICE_NAME_ALL_SERVICES;

  private static final Set<String> STREAMS =
      Set.of(
          WorkerServiceGrpc.getWorkMethod().getFullMethodName(),
          WorkflowServiceGrpc.getAskMethod().getFullMethodName());

  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final HealthStatusManager health = new HealthStatusManager();
  private final Services services;
  private final Server server;
  private volatile @Nullable LocalCalls local;

  private GrpcServer(Engine engine, ServerBuilder<?> builder, boolean callersMayWait)
      throws IOException {
    this.services = new Services(engine, callersMayWait);
    services
        .endpoints()
        .forEach(
            endpoint -> builder.addService(MalformedRequests.refusedBy(endpoint.bindService())));
    this.server =
        builder
            .executor(executor)
            .callExecutor(executorsByCall())
            .addService(health.getHealthService())
            .addService(ProtoReflectionServiceV1.newInstance())
            .build();
    showServing(true);
    server.start();
  }

  /**
   * Frames of streams are taken by the thread that brings them, because they are only passed on to
   * others; everything else may wait, and does so on a virtual thread.
   */
  private static ServerCallExecutorSupplier executorsByCall() {
    return new ServerCallExecutorSupplier() {
      @Override
      public <Q, R> @Nullable Executor getExecutor(ServerCall<Q, R> call, Metadata metadata) {
        return STREAMS.contains(call.getMethodDescriptor().getFullMethodName())
            ? Runnable::run
            : null;
      }
    };
  }

  /**
   * Listens on a port.
   *
   * @throws IOException if it cannot
   */
  public static GrpcServer listen(Engine engine, InetSocketAddress address) throws IOException {
    return new GrpcServer(
        engine,
        NettyServerBuilder.forAddress(address)
            .maxInboundMessageSize(WorkerMapper.MAX_MESSAGE_BYTES)
            .maxInboundMetadataSize(MAX_METADATA_BYTES)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            .maxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
            .permitKeepAliveTime(CLIENT_KEEPALIVE.toSeconds(), TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .keepAliveTime(KEEPALIVE.toSeconds(), TimeUnit.SECONDS)
            .keepAliveTimeout(KEEPALIVE_PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .handshakeTimeout(HANDSHAKE_LIMIT.toSeconds(), TimeUnit.SECONDS),
        false);
  }

  /**
   * Serves channels of this JVM that ask for the name.
   *
   * @throws IOException if the name is taken
   */
  public static GrpcServer inProcess(Engine engine, String name) throws IOException {
    return new GrpcServer(
        engine,
        InProcessServerBuilder.forName(name).maxInboundMetadataSize(MAX_METADATA_BYTES),
        true);
  }

  /** Opens the same services to callers inside this JVM as well, until it is shut down. */
  public LocalCalls openLocally() throws IOException {
    LocalCalls opened = LocalCalls.open(services.endpoints(), executor);
    local = opened;
    return opened;
  }

  /** The port that is listened on; -1 inside the JVM. */
  public int port() {
    return server.getPort();
  }

  /** Shows all services as serving or not. */
  public void showServing(boolean serving) {
    ServingStatus status = serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
    health.setStatus(WHOLE_SERVER, status);
    services
        .endpoints()
        .forEach(endpoint ->
            health.setStatus(endpoint.bindService().getServiceDescriptor().getName(), status));
  }

  /**
   * Takes no new calls, ends what waits and lets the rest finish; what is not over by the limit is
   * cut off. The engine must have answered the polls, and still answer everything else.
   */
  public void shutDown(Duration limit) {
    services.drain();
    server.shutdown();
    // Those who came in between the two.
    services.drain();
    if (!awaitEnd(limit)) {
      server.shutdownNow();
      awaitEnd(CUT_OFF_LIMIT);
    }
    LocalCalls inside = local;
    if (inside != null) {
      inside.shutDown(limit.isZero() ? limit : CUT_OFF_LIMIT);
    }
  }

  private boolean awaitEnd(Duration limit) {
    try {
      return server.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    shutDown(Duration.ZERO);
    services.close();
    executor.close();
  }
}
