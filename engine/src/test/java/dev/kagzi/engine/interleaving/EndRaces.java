package dev.kagzi.engine.interleaving;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.QUEUE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.request;
import static dev.kagzi.engine.interleaving.Director.COMPLETED;
import static dev.kagzi.engine.interleaving.Director.FAILED;
import static dev.kagzi.engine.interleaving.Director.MUCH_LATER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.SleepOutcome;
import dev.kagzi.engine.domain.TimerWait;
import dev.kagzi.engine.interleaving.Race.Play;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

/** Races for the end of a run: it ends once, and both hear how. */
final class EndRaces {

  private EndRaces() {}

  static Stream<Race> all() {
    return Stream.of(
        new Race("claim / cancel", EndRaces::claimAndCancel),
        new Race("complete run / cancel", EndRaces::completeAndCancel),
        new Race("complete run / deadline", EndRaces::completeAndDeadline),
        new Race("claim / deadline", EndRaces::claimAndDeadline),
        new Race("cancel / deadline", EndRaces::cancelAndDeadline),
        new Race("complete run / fail run", EndRaces::completeAndFail),
        new Race("complete run / complete run again", EndRaces::completeTwice),
        new Race("cancel / cancel", EndRaces::cancelTwice),
        new Race("sleep / cancel", EndRaces::sleepAndCancel));
  }

  private static CancelOutcome cancel(Bench bench, RunId runId) {
    return bench.workflows.cancel(NAMESPACE, runId, "nobody wants it");
  }

  private static Play claimAndCancel(Director director, Actor first, Actor second) {
    RunId runId = director.start();
    return new Play(
        () -> first.bench().claims.claim(QUEUE, TYPE, director.worker),
        () -> cancel(second.bench(), runId),
        (claimed, cancelled) -> {
          assertThat(claimed.tasks()).isLessThanOrEqualTo(1);
          assertThat(cancelled.is(CancelOutcome.Cancelled.class)).isTrue();
          assertThat(director.status(runId)).isEqualTo("CANCELLED");
        });
  }

  private static Play completeAndCancel(Director director, Actor first, Actor second) {
    Fence fence = fence(director.held());
    return new Play(
        () -> first.bench().tasks.finish(fence, COMPLETED),
        () -> cancel(second.bench(), fence.runId()),
        (completed, cancelled) -> {
          if (director.status(fence.runId()).equals("COMPLETED")) {
            assertThat(completed.is(FinishOutcome.Ended.class)).isTrue();
            assertThat(cancelled.as(CancelOutcome.AlreadyEnded.class).status())
                .hasToString("COMPLETED");
          } else {
            assertThat(director.status(fence.runId())).isEqualTo("CANCELLED");
            assertThat(completed.isRefusedWith(ErrorCode.RUN_CANCELLED)).isTrue();
            assertThat(cancelled.is(CancelOutcome.Cancelled.class)).isTrue();
          }
        });
  }

  private static Play completeAndDeadline(Director director, Actor first, Actor second) {
    second.isAhead(MUCH_LATER);
    Fence fence = fence(director.held(request().deadline(soon())));
    return new Play(
        () -> first.bench().tasks.finish(fence, COMPLETED),
        () -> second.bench().deadlines.enforce(),
        (completed, enforced) -> {
          if (director.status(fence.runId()).equals("COMPLETED")) {
            assertThat(completed.is(FinishOutcome.Ended.class)).isTrue();
          } else {
            assertThat(director.status(fence.runId())).isEqualTo("TIMED_OUT");
            assertThat(completed.isRefusedWith(ErrorCode.RUN_TERMINAL)).isTrue();
            assertThat(enforced.as(Integer.class)).isOne();
          }
        });
  }

  private static Instant soon() {
    return Director.now().plus(Duration.ofMinutes(10));
  }

  private static Play claimAndDeadline(Director director, Actor first, Actor second) {
    second.isAhead(MUCH_LATER);
    RunId runId = director.start(request().deadline(soon()));
    return new Play(
        () -> first.bench().claims.claim(QUEUE, TYPE, director.worker),
        () -> second.bench().deadlines.enforce(),
        (claimed, enforced) -> {
          assertThat(claimed.tasks()).isLessThanOrEqualTo(1);
          assertThat(director.status(runId)).isEqualTo("TIMED_OUT");
        });
  }

  private static Play cancelAndDeadline(Director director, Actor first, Actor second) {
    second.isAhead(MUCH_LATER);
    RunId runId = director.start(request().deadline(soon()));
    return new Play(
        () -> cancel(first.bench(), runId),
        () -> second.bench().deadlines.enforce(),
        (cancelled, enforced) -> {
          if (director.status(runId).equals("TIMED_OUT")) {
            assertThat(cancelled.as(CancelOutcome.AlreadyEnded.class).status())
                .hasToString("TIMED_OUT");
          } else {
            assertThat(director.status(runId)).isEqualTo("CANCELLED");
            assertThat(cancelled.is(CancelOutcome.Cancelled.class)).isTrue();
          }
        });
  }

  private static Play completeAndFail(Director director, Actor first, Actor second) {
    Fence fence = fence(director.held());
    return new Play(
        () -> first.bench().tasks.finish(fence, COMPLETED),
        () -> second.bench().tasks.finish(fence, FAILED),
        (completed, failed) -> {
          boolean well = director.status(fence.runId()).equals("COMPLETED");
          Answer winner = well ? completed : failed;
          Answer loser = well ? failed : completed;
          assertThat(winner.as(FinishOutcome.Ended.class).status())
              .hasToString(director.status(fence.runId()));
          assertThat(loser.isRefusedWith(ErrorCode.RUN_TERMINAL)).isTrue();
        });
  }

  private static Play completeTwice(Director director, Actor first, Actor second) {
    Fence fence = fence(director.held());
    return new Play(
        () -> first.bench().tasks.finish(fence, COMPLETED),
        () -> second.bench().tasks.finish(fence, COMPLETED),
        (one, other) -> {
          assertThat(one.is(FinishOutcome.Ended.class)).isTrue();
          assertThat(other.is(FinishOutcome.Ended.class)).isTrue();
          assertThat(director.status(fence.runId())).isEqualTo("COMPLETED");
        });
  }

  private static Play cancelTwice(Director director, Actor first, Actor second) {
    RunId runId = director.start();
    return new Play(
        () -> cancel(first.bench(), runId),
        () -> cancel(second.bench(), runId),
        (one, other) -> {
          assertThat(one.is(CancelOutcome.Cancelled.class)).isTrue();
          assertThat(other.is(CancelOutcome.Cancelled.class)).isTrue();
          assertThat(director.status(runId)).isEqualTo("CANCELLED");
        });
  }

  private static Play sleepAndCancel(Director director, Actor first, Actor second) {
    Fence fence = fence(director.held());
    return new Play(
        () -> first.bench().tasks.sleep(fence, new TimerWait("pause", 1, soon())),
        () -> cancel(second.bench(), fence.runId()),
        (slept, cancelled) -> {
          assertThat(cancelled.is(CancelOutcome.Cancelled.class)).isTrue();
          assertThat(director.status(fence.runId())).isEqualTo("CANCELLED");
          int pauses = slept.is(SleepOutcome.Released.class) ? 1 : 0;
          assertThat(pauses == 1 || slept.isRefusedWith(ErrorCode.RUN_CANCELLED)).isTrue();
          assertThat(
                  director.count(
                      "step_runs WHERE status = 'CANCELLED' AND run_id = '%s'"
                          .formatted(fence.runId())))
              .isEqualTo(pauses);
        });
  }
}
