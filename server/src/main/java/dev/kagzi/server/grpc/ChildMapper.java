package dev.kagzi.server.grpc;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.ChildItems;
import dev.kagzi.engine.domain.ChildResult;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.StepAttempt;
import java.util.List;

/** Children between the wire and the engine. */
final class ChildMapper {

  /** Items in one request. */
  private static final int MAX_ITEMS = 10_000;

  private ChildMapper() {}

  static void check(StartChildRequest wire, Validation check) {
    checkTemplate("child", wire.getChild(), check);
    check
        .optionalName("external_id", wire.getExternalId())
        .optionalName("traceparent", wire.getTraceparent())
        .optionalKnown("parent_close_policy", wire.getParentClosePolicy());
    if (wire.hasItems()) {
      checkItems("items", wire.getItems(), check);
      check
          .atLeast(0, "items.max_concurrent", wire.getItems().getMaxConcurrent())
          .require(
              wire.getExternalId().isEmpty(),
              "external_id",
              "is set besides items (expected: one or the other)");
    }
  }

  private static void checkTemplate(String at, RunTemplate wire, Validation check) {
    check
        .name(at + ".workflow_type", wire.getWorkflowType())
        .optionalName(at + ".task_queue", wire.getTaskQueue())
        .optionalName(at + ".version", wire.getVersion())
        .payload(at + ".input", wire.getInput())
        .labels(at + ".labels", wire.getLabelsMap())
        .optionalName(at + ".on_failure_workflow", wire.getOnFailureWorkflow())
        .optionalName(at + ".on_failure_task_queue", wire.getOnFailureTaskQueue())
        .retryPolicy(at + ".retry_policy", wire.getRetryPolicy());
    StartMapper.checkTimeouts(check, wire.getTimeouts());
  }

  static void checkItems(String at, dev.kagzi.v1.ChildItems wire, Validation check) {
    check
        .atLeast(0, at + ".first_index", wire.getFirstIndex())
        .require(
            wire.getItemsCount() <= MAX_ITEMS,
            at + ".items",
            "has %d entries (expected: at most %d)".formatted(wire.getItemsCount(), MAX_ITEMS));
    for (int i = 0; i < Math.min(wire.getItemsCount(), MAX_ITEMS); i++) {
      check.payload("%s.items[%d].input".formatted(at, i), wire.getItems(i).getInput());
    }
  }

  static StartRequest.Builder template(String namespace, StartChildRequest wire) {
    RunTemplate child = wire.getChild();
    return StartRequest.of(namespace, child.getWorkflowType())
        .taskQueue(StartMapper.orNull(child.getTaskQueue()))
        .version(StartMapper.orNull(child.getVersion()))
        .policies(
            StartMapper.policies(
                child.getTimeouts(),
                child.hasRetryPolicy() ? RetryPolicyMapper.partial(child.getRetryPolicy()) : null,
                child.getOnFailureWorkflow(),
                child.getOnFailureTaskQueue()))
        .labels(child.getLabelsMap())
        .traceparent(StartMapper.orNull(wire.getTraceparent()));
  }

  static ChildStep step(StepAttempt wire) {
    return new ChildStep(
        wire.getStepKey(),
        wire.getAttempt(),
        wire.getSeq(),
        wire.hasStartedAt() ? TimeMapper.toInstant(wire.getStartedAt()) : null,
        StepMapper.traits(wire));
  }

  static ParentClosePolicy closePolicy(dev.kagzi.v1.ParentClosePolicy wire) {
    return switch (wire) {
      case PARENT_CLOSE_POLICY_ABANDON -> ParentClosePolicy.ABANDON;
      case PARENT_CLOSE_POLICY_CANCEL, PARENT_CLOSE_POLICY_UNSPECIFIED, UNRECOGNIZED ->
          ParentClosePolicy.CANCEL;
    };
  }

  static ChildItems items(dev.kagzi.v1.ChildItems wire) {
    List<Payload> inputs =
        wire.getItemsList().stream().map(item -> PayloadMapper.fromWire(item.getInput())).toList();
    return new ChildItems(wire.getFirstIndex(), inputs, wire.getLast());
  }

  static dev.kagzi.v1.ChildResult toWire(ChildResult result) {
    var wire =
        dev.kagzi.v1.ChildResult.newBuilder()
            .setIndex(result.index())
            .setStatus(RunMapper.toWire(result.status()));
    RunId child = result.child();
    if (child != null) {
      wire.setChildRunId(child.toString());
    }
    Payload output = result.output();
    if (output != null) {
      wire.setOutput(PayloadMapper.toWire(output));
    }
    Failure error = result.error();
    return error == null ? wire.build() : wire.setError(FailureMapper.toWire(error)).build();
  }
}
