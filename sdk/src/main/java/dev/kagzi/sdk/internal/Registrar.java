package dev.kagzi.sdk.internal;

import dev.kagzi.v1.DeregisterRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.RegisterRequest;
import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkerServiceGrpc;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes a worker known to the server and remembers on what terms. Its calls use the channel of the
 * heartbeat, so that they do not queue behind work. Thread-safe.
 */
final class Registrar {

  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ServerConnection connection;
  private final WorkerOptions options;
  private final RegisterRequest request;
  private final RetryPolicy retryPolicy;
  private volatile @Nullable ServerTerms terms;

  Registrar(
      ServerConnection connection,
      WorkerOptions options,
      WorkerBadge badge,
      Registrations registrations) {
    this.connection = connection;
    this.options = options;
    var builder =
        RegisterRequest.newBuilder()
            .setNamespace(options.namespace())
            .setTaskQueue(options.queue())
            .addAllTypes(registrations.types())
            .setMaxConcurrent(options.maxConcurrent());
    badge.writeTo(builder);
    this.request = builder.build();
    this.retryPolicy =
        options.retry() == null
            ? RetryPolicy.getDefaultInstance()
            : RetryPolicies.toWire(options.retry());
  }

  /** Registers, also again: the same instance replaces its earlier registration. */
  ServerTerms register() throws InterruptedException {
    RegisterResponse response =
        connection.once(WorkerServiceGrpc::newBlockingStub, stub -> stub.register(request), LIMIT);
    ServerTerms agreed = ServerTerms.of(response, retryPolicy);
    terms = agreed;
    return agreed;
  }

  /** Says that the worker finishes what it holds, or that it is gone. */
  void deregister(boolean drain) throws InterruptedException {
    ServerTerms agreed = terms;
    if (agreed == null) {
      return;
    }
    var leave =
        DeregisterRequest.newBuilder()
            .setWorkerId(agreed.workerId())
            .setNamespace(options.namespace())
            .setDrain(drain)
            .build();
    connection.call(WorkerServiceGrpc::newBlockingStub, stub -> stub.deregister(leave), LIMIT);
  }

  boolean isRegistered() {
    return terms != null;
  }

  /** The terms of the latest registration. */
  ServerTerms terms() {
    ServerTerms agreed = terms;
    if (agreed == null) {
      throw new IllegalStateException("not registered yet");
    }
    return agreed;
  }

  /** What requests about a run begin with; they follow the worker when its id changes. */
  RunRequests requestsFor(String runId, int epoch) {
    return new RunRequests(options.namespace(), runId, epoch, () -> terms().workerId());
  }

  PollTaskRequest pollRequest(int freeSlots) {
    return PollTaskRequest.newBuilder()
        .setWorkerId(terms().workerId())
        .setNamespace(options.namespace())
        .setTaskQueue(options.queue())
        .addAllTypes(request.getTypesList())
        .setMaxTasks(freeSlots)
        .setClaimId(UUID.randomUUID().toString())
        .setClaimIdIsNew(true)
        .build();
  }

  HeartbeatRequest.Builder heartbeat() {
    return HeartbeatRequest.newBuilder()
        .setWorkerId(terms().workerId())
        .setNamespace(options.namespace());
  }

  WorkHello hello() {
    return WorkHello.newBuilder()
        .setWorkerId(terms().workerId())
        .setNamespace(options.namespace())
        .build();
  }
}
