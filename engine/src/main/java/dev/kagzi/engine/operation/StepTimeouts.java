package dev.kagzi.engine.operation;

import dev.kagzi.core.Durations;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.RetryDecision;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.FailureStore;
import dev.kagzi.engine.store.FailureStore.Report;
import dev.kagzi.engine.store.OverdueStore;
import dev.kagzi.engine.store.OverdueStore.OverdueStep;
import dev.kagzi.engine.store.RunStore;
import dev.kagzi.engine.store.StepStore;
import dev.kagzi.engine.store.StepStore.Step;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends attempts at steps that their workers should have ended and have not. The attempt fails, its
 * policy decides what follows, and the run is taken from the worker under a new epoch, all in one
 * transaction: it neither hangs until its lease ends nor is worked on twice.
 */
public final class StepTimeouts {

  private static final Logger log = LoggerFactory.getLogger(StepTimeouts.class);

  /** The worker has the first word; the engine acts on what it has left undone. */
  public static final Duration GRACE = Duration.ofMillis(500);

  private static final int LIMIT = 1000;

  /** What one transaction did, to be announced after its commit. */
  private record Done(int taken, Set<QueueKey> ready, Tally tally) {}

  private final Database database;
  private final InstantSource clock;
  private final Signals signals;
  private final RetryPolicy defaultRetry;
  private final OverdueStore store = new OverdueStore();
  private final RunStore runs = new RunStore();
  private final FailureStore failures = new FailureStore();
  private final StepStore steps = new StepStore();

  /**
   * Makes it.
   *
   * @param defaultRetry applies to attempts that were announced without a policy
   */
  public StepTimeouts(
      Database database, InstantSource clock, Signals signals, RetryPolicy defaultRetry) {
    this.defaultRetry = defaultRetry;
    this.database = database;
    this.clock = clock;
    this.signals = signals;
  }

  /** Ends what is overdue; returns from how many runs. */
  public int enforce() {
    Done done = database.inTransaction(this::enforce);
    done.ready().forEach(signals.work()::workReady);
    done.tally().tell(signals.telemetry());
    return done.taken();
  }

  private Done enforce(Transaction tx) {
    Tally tally = new Tally();
    Set<QueueKey> ready = new HashSet<>();
    Instant now = clock.instant();
    Instant before = now.minus(GRACE);
    List<RunId> suspects = store.findRunsWithOverdueSteps(tx, before, LIMIT);
    if (suspects.isEmpty()) {
      return new Done(0, ready, tally);
    }
    Map<RunId, LiveRun> locked = runs.lock(tx, suspects);
    // Read again under the locks: the worker may have ended the attempt in between.
    List<OverdueStep> overdue = store.readOverdueSteps(tx, locked.keySet(), before);
    Map<Step, Integer> failedBefore =
        failures.count(tx, overdue.stream().map(StepTimeouts::step).toList());
    List<Report> reports = new ArrayList<>();
    Set<RunId> taken = new HashSet<>();
    for (OverdueStep step : overdue) {
      LiveRun run = locked.get(step.runId());
      if (run != null && run.status() == RunStatus.RUNNING && run.epoch() == step.epoch()) {
        Report report = report(run, step, failedBefore.getOrDefault(step(step), 0), now);
        reports.add(report);
        tally.noteAttempt(run.target().workflowType(), report.failure(), report.retryAt(), now);
        taken.add(run.runId());
        ready.add(run.target().queue());
        log.warn(
            "step {} of run {} ran out of time on worker {}",
            step.stepKey(),
            step.runId(),
            step.worker());
      }
    }
    if (!taken.isEmpty()) {
      failures.insert(tx, reports, now);
      steps.interrupt(tx, taken, now);
      store.takeAway(tx, taken, now);
    }
    return new Done(taken.size(), ready, tally);
  }

  private static Step step(OverdueStep overdue) {
    return new Step(overdue.runId(), overdue.stepKey());
  }

  private Report report(LiveRun run, OverdueStep step, int failedBefore, Instant now) {
    RetryPolicy policy = step.policy() == null ? defaultRetry : step.policy();
    Failure error =
        new Failure(
            ErrorKind.TIMEOUT,
            ErrorKind.TIMEOUT.text(),
            List.of(),
            ("Step execution timed out (start_to_close_timeout exceeded): it had not ended after"
                    + " %s, and its worker did not end it")
                .formatted(Durations.format(Duration.between(step.startedAt(), step.timeoutAt()))),
            "",
            null);
    StepFailure failure =
        new StepFailure(
            step.stepKey(),
            step.attempt(),
            step.seq(),
            step.kind(),
            step.startedAt(),
            error,
            policy,
            step.atMostOnce(),
            null,
            step.traits());
    Instant retryAt =
        RetryDecision.delay(
                policy,
                failedBefore + 1,
                error,
                step.atMostOnce(),
                null,
                ThreadLocalRandom.current().nextDouble())
            .map(now::plus)
            .orElse(null);
    Fence fence = new Fence(run.target().namespace(), run.runId(), run.epoch());
    return new Report(fence, step.worker(), failure, retryAt);
  }
}
