package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.GetStatsRequest;
import dev.kagzi.v1.GetStatsResponse;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import dev.kagzi.v1.ListWorkflowTypesResponse;
import dev.kagzi.v1.Queue;
import dev.kagzi.v1.StatsBucket;
import dev.kagzi.v1.StatusCount;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowStatus;
import dev.kagzi.v1.WorkflowTypeSummary;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OverviewCallsTest {

  private TestServer server;

  @BeforeAll
  void start() {
    server = TestServer.start();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void aQueueAndItsFiguresAreShown() {
    try (var fixture = new WorkerFixture(server, Transport.UNARY, "shown")) {
      fixture.start();
      Task task = fixture.claim();
      server.workers().completeWorkflow(complete(task, fixture.workerId(), "1"));
      fixture.start();

      Queue queue =
          server
              .admin()
              .listQueues(ListQueuesRequest.newBuilder().addTaskQueues("shown").build())
              .getQueues(0);
      GetStatsResponse stats =
          server
              .admin()
              .getStats(
                  GetStatsRequest.newBuilder()
                      .setTaskQueue("shown")
                      .setWindow(seconds(600))
                      .setBucket(seconds(60))
                      .build());

      assertThat(queue.getReady()).isEqualTo(1);
      assertThat(queue.hasOldestReadyAt()).isTrue();
      assertThat(queue.getWorkersOnline()).isEqualTo(1);
      assertThat(queue.getSlotsTotal()).isEqualTo(10);
      assertThat(queue.getFinishedPerMinute()).isEqualTo(0.2);
      assertThat(queue.getUnservedList()).isEmpty();
      assertThat(stats.getBucketsList()).hasSize(10);
      assertThat(stats.getBucketsList().stream().mapToLong(StatsBucket::getStarted).sum())
          .isEqualTo(2);
      assertThat(stats.getBuckets(9).getCompleted()).isEqualTo(1);
      assertThat(stats.getLiveList())
          .containsExactly(
              StatusCount.newBuilder()
                  .setStatus(WorkflowStatus.WORKFLOW_STATUS_PENDING)
                  .setCount(1)
                  .build());
      assertThat(stats.getRunDuration().hasP99()).isTrue();
      assertThat(stats.hasCountedFrom()).isFalse();
    }
  }

  @Test
  void aTypeIsShownWithWhatBecameOfItsRunsLately() {
    try (var fixture = new WorkerFixture(server, Transport.UNARY, "lately")) {
      WorkflowTypeSummary before = onlyType();
      fixture.start();
      fixture.start();
      fixture.start();
      Task good = fixture.claim();
      server.workers().completeWorkflow(complete(good, fixture.workerId(), "1"));
      Task bad = fixture.claim();
      fixture.client().fail(fail(bad, fixture.workerId()).setNonRetryable(true).build());

      WorkflowTypeSummary type = onlyType();

      assertThat(type.getStarted() - before.getStarted()).isEqualTo(3);
      assertThat(type.getCompleted() - before.getCompleted()).isEqualTo(1);
      assertThat(type.getFailed() - before.getFailed()).isEqualTo(1);
      assertThat(type.hasP95Duration()).isTrue();
      assertThat(type.getLastFailureAt()).isEqualTo(fixture.get(bad.getRunId()).getFinishedAt());
      assertThat(before.hasLastFailureAt()).isFalse();
    }
  }

  @Test
  void typesAreListedByNameInBothDirections() {
    server
        .namespaces()
        .createNamespace(CreateNamespaceRequest.newBuilder().setNamespace("typed").build());
    var worker = aWorker().setNamespace("typed").clearTypes();
    for (String type : List.of("c", "a", "e", "b")) {
      worker.addTypesBuilder().setWorkflowType(type);
    }
    server.workers().register(worker.build());
    server.workflows().startWorkflow(aStart().setNamespace("typed").setWorkflowType("d").build());

    ListWorkflowTypesResponse first = types("");
    ListWorkflowTypesResponse second = types(first.getPage().getNextPageToken());
    ListWorkflowTypesResponse last = types(second.getPage().getNextPageToken());
    ListWorkflowTypesResponse back = types(last.getPage().getPrevPageToken());

    assertThat(names(first)).containsExactly("a", "b");
    assertThat(first.getPage().getPrevPageToken()).isEmpty();
    assertThat(names(last)).containsExactly("e");
    assertThat(last.getPage().getHasMore()).isFalse();
    assertThat(names(back)).containsExactly("c", "d").isEqualTo(names(second));
    assertThat(back.getPage().getHasMore()).isTrue();
    ListWorkflowTypesResponse start = types(back.getPage().getPrevPageToken());
    assertThat(names(start)).containsExactly("a", "b");
    assertThat(start.getPage().getHasMore()).isFalse();
    assertThat(start.getPage().getPrevPageToken()).isEmpty();
  }

  private ListWorkflowTypesResponse types(String token) {
    return server
        .admin()
        .listWorkflowTypes(
            ListWorkflowTypesRequest.newBuilder()
                .setNamespace("typed")
                .setPageSize(2)
                .setPageToken(token)
                .build());
  }

  private static List<String> names(ListWorkflowTypesResponse page) {
    return page.getWorkflowTypesList().stream().map(WorkflowTypeSummary::getWorkflowType).toList();
  }

  private WorkflowTypeSummary onlyType() {
    return server
        .admin()
        .listWorkflowTypes(
            ListWorkflowTypesRequest.newBuilder()
                .setWorkflowType(aStart().getWorkflowType())
                .build())
        .getWorkflowTypes(0);
  }

  @Test
  void aBucketMayNotBeTooSmallForItsWindow() {
    assertThat(
            refusalOf(() ->
                server
                    .admin()
                    .getStats(
                        GetStatsRequest.newBuilder()
                            .setWindow(seconds(86_400))
                            .setBucket(seconds(1))
                            .build())))
        .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
  }
}
