package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.GetStateRequest;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceBlockingStub;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
  private final AskCalls asks;
  private final String namespace;
  private final RequestIds requestIds;

  public WorkflowCalls(ServerConnection connection, String namespace) {
    this(connection, namespace, InstantSource.system());
  }

  WorkflowCalls(ServerConnection connection, String namespace, InstantSource clock) {
    this.connection = connection;
    this.asks = new AskCalls(connection);
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

  /** What can be asked as an operator, over the same connection. */
  public AdminCalls admin() {
    return new AdminCalls(connection, namespace);
  }

  /** What a client asks about schedules, over the same connection. */
  public ScheduleCalls schedules() {
    return new ScheduleCalls(this, connection, namespace);
  }

  public StartCall start(String type) {
    return new StartCall(namespace, type);
  }

  /** Sends a start; one id for all its repetitions makes it start one run. */
  public Started send(StartCall start) {
    try {
      return withRequestId(requestId -> sendOnce(start, requestId));
    } catch (CallFailedException failure) {
      throw connection.translate(failure);
    }
  }

  /** Mints another id, by the server's time, if the first one is refused for its time. */
  <R> R withRequestId(Function<String, R> call) {
    try {
      return call.apply(requestIds.next());
    } catch (CallFailedException failure) {
      Optional<Instant> serverTime = serverTime(failure);
      if (serverTime.isEmpty()) {
        throw failure;
      }
      requestIds.follow(serverTime.get());
      return call.apply(requestIds.next());
    }
  }

  private Started sendOnce(StartCall start, String requestId) {
    var request = start.as(requestId);
    StartWorkflowResponse response =
        uninterrupted(() -> asks.call(AskRpc.START_WORKFLOW, request, ServerConnection.CALL_LIMIT));
    return new Started(response.getRunId(), response.getAlreadyExists());
  }

  private static Optional<Instant> serverTime(CallFailedException failure) {
    try {
      return failure.metadata(SERVER_TIME).map(Instant::parse);
    } catch (DateTimeParseException malformed) {
      return Optional.empty();
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

  /**
   * The run with an external id: the live one, else the newest that ended; empty if none has it.
   */
  public Optional<String> find(String externalId) {
    var request =
        GetWorkflowRequest.newBuilder().setNamespace(namespace).setExternalId(externalId).build();
    try {
      return Optional.of(call(stub -> stub.getWorkflow(request)).getRun().getRunId());
    } catch (CallFailedException failure) {
      if (failure.hasReason(Reasons.RUN_NOT_FOUND)) {
        return Optional.empty();
      }
      throw connection.translate(failure);
    }
  }

  /** A run and what it has done so far, as text that a replay can read. */
  public String exportHistory(String runId) {
    var request =
        GetWorkflowRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setIncludePayloads(true)
            .build();
    try {
      var run = call(stub -> stub.getWorkflow(request)).getRun();
      return new HistoryFile(run, admin().history(runId)).write();
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  /** Cancels a run; safe to repeat. */
  public CancelOutcome cancel(String runId, String reason) {
    return cancel(runId, reason, false);
  }

  /** Ends a run without its compensations; safe to repeat. */
  public CancelOutcome terminate(String runId, String reason) {
    return cancel(runId, reason, true);
  }

  private CancelOutcome cancel(String runId, String reason, boolean terminate) {
    var request =
        CancelWorkflowRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setReason(reason)
            .setTerminate(terminate)
            .build();
    try {
      return outcome(call(stub -> stub.cancelWorkflow(request)).getOutcome());
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  /**
   * Sends a failed run back to work; a repeat of this very call is told from a second retry by the
   * number of retries that the run had before.
   *
   * @return whether it was sent back; false if it was live
   */
  public boolean retry(String runId, String reason) {
    var known = GetWorkflowRequest.newBuilder().setNamespace(namespace).setRunId(runId).build();
    try {
      int retries = call(stub -> stub.getWorkflow(known)).getRun().getRetries();
      var request =
          RetryWorkflowRequest.newBuilder()
              .setNamespace(namespace)
              .setRunId(runId)
              .setReason(reason)
              .setExpectedRetries(retries)
              .build();
      return !call(stub -> stub.retryWorkflow(request)).getAlreadyActive();
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  /**
   * Starts a new run with what a run has done before a step.
   *
   * @return the new run
   */
  public String fork(String runId, String stepKey) {
    try {
      return withRequestId(requestId -> forkOnce(runId, stepKey, requestId));
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  private String forkOnce(String runId, String stepKey, String requestId) {
    var request =
        ForkWorkflowRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setRequestId(requestId)
            .setFromStepKey(stepKey)
            .build();
    return call(stub -> stub.forkWorkflow(request)).getRunId();
  }

  /**
   * Sends an event to a live run; repetitions on the wire are told by the key and do no harm.
   *
   * @return whether it is new; false if one with this key was there before
   */
  public boolean send(String runId, EventCall event) {
    var request =
        SendEventRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setEvent(event.event())
            .build();
    try {
      return !call(stub -> stub.sendEvent(request)).getAlreadyDelivered();
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  /** The same to the live run with an external id. */
  public boolean sendToId(String externalId, EventCall event) {
    var request =
        SendEventRequest.newBuilder()
            .setNamespace(namespace)
            .setExternalId(externalId)
            .setEvent(event.event())
            .build();
    try {
      return !call(stub -> stub.sendEvent(request)).getAlreadyDelivered();
    } catch (CallFailedException failure) {
      throw connection.translate(failure, externalId);
    }
  }

  /** What a run shows under a name, if anything. */
  public Optional<Payload> state(String runId, @Nullable String name) {
    String shown = name == null ? PublishedStates.DEFAULT_NAME : name;
    var request =
        GetStateRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .addNames(shown)
            .build();
    try {
      return call(stub -> stub.getState(request)).getEntriesList().stream()
          .findFirst()
          .map(entry -> WirePayloads.fromWire(entry.getValue()));
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
    return uninterrupted(() ->
        connection.call(
            WorkflowServiceGrpc::newBlockingStub, request, ServerConnection.CALL_LIMIT));
  }

  /** A call that waits for a server. */
  private interface Waiting<R> {
    R reply() throws InterruptedException;
  }

  private static <R> R uninterrupted(Waiting<R> call) {
    try {
      return call.reply();
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
    return asks.once(AskRpc.AWAIT_WORKFLOW, request, wait.plus(REPLY_MARGIN));
  }

  @Override
  public void close() {
    connection.close();
  }
}
