package dev.kagzi.cli.demo;

import dev.kagzi.cli.demo.Event.RunState;
import dev.kagzi.cli.demo.Event.Status;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Asks the server again and again how a run is, because only the server knows what happens to it
 * while no worker holds it. The wire is asked rather than the SDK, which does not show crashes and
 * wake times.
 */
final class RunWatch implements AutoCloseable {
  private static final long PERIOD_MILLIS = 50;

  private final ManagedChannel channel;
  private final GetWorkflowRequest request;
  private final BlockingQueue<Event> events;
  private final Thread thread;

  private RunWatch(String address, String runId, BlockingQueue<Event> events) {
    this.channel = ManagedChannelBuilder.forTarget(address).usePlaintext().build();
    this.request = GetWorkflowRequest.newBuilder().setRunId(runId).build();
    this.events = events;
    this.thread = Thread.ofVirtual().name("kagzi-demo-watch").unstarted(this::watch);
  }

  static RunWatch start(String address, String runId, BlockingQueue<Event> events) {
    var watch = new RunWatch(address, runId, events);
    watch.thread.start();
    return watch;
  }

  private void watch() {
    var stub = WorkflowServiceGrpc.newBlockingStub(channel);
    RunState known = null;
    try {
      while (known == null || !isOver(known)) {
        var seen = state(stub.getWorkflow(request).getRun());
        if (!seen.equals(known)) {
          events.add(new Event.RunChanged(System.nanoTime(), seen));
        }
        known = seen;
        Thread.sleep(PERIOD_MILLIS);
      }
    } catch (StatusRuntimeException e) {
      // Also when it is closed in the middle of a call; nobody listens then.
      events.add(new Event.ServerSilent(System.nanoTime(), String.valueOf(e.getMessage())));
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isOver(RunState state) {
    return state.status() == Status.COMPLETED || state.status() == Status.FAILED;
  }

  private static RunState state(WorkflowRun run) {
    var status = status(run);
    return new RunState(
        status, run.getCrashes(), status == Status.SLEEPING ? availableAt(run) : null);
  }

  private static Status status(WorkflowRun run) {
    return switch (run.getStatus()) {
      case WORKFLOW_STATUS_PENDING -> Status.READY;
      case WORKFLOW_STATUS_RUNNING -> Status.RUNNING;
      case WORKFLOW_STATUS_SLEEPING -> Status.SLEEPING;
      case WORKFLOW_STATUS_COMPLETED -> Status.COMPLETED;
      default -> Status.FAILED;
    };
  }

  private static @Nullable Instant availableAt(WorkflowRun run) {
    var time = run.getAvailableAt();
    return run.hasAvailableAt() ? Instant.ofEpochSecond(time.getSeconds(), time.getNanos()) : null;
  }

  @Override
  public void close() {
    thread.interrupt();
    channel.shutdownNow();
  }
}
