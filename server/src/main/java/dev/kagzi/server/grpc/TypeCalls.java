package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.ListedType;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.engine.operation.WorkflowTypes;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import dev.kagzi.v1.ListWorkflowTypesResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.SetDefaultVersionRequest;
import dev.kagzi.v1.SetDefaultVersionResponse;
import dev.kagzi.v1.WorkflowTypeSummary;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Workflow types and their default versions. Thread-safe. */
final class TypeCalls {

  private static final Logger log = LoggerFactory.getLogger(TypeCalls.class);
  private static final int DEFAULT_PAGE_SIZE = 50;

  private final WorkflowTypes types;

  TypeCalls(WorkflowTypes types) {
    this.types = types;
  }

  ListWorkflowTypesResponse list(ListWorkflowTypesRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .optionalName("workflow_type", request.getWorkflowType())
        .pageToken(request.getPageToken())
        .require(
            request.getPageSize() >= 0 && request.getPageSize() <= RunLists.MAX_PAGE_SIZE,
            "page_size",
            "is %d (expected: 1 to %d, or 0 for %d)"
                .formatted(request.getPageSize(), RunLists.MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE))
        .done();
    String namespace = Requests.namespace(request.getNamespace());
    String type = request.getWorkflowType();
    WorkflowTypes.Listed listed =
        types.list(
            namespace,
            type.isEmpty() ? null : type,
            request.getPageSize() == 0 ? DEFAULT_PAGE_SIZE : request.getPageSize(),
            request.getPageToken());
    var page =
        PageInfo.newBuilder()
            .setNextPageToken(listed.nextPageToken())
            .setPrevPageToken(listed.prevPageToken())
            .setHasMore(listed.hasMore());
    if (request.getIncludeTotalCount()) {
      // Types that were started and never registered are listed, but not counted.
      page.setTotalCount(types.count(namespace)).setTotalIsLowerBound(true);
    }
    return ListWorkflowTypesResponse.newBuilder()
        .addAllWorkflowTypes(listed.types().stream().map(TypeCalls::toWire).toList())
        .setPage(page)
        .build();
  }

  SetDefaultVersionResponse setDefault(SetDefaultVersionRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .name("workflow_type", request.getWorkflowType())
        .optionalName("version", request.getVersion())
        .optionalName("expected_version", request.getExpectedVersion())
        .remark("reason", request.getReason())
        .done();
    WorkflowTypes.Changed changed =
        types.setDefaultVersion(
            Requests.namespace(request.getNamespace()),
            request.getWorkflowType(),
            request.getVersion(),
            request.hasExpectedVersion() ? request.getExpectedVersion() : null);
    log.info(
        "the default version of '{}' is '{}' ({})",
        request.getWorkflowType(),
        request.getVersion(),
        request.getReason());
    return SetDefaultVersionResponse.newBuilder()
        .setWorkflowType(toWire(changed.type()))
        .setPreviousVersion(changed.previousVersion())
        .build();
  }

  private static WorkflowTypeSummary toWire(ListedType type) {
    ListedType.Recent recent = type.recent();
    var wire =
        WorkflowTypeSummary.newBuilder()
            .setWorkflowType(type.workflowType())
            .setDefaultVersion(type.defaultVersion())
            .setHomeTaskQueue(type.homeQueue())
            .addAllVersions(type.versions().stream().map(TypeCalls::toWire).toList())
            .setStarted(recent.started())
            .setCompleted(recent.completed())
            .setFailed(recent.failed());
    Duration p95 = recent.p95();
    if (p95 != null) {
      wire.setP95Duration(TimeMapper.toWire(p95));
    }
    Instant lastFailureAt = recent.lastFailureAt();
    if (lastFailureAt != null) {
      wire.setLastFailureAt(TimeMapper.toWire(lastFailureAt));
    }
    return wire.build();
  }

  private static WorkflowTypeSummary.Version toWire(ListedType.Version version) {
    var wire =
        WorkflowTypeSummary.Version.newBuilder()
            .setVersion(version.version())
            .setWorkersOnline(version.workersOnline())
            .setLiveRuns(version.liveRuns());
    Instant first = version.firstRegisteredAt();
    Instant last = version.lastRegisteredAt();
    if (first != null && last != null) {
      wire.setFirstRegisteredAt(TimeMapper.toWire(first))
          .setLastRegisteredAt(TimeMapper.toWire(last));
    }
    return wire.build();
  }
}
