package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.fake.FakeServer;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.sdk.worker.WorkerBuilder;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A fake server and workers that serve one workflow of the test. */
final class RunFixture implements AutoCloseable {

  static final String TYPE = "tested";

  final FakeServer server;
  private @Nullable Worker worker;

  RunFixture() {
    this(FakeServer.inProcess());
  }

  private RunFixture(FakeServer server) {
    this.server = server;
  }

  /** A fixture whose server is reached through a socket. */
  static RunFixture overTcp() {
    return new RunFixture(FakeServer.overTcp());
  }

  /** Starts a worker with this workflow, from text to text. */
  Worker serve(Workflow<String, String> workflow) {
    return serve(workflow, settings -> {});
  }

  /** Starts a worker with this workflow, from text to text, and with settings of its own. */
  Worker serve(Workflow<String, String> workflow, Consumer<WorkerBuilder> settings) {
    WorkerBuilder builder =
        Worker.builder(server.address(), "queue")
            .drainTimeout(Duration.ZERO)
            .register(WorkflowType.of(TYPE, String.class, String.class), workflow);
    settings.accept(builder);
    Worker started = builder.build();
    worker = started;
    started.start();
    return started;
  }

  /** Starts a run and lets a worker with this workflow finish it. */
  String run(Workflow<String, String> workflow) {
    String runId = start();
    serve(workflow);
    awaitFinished(runId);
    return runId;
  }

  String start() {
    return server.runs().start(TYPE, "\"in\"");
  }

  void awaitFinished(String runId) {
    until(() -> server.runs().isFinished(runId));
  }

  void awaitStatus(String runId, WorkflowStatus status) {
    until(() -> view(runId).getStatus() == status);
  }

  WorkflowRun view(String runId) {
    return server.runs().view(runId);
  }

  /** The runs that the worker has not done with. */
  int activeRuns() {
    return worker == null ? 0 : worker.activeCount();
  }

  @Override
  public void close() {
    if (worker != null) {
      worker.stop();
    }
    server.close();
  }
}
