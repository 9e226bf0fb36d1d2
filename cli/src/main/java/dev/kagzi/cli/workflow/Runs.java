package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.GetWorkflowResponse;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListStepsResponse;
import dev.kagzi.v1.Step;
import dev.kagzi.v1.WorkflowStatus;
import java.util.ArrayList;
import java.util.List;

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
