package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.Parent;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.operation.Children;
import dev.kagzi.v1.AddChildItemsRequest;
import dev.kagzi.v1.AddChildItemsResponse;
import dev.kagzi.v1.ListChildResultsRequest;
import dev.kagzi.v1.ListChildResultsResponse;
import dev.kagzi.v1.PageInfo;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.StartChildResponse;
import dev.kagzi.v1.StepKind;

/** What a worker asks about the children of a run. Blocks until the commit. Thread-safe. */
final class ChildCalls {

  private final Children children;

  ChildCalls(Children children) {
    this.children = children;
  }

  StartChildResponse start(StartChildRequest request) {
    var held = Requests.Held.of(request);
    var check = held.check().step("step", request.getStep(), StepKind.STEP_KIND_CHILD_WORKFLOW);
    ChildMapper.check(request, check);
    check.done();
    Heard<ChildOutcome> heard =
        request.hasItems() ? startMap(held, request) : startOne(held, request);
    var response = StartChildResponse.newBuilder();
    StepCalls.ifStopped(heard, response::setStopRequested);
    return switch (heard.outcome()) {
      case ChildOutcome.Started started ->
          response
              .setChildRunId(started.child().toString())
              .setAlreadyStarted(started.before())
              .build();
      case ChildOutcome.Listed listed ->
          response.setItemCount(listed.itemCount()).setAlreadyStarted(listed.before()).build();
      case ChildOutcome.Settled settled ->
          response.setRecorded(StepMapper.toWire(settled.step())).build();
    };
  }

  private Heard<ChildOutcome> startOne(Requests.Held held, StartChildRequest request) {
    ParentClosePolicy policy = ChildMapper.closePolicy(request.getParentClosePolicy());
    StartRequest child =
        ChildMapper.template(held.fence().namespace(), request)
            .input(PayloadMapper.fromWire(request.getChild().getInput()))
            .externalId(StartMapper.orNull(request.getExternalId()))
            .parent(new Parent(held.fence().runId(), request.getStep().getStepKey(), policy))
            .build();
    return children.start(held.fence(), held.worker(), ChildMapper.step(request.getStep()), child);
  }

  private Heard<ChildOutcome> startMap(Requests.Held held, StartChildRequest request) {
    StartRequest template = ChildMapper.template(held.fence().namespace(), request).build();
    ParentClosePolicy policy = ChildMapper.closePolicy(request.getParentClosePolicy());
    return children.startMap(
        held.fence(),
        request.getStep().getStepKey(),
        new ChildMap(template, policy, request.getItems().getMaxConcurrent()),
        ChildMapper.items(request.getItems()));
  }

  AddChildItemsResponse add(AddChildItemsRequest request) {
    var held = Requests.Held.of(request);
    var check = held.check().stepKey("step_key", request.getStepKey());
    ChildMapper.checkItems("items", request.getItems(), check);
    check.done();
    Heard<ChildOutcome> heard =
        children.addItems(
            held.fence(), request.getStepKey(), ChildMapper.items(request.getItems()));
    var response = AddChildItemsResponse.newBuilder();
    StepCalls.ifStopped(heard, response::setStopRequested);
    return switch (heard.outcome()) {
      case ChildOutcome.Listed listed -> response.setItemCount(listed.itemCount()).build();
      case ChildOutcome.Started started -> throw new IllegalStateException("items became a child");
      case ChildOutcome.Settled settled ->
          response
              .setItemCount(request.getItems().getFirstIndex() + request.getItems().getItemsCount())
              .build();
    };
  }

  ListChildResultsResponse results(ListChildResultsRequest request) {
    var held = Requests.Held.of(request);
    int size = request.getPageSize();
    held.check()
        .stepKey("step_key", request.getStepKey())
        .require(
            size >= 0 && size <= Children.MAX_PAGE_SIZE,
            "page_size",
            "is %d (expected: 1 to %d, or 0)".formatted(size, Children.MAX_PAGE_SIZE))
        .pageToken(request.getPageToken())
        .require(
            request.getPageToken().isEmpty() || request.getPageToken().matches("[0-9]{1,6}"),
            "page_token",
            "is not one of this list (expected: the token of the page before)")
        .done();
    Children.Results page =
        children.results(
            held.fence(),
            request.getStepKey(),
            request.getPageToken().isEmpty() ? -1 : Integer.parseInt(request.getPageToken()),
            size == 0 ? Children.MAX_PAGE_SIZE : size);
    var info = PageInfo.newBuilder();
    page.next().ifPresent(next -> info.setHasMore(true).setNextPageToken(Integer.toString(next)));
    return ListChildResultsResponse.newBuilder()
        .addAllResults(page.results().stream().map(ChildMapper::toWire).toList())
        .setPage(info)
        .build();
  }
}
