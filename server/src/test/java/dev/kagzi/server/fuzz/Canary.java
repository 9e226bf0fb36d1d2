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
import java.util.concurrent.locks.LockSupport;

/** Somebody else who uses the server in the meantime, and must not notice anything. */
final class Canary implements AutoCloseable {

  private static final String NAMESPACE = "canary";
  private static final long LIMIT_SECONDS = 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int KEPT = 5;
  private static final int SONGS_ALONE = 200;

  private final Channel channel;
  private final List<String> failures = new ArrayList<>();
  private final Thread thread;
  private volatile boolean closed;
  private final Songs songs = new Songs();

  private Canary(TestServer server) {
    this.channel = server.newChannel();
    var unused =
        server
            .namespaces()
            .createNamespace(CreateNamespaceRequest.newBuilder().setNamespace(NAMESPACE).build());
    this.thread = Thread.ofPlatform().name("canary").daemon().unstarted(this::run);
  }

  /** One that is silent, until it is told to sing. */
  static Canary beside(TestServer server) {
    return new Canary(server);
  }

  /** Sings while nobody else does; how long its songs take then, once it is warm. */
  Songs alone() {
    Songs warm = new Songs();
    for (int i = 0; i < 2 * SONGS_ALONE; i++) {
      long begun = System.nanoTime();
      sing();
      if (i >= SONGS_ALONE) {
        warm.add(System.nanoTime() - begun);
      }
    }
    return warm;
  }

  /** Sings from now on, again and again, beside whatever others do. */
  void begin() {
    thread.start();
  }

  private void run() {
    while (!closed) {
      long begun = System.nanoTime();
      try {
        sing();
      } catch (RuntimeException failure) {
        if (failures.size() < KEPT) {
          failures.add(failure.toString());
        }
      }
      songs.add(System.nanoTime() - begun);
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

  /** How long its songs have taken beside others. */
  Songs songs() {
    return songs;
  }

  /** What went wrong; to be asked for after the end. */
  List<String> failures() {
    return failures;
  }

  /** Sings no more. */
  void end() {
    closed = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    end();
  }
}
