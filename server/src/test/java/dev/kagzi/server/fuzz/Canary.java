package dev.kagzi.server.fuzz;

import dev.kagzi.server.TestServer;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Somebody else who uses the server in the meantime, and must not notice anything. */
final class Canary implements AutoCloseable {

  private static final String NAMESPACE = "canary";
  private static final long LIMIT_SECONDS = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int KEPT = 5;

  private final Channel channel;
  private final List<String> failures = new ArrayList<>();
  private final Thread thread;
  private volatile boolean closed;
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong slowestNanos = new AtomicLong();

  private Canary(TestServer server) {
    this.channel = server.newChannel();
    var unused =
        server
            .namespaces()
            .createNamespace(CreateNamespaceRequest.newBuilder().setNamespace(NAMESPACE).build());
    this.thread = Thread.ofPlatform().name("canary").daemon().unstarted(this::run);
  }

  static Canary beside(TestServer server) {
    Canary canary = new Canary(server);
    canary.thread.start();
    return canary;
  }

  private void run() {
    while (!closed) {
      long begun = System.nanoTime();
      try {
        sing();
        calls.addAndGet(3);
      } catch (RuntimeException failure) {
        if (failures.size() < KEPT) {
          failures.add(failure.toString());
        }
      }
      slowestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void sing() {
    var stub =
        WorkflowServiceGrpc.newBlockingStub(channel)
            .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
    String run =
        stub.startWorkflow(
                StartWorkflowRequest.newBuilder()
                    .setNamespace(NAMESPACE)
                    .setWorkflowType("sing")
                    .build())
            .getRunId();
    String found =
        stub.getWorkflow(
                GetWorkflowRequest.newBuilder().setNamespace(NAMESPACE).setRunId(run).build())
            .getRun()
            .getRunId();
    long count =
        stub.countWorkflows(CountWorkflowsRequest.newBuilder().setNamespace(NAMESPACE).build())
            .getCount();
    if (!found.equals(run) || count == 0) {
      throw new IllegalStateException("its run %s is %s, one of %d".formatted(run, found, count));
    }
  }

  long calls() {
    return calls.get();
  }

  double slowestSeconds() {
    return slowestNanos.get() / 1e9;
  }

  /** What went wrong; to be asked for after the end. */
  List<String> failures() {
    return failures;
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
