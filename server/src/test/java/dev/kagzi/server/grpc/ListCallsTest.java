package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.faultyFields;
import static dev.kagzi.server.Wire.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.Timestamp;
import dev.kagzi.server.TestServer;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.CountGroup;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.CountWorkflowsResponse;
import dev.kagzi.v1.DeleteWorkflowRequest;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.ListWorkflowsResponse;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListCallsTest {

  private final List<String> newestFirst = new ArrayList<>();
  private TestServer server;

  @BeforeAll
  void start() {
    server = TestServer.start();
    for (int i = 0; i < 12; i++) {
      newestFirst.add(
          0,
          server
              .workflows()
              .startWorkflow(aStart().putLabels("parity", i % 2 == 0 ? "even" : "odd").build())
              .getRunId());
    }
    newestFirst.subList(0, 4).forEach(this::cancel);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void listsPageByPageWithATotal() {
    ListWorkflowsResponse first = list(aList().setPageSize(5).setIncludeTotalCount(true));
    ListWorkflowsResponse second =
        list(aList().setPageSize(5).setPageToken(first.getPage().getNextPageToken()));
    ListWorkflowsResponse back =
        list(aList().setPageSize(5).setPageToken(second.getPage().getPrevPageToken()));

    assertThat(ids(first)).isEqualTo(newestFirst.subList(0, 5));
    assertThat(first.getPage().getTotalCount()).isEqualTo(12);
    assertThat(first.getPage().getHasMore()).isTrue();
    assertThat(first.getPage().getPrevPageToken()).isEmpty();
    assertThat(ids(second)).isEqualTo(newestFirst.subList(5, 10));
    assertThat(ids(back)).isEqualTo(ids(first));
  }

  @Test
  void filtersAndCounts() {
    WorkflowFilter filter =
        WorkflowFilter.newBuilder()
            .addStatuses(WorkflowStatus.WORKFLOW_STATUS_CANCELLED)
            .addLabels("parity=even")
            .build();

    assertThat(list(aList().setFilter(filter)).getRunsList()).hasSize(2);
    CountWorkflowsResponse count =
        server
            .workflows()
            .countWorkflows(
                CountWorkflowsRequest.newBuilder()
                    .setGroupBy(CountGroup.COUNT_GROUP_STATUS)
                    .build());
    assertThat(count.getCount()).isEqualTo(12);
    assertThat(count.getGroupsList())
        .extracting(group -> group.getName() + " " + group.getCount())
        .containsExactly("PENDING 8", "CANCELLED 4");
  }

  @Test
  void reportsAllFaultsAtOnce() {
    StatusRuntimeException refusal =
        refusalOf(() ->
            list(
                aList()
                    .setPageSize(1001)
                    .setFilter(
                        WorkflowFilter.newBuilder()
                            .addStatusesValue(77)
                            .setParentRunId("nobody")
                            .setRunIdSuffix("xyz")
                            .setExternalId("nul\0")
                            .setCreatedAfter(Timestamp.newBuilder().setSeconds(Long.MAX_VALUE)))));

    assertThat(faultyFields(refusal))
        .contains(
            "page_size",
            "filter.statuses",
            "filter.parent_run_id",
            "filter.run_id_suffix",
            "filter.external_id",
            "filter.created_after");
  }

  @Test
  void refusesAnEndBeforeItsBeginning() {
    Timestamp early = Timestamp.newBuilder().setSeconds(1_000).build();
    Timestamp late = early.toBuilder().setNanos(1).build();
    WorkflowFilter.Builder turned =
        WorkflowFilter.newBuilder()
            .setCreatedAfter(late)
            .setCreatedBefore(early)
            .setFinishedAfter(late)
            .setFinishedBefore(early);

    StatusRuntimeException refusal = refusalOf(() -> list(aList().setFilter(turned)));

    assertThat(faultyFields(refusal))
        .containsExactlyInAnyOrder("filter.created_before", "filter.finished_before");
    assertThat(refusal).hasMessageContaining("lies before filter.created_after");
    turned.setCreatedAfter(early).clearFinishedAfter();
    assertThat(list(aList().setFilter(turned)).getRunsList()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"WORKFLOW_STATUS_SCHEDULED", "WORKFLOW_STATUS_PAUSED"})
  void refusesTheStatesThatOnlySchedulesHave(WorkflowStatus ofASchedule) {
    var filter = WorkflowFilter.newBuilder().addStatuses(ofASchedule);

    List<StatusRuntimeException> refusals =
        List.of(
            refusalOf(() -> list(aList().setFilter(filter))),
            refusalOf(() ->
                server
                    .workflows()
                    .countWorkflows(CountWorkflowsRequest.newBuilder().setFilter(filter).build())));

    assertThat(refusals)
        .allSatisfy(refusal -> {
          assertThat(faultyFields(refusal)).containsExactly("filter.statuses");
          assertThat(refusal).hasMessageContaining("ListSchedules");
        });
  }

  @Test
  void refusesAForeignToken() {
    assertThat(verdict(refusalOf(() -> list(aList().setPageToken("made-up")))))
        .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
  }

  @Test
  void deletesOnlyWhatHasEnded() {
    String ended = server.workflows().startWorkflow(aStart().build()).getRunId();
    cancel(ended);

    assertThat(delete(ended)).isTrue();
    assertThat(delete(ended)).isFalse();
    assertThat(verdict(refusalOf(() -> delete(newestFirst.get(11)))))
        .isEqualTo("FAILED_PRECONDITION NOT_TERMINAL");
  }

  @Test
  void logsWhoWasDeletedAndWhy() {
    String ended = server.workflows().startWorkflow(aStart().build()).getRunId();
    cancel(ended);
    var listener = new ListAppender<ILoggingEvent>();
    var log = (Logger) LoggerFactory.getLogger(ListCalls.class);
    listener.start();
    log.setLevel(Level.INFO);
    log.addAppender(listener);

    delete(ended);
    delete(ended);

    log.detachAppender(listener);
    log.setLevel(null);
    assertThat(listener.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .filteredOn(line -> line.contains(ended))
        .containsExactly("run " + ended + " was deleted (no longer needed)");
  }

  private boolean delete(String runId) {
    return server
        .workflows()
        .deleteWorkflow(
            DeleteWorkflowRequest.newBuilder()
                .setRunId(runId)
                .setReason("no longer needed")
                .build())
        .getDeleted();
  }

  private void cancel(String runId) {
    server.workflows().cancelWorkflow(CancelWorkflowRequest.newBuilder().setRunId(runId).build());
  }

  private ListWorkflowsResponse list(ListWorkflowsRequest.Builder request) {
    return server.workflows().listWorkflows(request.build());
  }

  private static ListWorkflowsRequest.Builder aList() {
    return ListWorkflowsRequest.newBuilder();
  }

  private static List<String> ids(ListWorkflowsResponse page) {
    return page.getRunsList().stream().map(WorkflowRun::getRunId).toList();
  }

  private static StatusRuntimeException refusalOf(Runnable call) {
    var refusal = catchThrowableOfType(StatusRuntimeException.class, call::run);
    assertThat(refusal).isNotNull();
    return refusal;
  }
}
