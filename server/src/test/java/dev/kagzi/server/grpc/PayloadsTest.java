package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.GetHistoryResponse;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.ListWorkflowsResponse;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is shown of inputs and outputs, and that no reply becomes too large by it. */
class PayloadsTest {

  private static final String LARGEST = "1".repeat(2 * 1024 * 1024);

  private static TestServer server;

  @BeforeAll
  static void startServer() {
    server = TestServer.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void showsInputAndOutputOnlyIfAskedAndTheirSizesAlways() {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      String runId = worker.start();
      assertThat(get(runId, true).getInput()).isEqualTo(worker.claim().getInput());
    }
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      String runId = worker.start();
      Task task = worker.claim();
      worker.client().complete(complete(task, worker.workerId(), "\"done\""));

      WorkflowRun with = get(runId, true);
      WorkflowRun without = get(runId, false);

      assertThat(with.getInput().getJson()).isEqualTo("{\"id\": 7}");
      assertThat(with.getOutput().getJson()).isEqualTo("\"done\"");
      assertThat(without.hasInput() || without.hasOutput()).isFalse();
      assertThat(List.of(with, without))
          .allMatch(run -> run.getInputBytes() == 9 && run.getOutputBytes() == 6);
    }
  }

  @Test
  void leavesTheInputOutIfBothDoNotFitIntoAMessage() {
    String queue = "queue-" + UUID.randomUUID();
    String runId = start(aStart().setInput(json(LARGEST)).setTaskQueue(queue));
    try (var worker = new WorkerFixture(server, Transport.UNARY, queue)) {
      Task task = worker.claim();
      worker.client().complete(complete(task, worker.workerId(), LARGEST));
    }

    assertThat(List.of(get(runId, true), onlyRun(queue)))
        .allMatch(run -> !run.hasInput() && run.getInputBytes() == LARGEST.length())
        .allMatch(run -> run.getOutput().getJson().equals(LARGEST));
  }

  private static WorkflowRun onlyRun(String queue) {
    return server.workflows().listWorkflows(list(queue).build()).getRuns(0);
  }

  @Test
  void aPageThatWouldBeTooLargeIsCutShortInBothDirections() {
    String queue = "queue-" + UUID.randomUUID();
    List<String> started = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      started.add(start(aStart().setTaskQueue(queue).setInput(json("1".repeat(1_000_000)))));
    }

    List<ListWorkflowsResponse> older = follow(queue, "", page -> page.getNextPageToken());
    String fromTheEnd = older.get(older.size() - 1).getPage().getPrevPageToken();
    List<ListWorkflowsResponse> newer = follow(queue, fromTheEnd, page -> page.getPrevPageToken());

    assertThat(older).hasSize(3).allMatch(page -> page.getSerializedSize() < 4_000_000);
    assertThat(older.get(0).getPage().getHasMore()).isTrue();
    assertThat(newer).allMatch(page -> page.getSerializedSize() < 4_000_000);
    List<String> newestFirst = new ArrayList<>(started);
    Collections.reverse(newestFirst);
    assertThat(ids(older)).isEqualTo(newestFirst);
    Collections.reverse(newer);
    assertThat(ids(newer)).isEqualTo(newestFirst.subList(0, 6));
    assertThat(older.get(0).getRuns(0).getInput().getJson()).hasSize(1_000_000);
  }

  /** Lists are limited without payloads too: labels may be long and many. */
  @Test
  void aPageOfRunsWithManyLabelsIsCutShort() {
    String queue = "queue-" + UUID.randomUUID();
    StartWorkflowRequest.Builder heavy = aStart().setTaskQueue(queue);
    for (int label = 0; label < 64; label++) {
      heavy.putLabels("%03d".formatted(label) + "ü".repeat(252), "ü".repeat(255));
    }
    for (int i = 0; i < 60; i++) {
      start(heavy);
    }

    var page = server.workflows().listWorkflows(list(queue).clearIncludePayloads().build());

    assertThat(page.getSerializedSize()).isBetween(2_500_000, 4_000_000);
    assertThat(page.getPage().getHasMore()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void readsTheNamedStepsOfAHistory(Transport transport) {
    try (var worker = new WorkerFixture(server, transport)) {
      worker.start();
      Task task = worker.claim();
      for (int i = 0; i < 5; i++) {
        var step = completeStep(task, worker.workerId(), "step-" + i, "1".repeat(600_000));
        worker
            .client()
            .completeStep(step.toBuilder().setStep(aStep("step-" + i).setSeq(i)).build());
      }
      var request =
          GetHistoryRequest.newBuilder()
              .setRunId(task.getRunId())
              .setLeaseEpoch(task.getLeaseEpoch())
              .setWorkerId(worker.workerId());

      request.addAllStepKeys(List.of("step-3", "step-1", "nobody"));
      GetHistoryResponse first = worker.client().history(request.build());
      request.setPageToken(first.getNextPageToken());
      GetHistoryResponse second = worker.client().history(request.build());

      assertThat(keys(first)).containsExactly("step-1");
      assertThat(keys(second)).containsExactly("step-3");
      assertThat(second.getNextPageToken()).isEmpty();
      request.addAllStepKeys(Collections.nCopies(1000, "step-0"));
      assertThat(refusalOf(() -> worker.client().history(request.build())))
          .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
    }
  }

  private static List<String> keys(GetHistoryResponse page) {
    return page.getItemsList().stream().map(HistoryItem::getStepKey).toList();
  }

  private static String start(StartWorkflowRequest.Builder request) {
    return server.workflows().startWorkflow(request.build()).getRunId();
  }

  private static WorkflowRun get(String runId, boolean withPayloads) {
    return server
        .workflows()
        .getWorkflow(
            GetWorkflowRequest.newBuilder()
                .setRunId(runId)
                .setIncludePayloads(withPayloads)
                .build())
        .getRun();
  }

  private static ListWorkflowsRequest.Builder list(String queue) {
    return ListWorkflowsRequest.newBuilder()
        .setFilter(WorkflowFilter.newBuilder().addTaskQueues(queue))
        .setIncludePayloads(true)
        .setPageSize(1000);
  }

  private static List<ListWorkflowsResponse> follow(
      String queue, String from, Function<dev.kagzi.v1.PageInfo, String> onwards) {
    List<ListWorkflowsResponse> pages = new ArrayList<>();
    String token = from;
    do {
      var page = server.workflows().listWorkflows(list(queue).setPageToken(token).build());
      pages.add(page);
      token = onwards.apply(page.getPage());
    } while (!token.isEmpty());
    return pages;
  }

  private static List<String> ids(List<ListWorkflowsResponse> pages) {
    return pages.stream()
        .flatMap(page -> page.getRunsList().stream())
        .map(WorkflowRun::getRunId)
        .toList();
  }
}
