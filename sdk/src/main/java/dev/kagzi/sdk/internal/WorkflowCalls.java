package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceBlockingStub;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** What a client asks about runs, in plain values. Thread-safe. */
public final class WorkflowCalls implements AutoCloseable {

  /** How long one waiting call may last; load balancers cut at 60 seconds. */
  private static final Duration WAIT_SLICE = Duration.ofSeconds(30);

  private static final Duration REPLY_MARGIN = Duration.ofSeconds(5);

  /** How long nobody may answer before waiting for a result is given up. */
  private static final Duration SILENCE_LIMIT = Duration.ofMinutes(2);

  /** The detail under which a server that refuses a request id tells its own time. */
  private static final String SERVER_TIME = "server_time";

  private final ServerConnection connection;
  private final String namespace;
  private final RequestIds requestIds;

  public WorkflowCalls(ServerConnection connection, String namespace) {
    this(connection, namespace, InstantSource.system());
  }

  WorkflowCalls(ServerConnection connection, String namespace, InstantSource clock) {
    this.connection = connection;
    this.namespace = namespace;
    this.requestIds = new RequestIds(clock);
  }

  /**
   * The run that a start led to.
   *
   * @param runId the run
   * @param alreadyExisted whether it was there before
   */
  public record Started(String runId, boolean alreadyExisted) {}

  public StartCall start(String type) {
    return new StartCall(namespace, type);
  }

  /** Sends a start; one id for all its repetitions makes it start one run. */
  public Started send(StartCall start) {
    try {
      return sendOnce(start);
    } catch (CallFailedException failure) {
      Optional<Instant> serverTime = serverTime(failure);
      if (serverTime.isEmpty()) {
        throw connection.translate(failure);
      }
      requestIds.follow(serverTime.get());
      return translated(() -> sendOnce(start));
    }
  }

  private Started sendOnce(StartCall start) {
    var request = start.as(requestIds.next());
    StartWorkflowResponse response = call(stub -> stub.startWorkflow(request));
    return new Started(response.getRunId(), response.getAlreadyExists());
  }

  private static Optional<Instant> serverTime(CallFailedException failure) {
    try {
      return failure.metadata(SERVER_TIME).map(Instant::parse);
    } catch (DateTimeParseException malformed) {
      return Optional.empty();
    }
  }

  private Started translated(Supplier<Started> call) {
    try {
      return call.get();
    } catch (CallFailedException failure) {
      throw connection.translate(failure);
    }
  }

  /** The run as it is now. */
  public RunView get(String runId) {
    var request = GetWorkflowRequest.newBuilder().setNamespace(namespace).setRunId(runId).build();
    try {
      return RunView.of(call(stub -> stub.getWorkflow(request)).getRun());
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  /** Cancels a run; safe to repeat. */
  public CancelOutcome cancel(String runId, String reason) {
    var request =
        CancelWorkflowRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setReason(reason)
            .build();
    try {
      return outcome(call(stub -> stub.cancelWorkflow(request)).getOutcome());
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  private static CancelOutcome outcome(dev.kagzi.v1.CancelOutcome outcome) {
    return switch (outcome) {
      case CANCEL_OUTCOME_CANCELLED -> CancelOutcome.CANCELLED;
      case CANCEL_OUTCOME_STOP_REQUESTED -> CancelOutcome.STOP_REQUESTED;
      case CANCEL_OUTCOME_ALREADY_FINISHED -> CancelOutcome.ALREADY_FINISHED;
      case CANCEL_OUTCOME_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalStateException("outcome: " + outcome + " (expected: that of a cancel)");
    };
  }

  private <R> R call(Function<WorkflowServiceBlockingStub, R> request) {
    try {
      return connection.call(
          WorkflowServiceGrpc::newBlockingStub, request, ServerConnection.CALL_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KagziException("Interrupted while waiting for the Kagzi server", e);
    }
  }

  /**
   * Waits until a run has ended, through server restarts if need be.
   *
   * @return the run that ended, the last one where it continued as new; empty when the time was
   *     over first
   */
  public Optional<RunView> awaitEnd(String runId, Duration limit) throws InterruptedException {
    var deadline = Deadline.after(limit);
    var silence = Deadline.after(SILENCE_LIMIT);
    var backoff = new Backoff();
    do {
      try {
        AwaitWorkflowResponse response = awaitOnce(runId, deadline.atMost(WAIT_SLICE));
        if (response.getFinished()) {
          return Optional.of(RunView.of(response.getRun()));
        }
        silence = Deadline.after(SILENCE_LIMIT);
        backoff.reset();
      } catch (CallFailedException failure) {
        if (!failure.isPassing() || silence.hasPassed()) {
          throw connection.translate(failure, runId);
        }
        Thread.sleep(deadline.atMost(failure.retryDelay().orElseGet(backoff::next)));
      }
    } while (!deadline.hasPassed());
    return Optional.empty();
  }

  private AwaitWorkflowResponse awaitOnce(String runId, Duration wait) throws InterruptedException {
    var request =
        AwaitWorkflowRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setWait(WireTimes.fromDuration(wait))
            .build();
    return connection.once(
        WorkflowServiceGrpc::newBlockingStub,
        stub -> stub.awaitWorkflow(request),
        wait.plus(REPLY_MARGIN));
  }

  @Override
  public void close() {
    connection.close();
  }
}
