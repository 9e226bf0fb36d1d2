package dev.kagzi.sdk.internal;

import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.v1.AddChildItemsResponse;
import dev.kagzi.v1.ChildItem;
import dev.kagzi.v1.ChildItems;
import dev.kagzi.v1.ChildResult;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.ListChildResultsResponse;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.StartChildResponse;
import dev.kagzi.v1.StepKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One child per item, as one step of the parent: items and results travel in pages and lie in the
 * database, so that the parent's history does not grow with them. Belongs to the workflow's thread.
 */
final class ChildMaps {

  private static final int PAGE_ITEMS = 1000;
  private static final int PAGE_BYTES = 1024 * 1024;

  private final RunPass pass;
  private final NewsWaits waits;
  private final Children children;

  ChildMaps(RunPass pass, NewsWaits waits, Children children) {
    this.pass = pass;
    this.waits = waits;
    this.children = children;
  }

  <I extends @Nullable Object, O extends @Nullable Object> List<Outcome<O>> map(
      String name, List<? extends I> items, WorkflowType<I, O> type, int maxConcurrency) {
    StepCall step = pass.ask(StepKind.STEP_KIND_CHILD_WORKFLOW, StepKey.of(name));
    if (!step.isSettled()) {
      HistoryItem before = add(step, items, type, maxConcurrency);
      if (before == null) {
        var unused = waits.await(step, children.wait(step, ""));
      }
    }
    return results(step, type);
  }

  /** Adds the items that are not there yet; returns the step if it was over before. */
  private <I extends @Nullable Object> @Nullable HistoryItem add(
      StepCall step, List<? extends I> items, WorkflowType<I, ?> type, int maxConcurrency) {
    StartChildResponse started =
        pass.call(
            WorkerRpc.START_CHILD,
            pass.claim()
                .requests()
                .startChild()
                .setStep(step.attempt(NewsWaits.attempt(step), pass.claim().clock().now()))
                .setChild(RunTemplate.newBuilder().setWorkflowType(type.name()))
                .setItems(page(items, 0, type).setMaxConcurrent(maxConcurrency))
                .build(),
            step);
    pass.requireGoingOn();
    if (started.hasRecorded()) {
      return started.getRecorded();
    }
    int present = started.getItemCount();
    while (present < items.size()) {
      AddChildItemsResponse added =
          pass.call(
              WorkerRpc.ADD_CHILD_ITEMS,
              pass.claim()
                  .requests()
                  .addChildItems()
                  .setStepKey(step.key().value())
                  .setItems(page(items, present, type))
                  .build(),
              step);
      pass.requireGoingOn();
      present = added.getItemCount();
    }
    return null;
  }

  private <I extends @Nullable Object> ChildItems.Builder page(
      List<? extends I> items, int first, WorkflowType<I, ?> type) {
    var page = ChildItems.newBuilder().setFirstIndex(first);
    int bytes = 0;
    int next = first;
    while (next < items.size() && next - first < PAGE_ITEMS && bytes < PAGE_BYTES) {
      var input =
          WirePayloads.checked(
              "item %d".formatted(next),
              children.codec().encode(items.get(next), type.input().type()));
      page.addItems(ChildItem.newBuilder().setInput(WirePayloads.toWire(input)));
      bytes += input.size();
      next++;
    }
    return page.setLast(next == items.size());
  }

  @SuppressWarnings({"unchecked", "NullAway"})
  private <O extends @Nullable Object> List<Outcome<O>> results(
      StepCall step, WorkflowType<?, O> type) {
    List<Outcome<O>> outcomes = new ArrayList<>();
    String token = "";
    do {
      ListChildResultsResponse page =
          pass.call(
              WorkerRpc.LIST_CHILD_RESULTS,
              pass.claim()
                  .requests()
                  .listChildResults()
                  .setStepKey(step.key().value())
                  .setPageToken(token)
                  .build(),
              step);
      for (ChildResult result : page.getResultsList()) {
        outcomes.add((Outcome<O>) outcome(step.key().value(), result, type));
      }
      token = page.getPage().getNextPageToken();
    } while (!token.isEmpty());
    return outcomes;
  }

  @SuppressWarnings("NullAway")
  private Outcome<?> outcome(String step, ChildResult result, WorkflowType<?, ?> type) {
    String key = "%s[%d]".formatted(step, result.getIndex());
    if (result.hasError()) {
      return new Outcome.Failed<>(Children.failure(key, result.getChildRunId(), result.getError()));
    }
    return new Outcome.Succeeded<>(
        children.value(
            key,
            result.hasOutput() ? WirePayloads.fromWire(result.getOutput()) : null,
            type.output().type()));
  }
}
