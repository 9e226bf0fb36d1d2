package dev.kagzi.engine.interleaving;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.QUEUE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.result;
import static dev.kagzi.engine.interleaving.Director.COMPLETED;
import static dev.kagzi.engine.interleaving.Director.MUCH_LATER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.SleepOutcome;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.interleaving.Race.Play;
import dev.kagzi.engine.store.LeaseStore.Held;
import dev.kagzi.engine.store.StepStore.Beginning;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Races for the right to work on a run: one has it, and whoever lost it hears of it. */
final class LeaseRaces {

  private LeaseRaces() {}

  static Stream<Race> all() {
    return Stream.of(
        new Race("claim / claim", LeaseRaces::claimTwice),
        new Race("complete step / sweep", LeaseRaces::completeAndSweep),
        new Race("complete run / sweep", LeaseRaces::finishAndSweep),
        new Race("sleep / sweep", LeaseRaces::sleepAndSweep),
        new Race("heartbeat / sweep", LeaseRaces::beatAndSweep),
        new Race("heartbeat / heartbeat of an earlier time", LeaseRaces::beatTwice),
        new Race("sweep / sweep", LeaseRaces::sweepTwice),
        new Race("complete step / complete step", LeaseRaces::completeStepTwice));
  }

  private static Play claimTwice(Director director, Actor first, Actor second) {
    RunId runId = director.start();
    return new Play(
        () -> first.bench().claims.claim(QUEUE, TYPE, director.worker),
        () -> second.bench().claims.claim(QUEUE, TYPE, director.otherWorker),
        (one, other) -> {
          boolean won = one.tasks() == 1;
          assertThat(other.tasks()).isEqualTo(won ? 0 : 1);
          assertThat(director.text(column(runId, "locked_by")))
              .isEqualTo((won ? director.worker : director.otherWorker).toString());
          assertThat(director.text(column(runId, "lease_epoch"))).isEqualTo("1");
        });
  }

  private static String column(RunId runId, String name) {
    return "SELECT %s FROM kagzi.workflow_runs WHERE run_id = '%s'".formatted(name, runId);
  }

  private static int sweep(Bench bench) {
    return bench.recovery.sweepLeases(bench.clock().instant());
  }

  private static int steps(Director director, RunId runId, String status) {
    return director.count(
        "step_runs WHERE run_id = '%s' AND status = '%s'".formatted(runId, status));
  }

  private static Play completeAndSweep(Director director, Actor first, Actor second) {
    second.isAhead(MUCH_LATER);
    Fence fence = fence(director.held());
    director.bench.tasks.beginStep(
        new Beginning(
            fence,
            director.worker,
            "charge",
            1,
            1,
            StepKind.FUNCTION,
            false,
            null,
            null,
            StepTraits.NONE));
    return new Play(
        () -> first.bench().tasks.completeStep(fence, director.worker, result("charge", "1")),
        () -> sweep(second.bench()),
        (completed, swept) -> {
          assertThat(swept.as(Integer.class)).isOne();
          assertThat(director.status(fence.runId())).isEqualTo("PENDING");
          boolean recorded = completed.is(Heard.class);
          assertThat(recorded || completed.isRefusedWith(ErrorCode.LEASE_LOST)).isTrue();
          assertThat(steps(director, fence.runId(), "COMPLETED")).isEqualTo(recorded ? 1 : 0);
          assertThat(steps(director, fence.runId(), "INTERRUPTED")).isEqualTo(recorded ? 0 : 1);
        });
  }

  private static Play finishAndSweep(Director director, Actor first, Actor second) {
    second.isAhead(MUCH_LATER);
    Fence fence = fence(director.held());
    return new Play(
        () -> first.bench().tasks.finish(fence, COMPLETED),
        () -> sweep(second.bench()),
        (completed, swept) -> {
          boolean ended = completed.is(FinishOutcome.Ended.class);
          assertThat(ended || completed.isRefusedWith(ErrorCode.LEASE_LOST)).isTrue();
          assertThat(director.status(fence.runId())).isEqualTo(ended ? "COMPLETED" : "PENDING");
          assertThat(swept.as(Integer.class)).isEqualTo(ended ? 0 : 1);
        });
  }

  private static Play sleepAndSweep(Director director, Actor first, Actor second) {
    second.isAhead(MUCH_LATER);
    Fence fence = fence(director.held());
    TimerWait pause = new TimerWait("pause", 1, Director.now().plus(Duration.ofDays(1)));
    return new Play(
        () -> first.bench().tasks.sleep(fence, pause),
        () -> sweep(second.bench()),
        (slept, swept) -> {
          boolean released = slept.is(SleepOutcome.Released.class);
          assertThat(released || slept.isRefusedWith(ErrorCode.LEASE_LOST)).isTrue();
          assertThat(director.status(fence.runId())).isEqualTo(released ? "SLEEPING" : "PENDING");
          assertThat(swept.as(Integer.class)).isEqualTo(released ? 0 : 1);
          assertThat(director.count("run_waits WHERE run_id = '%s'".formatted(fence.runId())))
              .isEqualTo(released ? 1 : 0);
        });
  }

  private static HeartbeatBatch.Reply beat(Director director, Bench bench, Task task) {
    Held held = new Held(director.worker, task.claim().runId(), task.claim().epoch());
    return bench.workers.heartbeat(
        new Heartbeat(new Beat(NAMESPACE, director.worker, 0, 1, 0, 0), List.of(held)));
  }

  private static Play beatAndSweep(Director director, Actor first, Actor second) {
    first.isAhead(MUCH_LATER);
    second.isAhead(MUCH_LATER);
    Task task = director.held();
    RunId runId = task.claim().runId();
    return new Play(
        () -> beat(director, first.bench(), task),
        () -> sweep(second.bench()),
        (beaten, swept) -> {
          boolean kept = beaten.as(HeartbeatBatch.Reply.class).lost().isEmpty();
          assertThat(director.status(runId)).isEqualTo(kept ? "RUNNING" : "PENDING");
          assertThat(swept.as(Integer.class)).isEqualTo(kept ? 0 : 1);
        });
  }

  private static Play beatTwice(Director director, Actor first, Actor second) {
    second.isAhead(MUCH_LATER);
    Task task = director.held();
    return new Play(
        () -> beat(director, first.bench(), task),
        () -> beat(director, second.bench(), task),
        (one, other) -> {
          assertThat(one.as(HeartbeatBatch.Reply.class).lost()).isEmpty();
          assertThat(other.as(HeartbeatBatch.Reply.class).lost()).isEmpty();
          String until = column(task.claim().runId(), "lease_until");
          assertThat(director.text("SELECT (%s) > clock_timestamp() + '30 min'".formatted(until)))
              .isEqualTo("true");
          assertThat(director.text("SELECT (%s) < clock_timestamp() + '61 min'".formatted(until)))
              .isEqualTo("true");
        });
  }

  private static Play sweepTwice(Director director, Actor first, Actor second) {
    first.isAhead(MUCH_LATER);
    second.isAhead(MUCH_LATER);
    RunId runId = director.held().claim().runId();
    return new Play(
        () -> sweep(first.bench()),
        () -> sweep(second.bench()),
        (one, other) -> {
          assertThat(one.as(Integer.class) + other.as(Integer.class)).isOne();
          assertThat(director.status(runId)).isEqualTo("PENDING");
          assertThat(director.text(column(runId, "crashes"))).isEqualTo("1");
        });
  }

  private static Play completeStepTwice(Director director, Actor first, Actor second) {
    Fence fence = fence(director.held());
    return new Play(
        () -> first.bench().tasks.completeStep(fence, director.worker, result("charge", "1")),
        () -> second.bench().tasks.completeStep(fence, director.worker, result("charge", "1")),
        (one, other) -> {
          assertThat(one.as(Heard.class).outcome()).isEqualTo(other.as(Heard.class).outcome());
          assertThat(steps(director, fence.runId(), "COMPLETED")).isOne();
        });
  }
}
