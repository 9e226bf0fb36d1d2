package dev.kagzi.server.grpc;

import dev.kagzi.core.Payload;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.ListedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.engine.operation.StepLists;
import dev.kagzi.v1.GetStepRequest;
import dev.kagzi.v1.GetStepResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListStepsResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.Step;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;

/** What people ask about the steps of a run. Thread-safe. */
final class StepListCalls {

  private static final int DEFAULT_PAGE_SIZE = 50;
  private static final String STATUS_PREFIX = "STEP_STATUS_";

  private final StepLists lists;

  StepListCalls(StepLists lists) {
    this.lists = lists;
  }

  ListStepsResponse list(ListStepsRequest request) {
    Validation check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .id("run_id", request.getRunId())
            .pageToken(request.getPageToken())
            .require(
                request.getPageSize() >= 0 && request.getPageSize() <= RunLists.MAX_PAGE_SIZE,
                "page_size",
                "is %d (expected: 1 to %d, or 0 for %d)"
                    .formatted(request.getPageSize(), RunLists.MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE));
    request.getStatusesList().forEach(status -> check.known("statuses", status));
    check.done();
    StepLists.Wish wish = wish(request);
    int size = request.getPageSize() == 0 ? DEFAULT_PAGE_SIZE : request.getPageSize();
    StepLists.Listed listed = lists.list(wish, size, request.getPageToken());
    var page =
        PageInfo.newBuilder()
            .setNextPageToken(listed.nextPageToken())
            .setPrevPageToken(listed.prevPageToken())
            .setHasMore(listed.hasMore());
    if (request.getIncludeTotalCount()) {
      RunLists.Count count = lists.count(wish);
      page.setTotalCount(count.count()).setTotalIsLowerBound(count.isLowerBound());
    }
    var response = ListStepsResponse.newBuilder().setPage(page);
    listed.steps().forEach(step -> response.addSteps(toWire(step, wish.namespace(), wish.runId())));
    return response.build();
  }

  GetStepResponse get(GetStepRequest request) {
    new Validation()
        .optionalName("namespace", request.getNamespace())
        .id("run_id", request.getRunId())
        .stepKey("step_key", request.getStepKey())
        .atLeast(0, "attempt", request.getAttempt())
        .done();
    String namespace = Requests.namespace(request.getNamespace());
    RunId runId = RunId.parse(request.getRunId());
    List<Step> attempts =
        lists.attempts(namespace, runId, request.getStepKey()).stream()
            .map(attempt -> toWire(attempt, namespace, runId))
            .toList();
    Step asked =
        attempts.stream()
            .filter(step -> request.getAttempt() == 0 || request.getAttempt() == step.getAttempt())
            .findFirst()
            .orElseThrow(() ->
                new EngineException(
                    ErrorCode.STEP_NOT_FOUND,
                    "step '%s' of run %s has no attempt %d (expected: 1 to %d)"
                        .formatted(
                            request.getStepKey(),
                            runId,
                            request.getAttempt(),
                            attempts.get(0).getAttempt())));
    return fitting(asked, attempts);
  }

  /** The step that was asked for is among the attempts: large payloads are sent once only. */
  private static GetStepResponse fitting(Step asked, List<Step> attempts) {
    var response = GetStepResponse.newBuilder().setStep(asked).addAllAttempts(attempts).build();
    if (response.getSerializedSize() <= RunMapper.MAX_PAYLOAD_BYTES) {
      return response;
    }
    var bare = GetStepResponse.newBuilder().setStep(asked);
    attempts.forEach(attempt -> bare.addAttempts(attempt.toBuilder().clearInput().clearOutput()));
    return bare.build();
  }

  private static StepLists.Wish wish(ListStepsRequest request) {
    var statuses = new TreeSet<String>();
    request
        .getStatusesList()
        .forEach(status -> statuses.add(status.name().substring(STATUS_PREFIX.length())));
    return new StepLists.Wish(
        Requests.namespace(request.getNamespace()),
        RunId.parse(request.getRunId()),
        request.getAllAttempts(),
        request.getIncludePayloads(),
        statuses);
  }

  private static Step toWire(ListedStep listed, String namespace, RunId runId) {
    HistoryItem item = StepMapper.toWire(listed.step());
    var step =
        Step.newBuilder()
            .setRunId(runId.toString())
            .setNamespace(namespace)
            .setStepKey(item.getStepKey())
            .setKind(item.getKind())
            .setStatus(item.getStatus())
            .setAttempt(item.getAttempt())
            .setSettled(item.getSettled())
            .setSeq(item.getSeq())
            .setFailures(item.getFailures())
            .setLeaseEpoch(listed.step().epoch())
            .setQuiet(listed.step().traits().quiet())
            .setCompensation(listed.step().traits().compensation())
            .setInputHash(listed.inputHash())
            .setChildRunId(item.getChildRunId())
            .setEventName(item.getEventName())
            .setParallelGroupId(item.getParallelGroupId())
            .setParentStepId(item.getParentStepId())
            .setTimedOut(item.getTimedOut());
    putTimes(step, item, listed);
    Payload input = listed.step().traits().input();
    int outputBytes = PayloadMapper.size(item.getOutput());
    if (input != null && input.size() + outputBytes <= RunMapper.MAX_PAYLOAD_BYTES) {
      step.setInput(PayloadMapper.toWire(input));
    }
    RetryPolicy policy = listed.policy();
    if (policy != null) {
      step.setRetryPolicy(RetryPolicyMapper.toWire(policy));
    }
    if (item.hasOutput()) {
      step.setOutput(item.getOutput());
    }
    if (item.hasError()) {
      step.setError(item.getError());
    }
    WorkerId worker = listed.worker();
    return worker == null ? step.build() : step.setWorkerId(worker.toString()).build();
  }

  private static void putTimes(Step.Builder step, HistoryItem item, ListedStep listed) {
    Instant startedAt = listed.startedAt();
    if (startedAt != null) {
      step.setStartedAt(TimeMapper.toWire(startedAt));
    }
    if (item.hasFinishedAt()) {
      step.setFinishedAt(item.getFinishedAt());
    }
    if (item.hasWakeAt()) {
      step.setWakeAt(item.getWakeAt());
    }
    if (item.hasRetryAt()) {
      step.setRetryAt(item.getRetryAt());
    }
    if (item.hasTimeoutAt()) {
      step.setTimeoutAt(item.getTimeoutAt());
    }
    Instant supersededAt = listed.supersededAt();
    if (supersededAt != null) {
      step.setSupersededAt(TimeMapper.toWire(supersededAt));
    }
  }
}
