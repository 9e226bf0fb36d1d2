package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.release;
import static dev.kagzi.server.Wire.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.server.TestServer;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowRun;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.UUID;

/** A worker with a queue of its own, so that tests do not take each other's runs. */
final class WorkerFixture implements AutoCloseable {
  /** The ways in which a worker's calls travel. */
  enum Transport {
    UNARY,
    STREAM
  }

  private final TestServer server;
  private final String queue;
  private final String workerId;
  private final WorkerClient client;

  WorkerFixture(TestServer server, Transport transport) {
    this(server, transport, "queue-" + UUID.randomUUID());
  }

  WorkerFixture(TestServer server, Transport transport, String queue) {
    this.server = server;
    this.queue = queue;
    this.workerId = server.workers().register(aWorker().setTaskQueue(queue).build()).getWorkerId();
    this.client =
        switch (transport) {
          case UNARY -> new WorkerClient.Unary(server.workers());
          case STREAM ->
              new WorkerClient.Streaming(WorkStreamClient.open(server.channel(), workerId));
        };
  }

  String workerId() {
    return workerId;
  }

  WorkerClient client() {
    return client;
  }

  String start() {
    return server.workflows().startWorkflow(aStartHere().build()).getRunId();
  }

  StartWorkflowRequest.Builder aStartHere() {
    return aStart().setTaskQueue(queue);
  }

  PollTaskRequest.Builder poll() {
    return aPoll(workerId).setTaskQueue(queue);
  }

  Task claim() {
    List<Task> tasks = client.poll(poll().build()).getTasksList();
    assertThat(tasks).hasSize(1);
    return tasks.get(0);
  }

  /** Ends the worker's hold on a run, as if it had been lost, by handing it to another. */
  Task takeOver(Task lost) {
    client.release(release(lost, workerId));
    Task taken = claim();
    assertThat(taken.getRunId()).isEqualTo(lost.getRunId());
    return taken;
  }

  @Override
  public void close() {
    client.close();
  }

  WorkflowRun get(String runId) {
    return server
        .workflows()
        .getWorkflow(
            GetWorkflowRequest.newBuilder().setRunId(runId).setIncludePayloads(true).build())
        .getRun();
  }

  /** The code and the reason with which a call is refused. */
  static String refusalOf(Runnable call) {
    var refusal = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(refusal).isNotNull();
    return verdict(refusal);
  }
}
