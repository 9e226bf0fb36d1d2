package dev.kagzi.engine.interleaving;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.QUEUE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.request;
import static dev.kagzi.engine.interleaving.Director.COMPLETED;
import static dev.kagzi.engine.interleaving.Director.FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.ChildOutcome;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.Parent;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WakeWhen;
import dev.kagzi.engine.interleaving.Race.Play;
import dev.kagzi.engine.operation.Messages;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Races between news and who goes to wait for it: no run sleeps over what has come. */
final class NewsRaces {

  private NewsRaces() {}

  static Stream<Race> all() {
    return Stream.of(
        new Race("event / wait", NewsRaces::eventAndWait),
        new Race("event / event", NewsRaces::eventTwice),
        new Race("child end / parent wait", NewsRaces::childAndParent),
        new Race("child end / child end", NewsRaces::twoChildren),
        new Race("child end / parent cancel", NewsRaces::childAndCancel));
  }

  private static Messages.Sent send(Bench bench, RunId runId, String key) {
    return bench.messages.send(NAMESPACE, runId, new EventMessage("paid", payload("7"), key));
  }

  private static SuspendOutcome suspend(
      Bench bench, Fence fence, WakeWhen wakeWhen, WaitRequest... waits) {
    return bench.tasks.suspend(fence, List.of(waits), true, wakeWhen).outcome();
  }

  /** Whoever waited has either been told at once or can be claimed now, with the news settled. */
  private static void assertHeard(Director director, Fence fence, Answer waited, String stepKey) {
    SuspendOutcome outcome = waited.as(SuspendOutcome.class);
    if (outcome.released()) {
      Task again = woken(director, fence);
      assertThat(again.history())
          .anyMatch(step -> step.stepKey().equals(stepKey) && step.settled());
    } else {
      assertThat(Objects.requireNonNull(outcome.waits().get(0).ended()).stepKey())
          .isEqualTo(stepKey);
      assertThat(director.status(fence.runId())).isEqualTo("RUNNING");
    }
    assertThat(director.count("run_waits WHERE run_id = '%s'".formatted(fence.runId()))).isZero();
  }

  /** The run, which must be there for the next worker. */
  private static Task woken(Director director, Fence fence) {
    List<Task> due = director.bench.claims.claim(QUEUE, TYPE, director.worker);
    assertThat(due).as("runs that were woken").hasSize(1);
    assertThat(due.get(0).claim().runId()).isEqualTo(fence.runId());
    return due.get(0);
  }

  private static Play eventAndWait(Director director, Actor first, Actor second) {
    Fence fence = fence(director.held());
    WaitRequest wait = WaitRequest.event("payment", 1, "paid", null);
    return new Play(
        () -> send(first.bench(), fence.runId(), "one"),
        () -> suspend(second.bench(), fence, WakeWhen.ANY, wait),
        (sent, waited) -> {
          assertThat(sent.as(Messages.Sent.class).outcome()).isEqualTo(EventOutcome.DELIVERED);
          assertHeard(director, fence, waited, "payment");
        });
  }

  private static Play eventTwice(Director director, Actor first, Actor second) {
    RunId runId = director.start();
    return new Play(
        () -> send(first.bench(), runId, "same"),
        () -> send(second.bench(), runId, "same"),
        (one, other) -> {
          assertThat(
                  List.of(
                      one.as(Messages.Sent.class).outcome(),
                      other.as(Messages.Sent.class).outcome()))
              .containsExactlyInAnyOrder(EventOutcome.DELIVERED, EventOutcome.ALREADY_DELIVERED);
          assertThat(director.count("run_events WHERE run_id = '%s'".formatted(runId))).isOne();
        });
  }

  private static Fence child(Director director, Fence parent, String stepKey, int seq) {
    Heard<ChildOutcome> started =
        director.bench.children.start(
            parent,
            director.worker,
            new ChildStep(stepKey, 1, seq, null, StepTraits.NONE),
            request()
                .parent(new Parent(parent.runId(), stepKey, ParentClosePolicy.CANCEL))
                .build());
    assertThat(started.outcome()).isInstanceOf(ChildOutcome.Started.class);
    return fence(director.bench.claims.claim(QUEUE, TYPE, director.worker).get(0));
  }

  private static WaitRequest waitFor(String stepKey, int seq) {
    return new WaitRequest(stepKey, seq, WaitKind.CHILD, null, null, null, StepTraits.NONE);
  }

  private static Play childAndParent(Director director, Actor first, Actor second) {
    Fence parent = fence(director.held());
    Fence child = child(director, parent, "ship", 1);
    return new Play(
        () -> first.bench().tasks.finish(child, COMPLETED),
        () -> suspend(second.bench(), parent, WakeWhen.ANY, waitFor("ship", 1)),
        (ended, waited) -> {
          assertThat(ended.is(FinishOutcome.Ended.class)).isTrue();
          assertHeard(director, parent, waited, "ship");
        });
  }

  /** The parent sleeps until both have ended: the later one must know that it is the last. */
  private static Play twoChildren(Director director, Actor first, Actor second) {
    Fence parent = fence(director.held());
    Fence one = child(director, parent, "ship", 1);
    Fence other = child(director, parent, "bill", 2);
    SuspendOutcome asleep =
        suspend(director.bench, parent, WakeWhen.ALL, waitFor("ship", 1), waitFor("bill", 2));
    assertThat(asleep.released()).isTrue();
    return new Play(
        () -> first.bench().tasks.finish(one, COMPLETED),
        () -> second.bench().tasks.finish(other, FAILED),
        (here, there) -> {
          assertThat(here.is(FinishOutcome.Ended.class)).isTrue();
          assertThat(there.is(FinishOutcome.Ended.class)).isTrue();
          Task again = woken(director, parent);
          assertThat(again.history()).filteredOn(step -> step.settled()).hasSize(2);
        });
  }

  private static Play childAndCancel(Director director, Actor first, Actor second) {
    Fence parent = fence(director.held());
    Fence child = child(director, parent, "ship", 1);
    assertThat(suspend(director.bench, parent, WakeWhen.ANY, waitFor("ship", 1)).released())
        .isTrue();
    return new Play(
        () -> first.bench().tasks.finish(child, COMPLETED),
        () -> second.bench().workflows.cancel(NAMESPACE, parent.runId(), "nobody wants it"),
        (ended, cancelled) -> {
          assertThat(ended.is(FinishOutcome.Ended.class)).isTrue();
          assertThat(cancelled.isProper() && cancelled.failure() == null).isTrue();
          assertThat(director.status(child.runId())).isEqualTo("COMPLETED");
          assertThat(director.status(parent.runId())).isEqualTo("CANCELLED");
          assertThat(
                  director.count(
                      "step_runs WHERE settled AND step_key = 'ship' AND run_id = '%s'"
                          .formatted(parent.runId())))
              .isOne();
        });
  }
}
