package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.completeStep;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Names as long as they may be, in characters that take three bytes, can be paged through. */
class LongTokensTest {

  private static final String LONGEST_TYPE = "語".repeat(254);
  private static final String LONGEST_KEY = "語".repeat(599);

  private final TestServer server = TestServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void workflowTypes() {
    var registration = aWorker().clearTypes();
    for (String name : List.of("1", "2", "3")) {
      registration.addTypes(WorkflowTypeVersion.newBuilder().setWorkflowType(LONGEST_TYPE + name));
    }
    server.workers().register(registration.build());

    List<String> found = new ArrayList<>();
    String token = "";
    do {
      var page =
          server
              .admin()
              .listWorkflowTypes(
                  ListWorkflowTypesRequest.newBuilder().setPageSize(1).setPageToken(token).build());
      page.getWorkflowTypesList().forEach(type -> found.add(type.getWorkflowType()));
      token = page.getPage().getNextPageToken();
    } while (!token.isEmpty());

    assertThat(found).containsExactly(LONGEST_TYPE + 1, LONGEST_TYPE + 2, LONGEST_TYPE + 3);
  }

  @Test
  void steps() {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      worker.start();
      Task task = worker.claim();
      for (int i = 1; i <= 3; i++) {
        worker.client().completeStep(completeStep(task, worker.workerId(), LONGEST_KEY + i, "1"));
      }

      List<String> found = new ArrayList<>();
      String token = "";
      do {
        var page =
            server
                .admin()
                .listSteps(
                    ListStepsRequest.newBuilder()
                        .setRunId(task.getRunId())
                        .setPageSize(1)
                        .setPageToken(token)
                        .build());
        page.getStepsList().forEach(step -> found.add(step.getStepKey()));
        token = page.getPage().getNextPageToken();
      } while (!token.isEmpty());

      assertThat(found).containsExactly(LONGEST_KEY + 1, LONGEST_KEY + 2, LONGEST_KEY + 3);
    }
  }
}
