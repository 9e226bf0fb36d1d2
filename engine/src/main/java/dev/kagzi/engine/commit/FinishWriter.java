package dev.kagzi.engine.commit;

import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.EndedRun;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.Fencing;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.RetryDecision;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ContinuationStore.Continuation;
import dev.kagzi.engine.store.FinishStore.End;
import dev.kagzi.engine.store.ReleaseStore;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.RunStore.RunRetry;
import dev.kagzi.engine.store.StepStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Writes the ends of runs that workers report, or the waits before their next attempts. */
final class FinishWriter {

  private final Endings endings;
  private final Continuations continuations;
  private final RetryPolicy defaultRetry;
  private final RunStore runStore = new RunStore();
  private final ReleaseStore releases = new ReleaseStore();
  private final StepStore steps = new StepStore();

  FinishWriter(Endings endings, InstantSource clock, RetryPolicy defaultRetry) {
    this.defaultRetry = defaultRetry;
    this.endings = endings;
    this.continuations = new Continuations(clock);
  }

  void write(
      Transaction tx, List<Command.Finish> commands, HeldRuns runs, Answers answers, Instant now) {
    List<Command.Finish> held =
        commands.stream().filter(command -> runs.isHeldUnder(command.fence())).toList();
    Map<RunId, Instant> retries = retryTimes(tx, held, runs, now);
    retry(tx, held, retries, now);
    List<Command.Finish> ending =
        held.stream()
            .filter(command -> !retries.containsKey(command.runId()))
            .filter(command -> insideSaga(command, runs) == null)
            .toList();
    Map<RunId, Continuation> continued = continuations.prepare(tx, ending);
    List<End> ends =
        ending.stream().map(command -> end(command, continued.get(command.runId()))).toList();
    Endings.Ended ended = endings.end(tx, ends, now);
    for (RunTarget successor : continuations.start(tx, continued.values(), now)) {
      answers.runStarted(successor);
      answers.workReady(successor.queue());
    }
    answers.ended(ended);
    for (Command.Finish command : commands) {
      Instant retryAt = retries.get(command.runId());
      if (retryAt != null && runs.isHeldUnder(command.fence())) {
        answers.answer(command, new FinishOutcome.Retry(retryAt));
        announce(runs.live(command.runId()), retryAt, answers);
      } else if (ended.runs().contains(command.runId()) && runs.isHeldUnder(command.fence())) {
        Continuation continuation = continued.get(command.runId());
        answers.answer(
            command,
            continuation == null
                ? new FinishOutcome.Ended(
                    command.ending().status(), ended.handlersOf(command.runId()))
                : new FinishOutcome.Continued(continuation.successor()));
        answers.runDone(command.runId());
      } else {
        refuseOrRepeat(command, runs, answers);
      }
    }
  }

  private static void refuseOrRepeat(Command.Finish command, HeldRuns runs, Answers answers) {
    LiveRun inside = insideSaga(command, runs);
    if (inside == null) {
      repeated(command, runs, answers);
    } else {
      answers.refuse(command, Fencing.insideSaga(inside));
    }
  }

  /**
   * The run if its holder wants to end it inside a saga. Nobody could undo its work afterwards, so
   * whoever could not do that to the end has to leave it to another pass.
   */
  private static @Nullable LiveRun insideSaga(Command.Finish command, HeldRuns runs) {
    LiveRun run = runs.isHeldUnder(command.fence()) ? runs.live(command.runId()) : null;
    return run != null && run.openSagas() > 0 ? run : null;
  }

  private static void announce(@Nullable LiveRun run, Instant at, Answers answers) {
    if (run != null) {
      answers.workDueAt(run.target().queue(), at);
    }
  }

  /**
   * When those that failed outside their steps are tried again, as their starters wished; not those
   * that have been asked to end.
   */
  private Map<RunId, Instant> retryTimes(
      Transaction tx, List<Command.Finish> held, HeldRuns runs, Instant now) {
    Map<RunId, RunEnding.Failed> failed = new HashMap<>();
    for (Command.Finish command : held) {
      LiveRun run = runs.live(command.runId());
      boolean asked = run != null && run.stop() != null;
      if (!asked
          && command.ending() instanceof RunEnding.Failed failure
          && failure.failedStepKey() == null) {
        failed.put(command.runId(), failure);
      }
    }
    if (failed.isEmpty()) {
      return Map.of();
    }
    Map<RunId, Instant> times = new HashMap<>();
    runStore
        .findRetries(tx, failed.keySet())
        .forEach((runId, retry) -> {
          RunEnding.Failed failure = failed.get(runId);
          PartialRetryPolicy policy = retry.policy();
          if (failure != null && policy != null) {
            Instant at = retryTime(policy.over(defaultRetry), retry, failure, now);
            if (at != null) {
              times.put(runId, at);
            }
          }
        });
    return times;
  }

  private static @Nullable Instant retryTime(
      RetryPolicy policy, RunRetry retry, RunEnding.Failed failure, Instant now) {
    return RetryDecision.delay(
            policy,
            retry.failures() + 1,
            failure.error(),
            failure.nonRetryable(),
            failure.retryAfter(),
            ThreadLocalRandom.current().nextDouble())
        .map(now::plus)
        .orElse(null);
  }

  private void retry(
      Transaction tx, List<Command.Finish> held, Map<RunId, Instant> times, Instant now) {
    List<ReleaseStore.Retry> retries = new ArrayList<>();
    for (Command.Finish command : held) {
      Instant at = times.get(command.runId());
      if (at != null && command.ending() instanceof RunEnding.Failed failed) {
        retries.add(new ReleaseStore.Retry(command.fence(), at, failed.error()));
      }
    }
    if (!retries.isEmpty()) {
      steps.interrupt(tx, times.keySet(), now);
      releases.retryLater(tx, retries);
    }
  }

  /** Nothing was written: this was written before, or is not this worker's to write. */
  private static void repeated(Command.Finish command, HeldRuns runs, Answers answers) {
    Fence fence = command.fence();
    LiveRun live = runs.live(fence.runId());
    EndedRun ended = runs.ended(fence.runId());
    Instant retryAt = live == null ? null : retryTime(command, live);
    if (retryAt != null) {
      answers.answer(command, new FinishOutcome.Retry(retryAt));
    } else if (ended != null
        && ended.epoch() == fence.epoch()
        && ended.status() == command.ending().status()
        && (ended.continuedAs() != null) == (command.ending() instanceof RunEnding.Continued)
        && ended.namespace().equals(fence.namespace())) {
      answers.answer(command, again(ended));
    } else {
      answers.refuse(command, runs.refusal(fence));
    }
  }

  private static FinishOutcome again(EndedRun ended) {
    RunId successor = ended.continuedAs();
    return successor == null
        ? new FinishOutcome.Ended(ended.status(), List.of())
        : new FinishOutcome.Continued(successor);
  }

  /** When a run that this command has sent back before is tried again. */
  private static @Nullable Instant retryTime(Command.Finish command, LiveRun live) {
    boolean sentBack =
        command.ending() instanceof RunEnding.Failed
            && live.status() == RunStatus.PENDING
            && live.epoch() == command.fence().epoch()
            && live.target().namespace().equals(command.fence().namespace());
    return sentBack ? live.availableAt() : null;
  }

  private static End end(Command.Finish command, @Nullable Continuation continuation) {
    Fence fence = command.fence();
    RunStatus status = command.ending().status();
    return switch (command.ending()) {
      case RunEnding.Completed completed ->
          new End(
              fence.namespace(),
              fence.runId(),
              fence.epoch(),
              status,
              completed.output(),
              null,
              null,
              null);
      case RunEnding.Continued continued ->
          new End(
              fence.namespace(),
              fence.runId(),
              fence.epoch(),
              status,
              null,
              null,
              null,
              null,
              continuation == null ? null : continuation.successor());
      case RunEnding.Failed failed ->
          new End(
              fence.namespace(),
              fence.runId(),
              fence.epoch(),
              status,
              null,
              failed.error(),
              failed.failedStepKey(),
              null);
      case RunEnding.Stopped stopped ->
          new End(
              fence.namespace(),
              fence.runId(),
              fence.epoch(),
              status,
              null,
              stopped.error(),
              null,
              null);
    };
  }
}
