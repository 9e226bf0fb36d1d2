package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.Explanation;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.Page;
import dev.kagzi.sdk.StepView;
import dev.kagzi.sdk.TypeVersions;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.AdminServiceGrpc.AdminServiceBlockingStub;
import dev.kagzi.v1.ExplainWorkflowRequest;
import dev.kagzi.v1.ExplainWorkflowResponse;
import dev.kagzi.v1.HealthStatus;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListStepsResponse;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import dev.kagzi.v1.SetDefaultVersionRequest;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.Suggestion;
import dev.kagzi.v1.WorkflowTypeSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What a client asks as an operator, in plain values. Thread-safe. */
public final class AdminCalls {

  private static final String REASON_PREFIX = "EXPLAIN_REASON_";

  /** The server sends fewer where they would be too heavy. */
  private static final int MAX_PAGE_SIZE = 1000;

  private final ServerConnection connection;
  private final String namespace;

  AdminCalls(ServerConnection connection, String namespace) {
    this.connection = connection;
    this.namespace = namespace;
  }

  /**
   * Makes a version the one that new runs get.
   *
   * @return the default before
   */
  public String setDefaultVersion(String type, String version) {
    var request =
        SetDefaultVersionRequest.newBuilder()
            .setNamespace(namespace)
            .setWorkflowType(type)
            .setVersion(version)
            .build();
    return call(stub -> stub.setDefaultVersion(request)).getPreviousVersion();
  }

  /** The versions of a type; empty if the server knows nothing of it. */
  public Optional<TypeVersions> versions(String type) {
    var request =
        ListWorkflowTypesRequest.newBuilder()
            .setNamespace(namespace)
            .setWorkflowType(type)
            .setPageSize(1)
            .build();
    return call(stub -> stub.listWorkflowTypes(request)).getWorkflowTypesList().stream()
        .findFirst()
        .map(AdminCalls::versions);
  }

  private static TypeVersions versions(WorkflowTypeSummary type) {
    return new TypeVersions(
        type.getWorkflowType(),
        type.getDefaultVersion(),
        type.getHomeTaskQueue(),
        type.getVersionsList().stream()
            .map(version ->
                new TypeVersions.Version(
                    version.getVersion(), version.getWorkersOnline(), version.getLiveRuns()))
            .toList());
  }

  /** Why a run is where it is. */
  public Explanation explain(String runId) {
    var request =
        ExplainWorkflowRequest.newBuilder().setNamespace(namespace).setRunId(runId).build();
    try {
      return explanation(once(stub -> stub.explainWorkflow(request)));
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  private static Explanation explanation(ExplainWorkflowResponse wire) {
    return new Explanation(
        wire.getSentence(),
        WireNames.read(wire.getReason(), REASON_PREFIX, Explanation.Reason.UNKNOWN),
        wire.getVerdict() == HealthStatus.HEALTH_STATUS_UNHEALTHY,
        wire.getEvidenceList().stream()
            .map(fact -> fact.getSubject() + ": " + fact.getFinding())
            .toList(),
        wire.getSuggestionsList().stream().map(Suggestion::getText).toList(),
        wire.hasSince() ? WireTimes.toInstant(wire.getSince()) : null,
        wire.hasExpectedAt() ? WireTimes.toInstant(wire.getExpectedAt()) : null,
        wire.getStepKeysList());
  }

  /** What can be asked about workers and queues, over the same connection. */
  public FleetCalls fleet() {
    return new FleetCalls(this, namespace);
  }

  /** A page of the steps of a run, in call order. */
  public Page<StepView> steps(String runId, int size, String token) {
    var request =
        ListStepsRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setPageSize(size)
            .setPageToken(token)
            .build();
    try {
      ListStepsResponse page = once(stub -> stub.listSteps(request));
      return Pages.of(page.getStepsList(), StepViews::of, page.getPage());
    } catch (CallFailedException failure) {
      throw connection.translate(failure, runId);
    }
  }

  /** What a run has done so far, in call order. */
  List<HistoryItem> history(String runId) {
    List<HistoryItem> items = new ArrayList<>();
    var request =
        ListStepsRequest.newBuilder()
            .setNamespace(namespace)
            .setRunId(runId)
            .setIncludePayloads(true)
            .setPageSize(MAX_PAGE_SIZE);
    do {
      ListStepsRequest page = request.build();
      ListStepsResponse response = once(stub -> stub.listSteps(page));
      response.getStepsList().forEach(step -> items.add(item(step)));
      request.setPageToken(response.getPage().getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return items;
  }

  private static HistoryItem item(Step step) {
    var item =
        HistoryItem.newBuilder()
            .setStepKey(step.getStepKey())
            .setKind(step.getKind())
            .setStatus(step.getStatus())
            .setAttempt(step.getAttempt())
            .setSettled(step.getSettled())
            .setSeq(step.getSeq())
            .setTimedOut(step.getTimedOut())
            .setChildRunId(step.getChildRunId());
    if (step.hasError()) {
      item.setError(step.getError());
    } else if (step.hasOutput()) {
      item.setOutput(step.getOutput());
    }
    return item.build();
  }

  <R> R call(Function<AdminServiceBlockingStub, R> request) {
    try {
      return once(request);
    } catch (CallFailedException failure) {
      throw connection.translate(failure);
    }
  }

  private <R> R once(Function<AdminServiceBlockingStub, R> request) {
    try {
      return connection.call(
          AdminServiceGrpc::newBlockingStub, request, ServerConnection.CALL_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KagziException("Interrupted while waiting for the Kagzi server", e);
    }
  }
}
