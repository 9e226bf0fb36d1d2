package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPayloads;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.v1.CountGroup;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.CountWorkflowsResponse;
import dev.kagzi.v1.DeleteWorkflowRequest;
import dev.kagzi.v1.DeleteWorkflowResponse;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.ListWorkflowsResponse;
import dev.kagzi.v1.PageInfo;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What clients ask about many runs. Thread-safe. */
final class ListCalls {

  private static final Logger log = LoggerFactory.getLogger(ListCalls.class);

  private static final int DEFAULT_PAGE_SIZE = 50;

  private final RunLists lists;

  ListCalls(RunLists lists) {
    this.lists = lists;
  }

  ListWorkflowsResponse list(ListWorkflowsRequest request) {
    Validation validation =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .require(
                request.getPageSize() >= 0 && request.getPageSize() <= RunLists.MAX_PAGE_SIZE,
                "page_size",
                "is %d (expected: 1 to %d)"
                    .formatted(request.getPageSize(), RunLists.MAX_PAGE_SIZE));
    List<Criterion> criteria = FilterMapper.fromWire(request.getFilter(), validation);
    String namespace = Requests.namespace(request.getNamespace());
    int size = request.getPageSize() == 0 ? DEFAULT_PAGE_SIZE : request.getPageSize();
    RunLists.Listed listed =
        lists.list(
            namespace,
            criteria,
            new RunLists.Wish(
                size,
                request.getPageToken(),
                request.getIncludePayloads(),
                run -> RunMapper.toRow(run, RunPayloads.NONE).getSerializedSize()));
    var page =
        PageInfo.newBuilder()
            .setNextPageToken(listed.nextPageToken())
            .setPrevPageToken(listed.prevPageToken())
            .setHasMore(listed.hasMore());
    if (request.getIncludeTotalCount()) {
      RunLists.Count count = lists.count(namespace, criteria);
      page.setTotalCount(count.count()).setTotalIsLowerBound(count.isLowerBound());
    }
    var response = ListWorkflowsResponse.newBuilder().setPage(page);
    for (Run run : listed.runs()) {
      RunPayloads payloads = listed.payloads().getOrDefault(run.runId(), RunPayloads.NONE);
      response.addRuns(RunMapper.toRow(run, payloads));
    }
    return response.build();
  }

  CountWorkflowsResponse count(CountWorkflowsRequest request) {
    Validation validation =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .optionalKnown("group_by", request.getGroupBy());
    List<Criterion> criteria = FilterMapper.fromWire(request.getFilter(), validation);
    String namespace = Requests.namespace(request.getNamespace());
    RunLists.Count count = lists.count(namespace, criteria);
    var response =
        CountWorkflowsResponse.newBuilder()
            .setCount(count.count())
            .setIsLowerBound(count.isLowerBound());
    if (request.getGroupBy() != CountGroup.COUNT_GROUP_UNSPECIFIED) {
      RunLists.Grouping grouping = fromWire(request.getGroupBy());
      for (RunLists.Group group : lists.count(namespace, criteria, grouping)) {
        response.addGroups(
            CountWorkflowsResponse.Group.newBuilder()
                .setName(group.name())
                .setCount(group.count())
                .setIsLowerBound(group.isLowerBound())
                .setExampleRunId(group.newest().toString()));
      }
    }
    return response.build();
  }

  private static RunLists.Grouping fromWire(CountGroup group) {
    return switch (group) {
      case COUNT_GROUP_STATUS -> RunLists.Grouping.STATUS;
      case COUNT_GROUP_WORKFLOW_TYPE -> RunLists.Grouping.WORKFLOW_TYPE;
      case COUNT_GROUP_TASK_QUEUE -> RunLists.Grouping.TASK_QUEUE;
      case COUNT_GROUP_VERSION -> RunLists.Grouping.VERSION;
      case COUNT_GROUP_ERROR -> RunLists.Grouping.ERROR;
      case COUNT_GROUP_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException("group_by: " + group);
    };
  }

  DeleteWorkflowResponse delete(DeleteWorkflowRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("run_id", request.getRunId())
        .remark("reason", request.getReason())
        .done();
    RunId runId = RunId.parse(request.getRunId());
    boolean deleted = lists.delete(Requests.namespace(request.getNamespace()), runId);
    if (deleted) {
      // Nothing else is left of the run that could keep the reason.
      log.info("run {} was deleted ({})", runId, request.getReason());
    }
    return DeleteWorkflowResponse.newBuilder().setDeleted(deleted).build();
  }
}
