package dev.kagzi.engine.model;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.Engine;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.Divergence;
import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.Parent;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.operation.OneLook;
import dev.kagzi.engine.operation.Poll;
import dev.kagzi.engine.store.LeaseStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.WorkerStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What workers do, asked of the engine itself. */
final class RealWorkers {

  private static final Failure FAILURE =
      new Failure(ErrorKind.UNKNOWN, "shop.Closed", List.of(), "closed", "", null);

  private final Engine engine;
  private final Labels labels;
  private final InstantSource time;
  private final UnaryOperator<String> namespaces;

  RealWorkers(Engine engine, Labels labels, InstantSource time, UnaryOperator<String> namespaces) {
    this.engine = engine;
    this.labels = labels;
    this.time = time;
    this.namespaces = namespaces;
  }

  String register(Op.Register op, int life) {
    WorkerId id =
        engine
            .workers()
            .register(
                new WorkerRegistration(
                    new QueueKey(namespaces.apply(op.namespace()), op.queue()),
                    types(op.types()),
                    10,
                    new WorkerRegistration.Location("host", 1, op.worker(), null),
                    WorkerRegistration.Software.UNKNOWN,
                    Map.of()));
    String label = op.worker() + "#" + life;
    labels.put(id.value(), label);
    return "registered " + label;
  }

  private static List<TypeVersion> types(List<String> texts) {
    return texts.stream()
        .map(text -> text.split(":", 2))
        .map(parts -> new TypeVersion(parts[0], parts.length == 1 ? "" : parts[1]))
        .toList();
  }

  List<Task> poll(World.Worker worker, int max) {
    return OneLook.at(
        engine.tasks(),
        Poll.Request.of(
            labels.worker(worker.label),
            new QueueKey(namespaces.apply(worker.namespace), worker.queue),
            types(worker.types),
            max));
  }

  String text(Task task) {
    Task.Claim claim = task.claim();
    return "%s epoch %d until %s stop %s failures %d %s"
        .formatted(
            labels.of(claim.runId().value()),
            claim.epoch(),
            claim.leaseUntil(),
            claim.stop() == null ? null : claim.stop().kind(),
            claim.failures(),
            task.history().stream().map(RealWorkers::text).toList());
  }

  private static String text(RecordedStep step) {
    return "%s %s %d failures %d%s%s"
        .formatted(
            step.stepKey(),
            step.status() == null ? "-" : step.status().name(),
            step.attempt(),
            step.failures(),
            step.begun() ? " begun" : "",
            step.waiting().open() ? " waits" : "");
  }

  String beat(World.Worker worker, Map<String, Integer> epochs) {
    WorkerId id = labels.worker(worker.label);
    List<LeaseStore.Held> held = new ArrayList<>();
    epochs.forEach((run, epoch) -> held.add(new LeaseStore.Held(id, labels.run(run), epoch)));
    HeartbeatBatch.Reply reply =
        engine
            .workers()
            .heartbeat(
                new HeartbeatBatch.Heartbeat(
                    new WorkerStore.Beat(namespaces.apply(worker.namespace), id, 0, 0, 0, 0),
                    held));
    Map<String, String> told = new TreeMap<>();
    reply
        .stops()
        .forEach((run, stop) -> told.put(labels.of(run.runId().value()), "stop " + stop.kind()));
    for (LeaseStore.Held lost : reply.lost()) {
      var end = reply.ended().get(lost.runId());
      told.put(labels.of(lost.runId().value()), end == null ? "lost" : "lost, " + end);
    }
    return "beat, drain %s, %s".formatted(reply.shouldDrain(), told);
  }

  String drain(World.Worker worker) {
    engine.workers().drain(namespaces.apply(worker.namespace), labels.worker(worker.label));
    return "drained";
  }

  String deregister(World.Worker worker) {
    return "left "
        + engine
            .workers()
            .deregister(namespaces.apply(worker.namespace), labels.worker(worker.label));
  }

  String die(World.Worker worker) {
    return "dead "
        + engine
            .recovery()
            .declareDead(labels.worker(worker.label), time.instant(), 0, "its stream ended");
  }

  /** What a worker does with a run under the epoch that it believes in. */
  String onRun(Op.OnRun op, World.Worker worker, int epoch) {
    Fence fence = new Fence(namespaces.apply(worker.namespace), labels.run(op.run()), epoch);
    WorkerId id = labels.worker(worker.label);
    return switch (op) {
      case Op.Begin begin -> begin(begin, fence, id);
      case Op.Complete complete -> complete(complete, fence, id);
      case Op.Fail fail -> fail(fail, fence, id);
      case Op.Suspend suspend -> suspend(suspend, fence);
      case Op.StartChild start -> startChild(start, fence, id);
      case Op.Release release -> "released " + engine.tasks().release(fence);
      case Op.Park park ->
          "released " + engine.tasks().park(fence, new Divergence("a", "b", "other code"));
      case Op.Finish finish -> finish(finish, fence);
      default -> throw new IllegalStateException(op.toString());
    };
  }

  private static String heard(Heard<?> heard, String answer) {
    return heard.stop() == null ? answer : answer + " stop " + heard.stop().kind();
  }

  private static String status(@Nullable RecordedStep step) {
    return step == null || step.status() == null ? "-" : step.status().name();
  }

  private static String settled(@Nullable RecordedStep step) {
    return step == null ? "no" : step.status() + " " + step.attempt();
  }

  private String begin(Op.Begin op, Fence fence, WorkerId id) {
    var heard =
        engine
            .tasks()
            .beginStep(
                new StepStore.Beginning(
                    fence,
                    id,
                    op.step(),
                    op.attempt(),
                    Steps.seq(op.step()),
                    StepKind.FUNCTION,
                    op.atMostOnce(),
                    op.timeout(),
                    Steps.policy(op.attempts()),
                    Steps.traits(op.step())));
    return heard(
        heard,
        "begun, settled: %s, until %s"
            .formatted(settled(heard.outcome().recorded()), heard.outcome().timeoutAt()));
  }

  private String complete(Op.Complete op, Fence fence, WorkerId id) {
    var heard =
        engine
            .tasks()
            .completeStep(
                fence,
                id,
                new StepResult(
                    op.step(),
                    op.attempt(),
                    Steps.seq(op.step()),
                    StepKind.FUNCTION,
                    RealClients.payload(op.worker()),
                    null,
                    Steps.traits(op.step()),
                    Steps.saga(op.step())));
    return heard(
        heard,
        switch (heard.outcome()) {
          case StepOutcome.Recorded recorded -> "recorded";
          case StepOutcome.AlreadySettled before -> "settled before: " + settled(before.recorded());
        });
  }

  private String fail(Op.Fail op, Fence fence, WorkerId id) {
    var heard =
        engine
            .tasks()
            .failStep(
                fence,
                id,
                new StepFailure(
                    op.step(),
                    op.attempt(),
                    Steps.seq(op.step()),
                    StepKind.FUNCTION,
                    null,
                    FAILURE,
                    Steps.policy(op.attempts()),
                    op.fatal(),
                    null,
                    Steps.traits(op.step())));
    return heard(
        heard,
        switch (heard.outcome()) {
          case FailOutcome.Retry retry ->
              "retry at %s in %s as %d".formatted(retry.at(), retry.delay(), retry.nextAttempt());
          case FailOutcome.Settled settled -> "failed for good";
          case FailOutcome.AlreadySettled before -> "settled before: " + settled(before.recorded());
        });
  }

  private String suspend(Op.Suspend op, Fence fence) {
    Heard<SuspendOutcome> heard =
        engine
            .tasks()
            .suspend(
                fence,
                op.waits().stream().map(this::request).toList(),
                op.release(),
                op.wakeWhen());
    List<String> states = new ArrayList<>();
    for (SuspendOutcome.WaitState state : heard.outcome().waits()) {
      states.add(state.stepKey() + " until " + state.wakeAt() + " " + status(state.ended()));
    }
    return heard(
        heard, (heard.outcome().released() ? "released " : "kept ") + String.join(", ", states));
  }

  private WaitRequest request(Op.Wait wait) {
    int seq = Steps.seq(wait.step());
    Duration limit = wait.limit();
    Instant end = limit == null ? null : time.instant().plus(limit);
    String event = wait.kind() == WaitKind.EVENT ? Steps.EVENT : null;
    return new WaitRequest(
        wait.step(), seq, wait.kind(), end, event, null, Steps.traits(wait.step()));
  }

  private String startChild(Op.StartChild op, Fence fence, WorkerId id) {
    StartRequest request =
        StartRequest.of(fence.namespace(), op.type())
            .externalId(op.externalId())
            .parent(new Parent(fence.runId(), op.step(), op.close()))
            .build();
    ChildStep step =
        new ChildStep(op.step(), op.attempt(), Steps.seq(op.step()), null, Steps.traits(op.step()));
    var heard = engine.children().start(fence, id, step, request);
    return heard(
        heard,
        switch (heard.outcome()) {
          case ChildOutcome.Started started -> {
            if (!started.before()) {
              labels.put(started.child().value(), op.tag());
            }
            String child = labels.of(started.child().value());
            yield started.before() ? "child " + child + " before" : "child " + child;
          }
          case ChildOutcome.Settled settled -> "settled before: " + settled(settled.step());
          case ChildOutcome.Listed listed -> "listed";
        });
  }

  private String finish(Op.Finish op, Fence fence) {
    RunEnding ending =
        switch (op.how()) {
          case COMPLETED -> new RunEnding.Completed(RealClients.payload("done"));
          case FAILED -> new RunEnding.Failed(FAILURE, op.failedStep());
          case FAILED_FOR_GOOD -> new RunEnding.Failed(FAILURE, op.failedStep(), true, null);
          case CONTINUED -> new RunEnding.Continued(RealClients.payload("next"), null, null);
          case STOPPED -> new RunEnding.Stopped(StopKind.CANCEL, FAILURE);
          case OUT_OF_TIME -> new RunEnding.Stopped(StopKind.TIMEOUT, FAILURE);
        };
    return switch (engine.tasks().finish(fence, ending)) {
      case FinishOutcome.Ended ended -> "ended " + ended.status();
      case FinishOutcome.Continued continued ->
          "continued as " + labels.of(continued.successor().value());
      case FinishOutcome.Retry retry -> "retry at " + retry.at();
    };
  }
}
