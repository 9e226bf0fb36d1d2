package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Look;
import dev.kagzi.server.config.Suggestion;
import dev.kagzi.v1.ExplainWorkflowRequest;
import dev.kagzi.v1.ExplainWorkflowResponse;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.GetWorkflowResponse;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListStepsResponse;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import dev.kagzi.v1.WorkflowTypeSummary;
import dev.kagzi.v1.WorkflowTypeSummary.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What several commands ask about a run. */
record Runs(Server server) {
  private static final int PAGE = 1000;

  static boolean isEnded(WorkflowStatus status) {
    return switch (status) {
      case WORKFLOW_STATUS_COMPLETED,
          WORKFLOW_STATUS_FAILED,
          WORKFLOW_STATUS_CANCELLED,
          WORKFLOW_STATUS_TIMED_OUT ->
          true;
      default -> false;
    };
  }

  /**
   * How long a run took from its start by somebody to its end, as that somebody sees it, or has
   * taken so far; nothing yet of one that no worker has begun.
   */
  static String took(WorkflowRun run, Look look) {
    return run.hasStartedAt() || run.hasFinishedAt()
        ? look.took(run.getCreatedAt(), run.getFinishedAt())
        : Look.NONE;
  }

  /** Why a run is where it is. */
  ExplainWorkflowResponse explain(String runId) {
    var request =
        ExplainWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(runId)
            .build();
    return server.admin(stub -> stub.explainWorkflow(request));
  }

  /** The registered type that somebody probably meant who typed one that no worker knows. */
  Optional<String> meantType(String typed) {
    var request =
        ListWorkflowTypesRequest.newBuilder()
            .setNamespace(server.namespace())
            .setPageSize(PAGE)
            .build();
    var registered =
        server.admin(stub -> stub.listWorkflowTypes(request)).getWorkflowTypesList().stream()
            .filter(type -> type.getVersionsList().stream().anyMatch(Version::hasLastRegisteredAt))
            .map(WorkflowTypeSummary::getWorkflowType)
            .toList();
    return registered.contains(typed) ? Optional.empty() : Suggestion.nearest(typed, registered);
  }

  GetWorkflowResponse get(String runId, boolean payloads) {
    var request =
        GetWorkflowRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(runId)
            .setIncludePayloads(payloads)
            .build();
    return server.workflows(stub -> stub.getWorkflow(request));
  }

  /** All steps in call order, however many pages they fill. */
  List<Step> steps(String runId, boolean allAttempts, boolean payloads) {
    return server.during(
        "fetching the steps of " + Look.shortId(runId),
        () -> pagesOfSteps(runId, allAttempts, payloads));
  }

  private List<Step> pagesOfSteps(String runId, boolean allAttempts, boolean payloads) {
    var request =
        ListStepsRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(runId)
            .setAllAttempts(allAttempts)
            .setIncludePayloads(payloads)
            .setPageSize(PAGE);
    var steps = new ArrayList<Step>();
    ListStepsResponse page;
    do {
      page = server.admin(stub -> stub.listSteps(request.build()));
      steps.addAll(page.getStepsList());
      request.setPageToken(page.getPage().getNextPageToken());
    } while (!page.getPage().getNextPageToken().isEmpty());
    return steps;
  }
}
